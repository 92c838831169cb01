"""Do the imports keep to the layers? Read from the code itself, with `ast`."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The right side may import the left, never the other way; what shares a place may not import each other.
LAYERS = (
    {"domain"},
    {"simulator"},
    {"accounts"},
    {"fleet"},
    {"contracts"},
    {"telemetry"},
    {"probes"},
    {"scoring"},
    {"neighbours"},
    {"incidents"},
    {"notifications", "reports"},
    {"demo"},
    {"api"},
    {"web"},
)
PLACE = {name: place for place, layer in enumerate(LAYERS) for name in layer}
FIRST_PARTY = ("sla", "plimsoll_agent")


def modules() -> Iterator[tuple[str, Path]]:
    """(dotted name, file) of everything first-party but migrations, which Django chains by itself."""
    for top, package in ((ROOT / "sla", "sla"), (ROOT / "agent" / "plimsoll_agent", "plimsoll_agent")):
        for file in sorted(top.rglob("*.py")):
            parts = list(file.relative_to(top).with_suffix("").parts)
            if "migrations" not in parts:
                yield ".".join([package, *(part for part in parts if part != "__init__")]), file


ALL = dict(modules())


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(), str(file))


def absolute(node: ast.Import | ast.ImportFrom, name: str, file: Path) -> list[str]:
    """The modules that an import statement loads."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
        base = ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])
    return [f"{base}.{a.name}" if f"{base}.{a.name}" in ALL else base for a in node.names]


def only_for_checkers(node: ast.AST) -> bool:
    """An `if TYPE_CHECKING:` block: never run."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports(name: str, file: Path) -> Iterator[tuple[ast.stmt, list[str], bool]]:
    """(statement, modules, hidden in a function) of every import that can run."""

    def walk(node: ast.AST, inside: bool) -> Iterator[tuple[ast.stmt, list[str], bool]]:
        for child in ast.iter_child_nodes(node):
            if only_for_checkers(child):
                continue
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child, absolute(child, name, file), inside
            yield from walk(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))

    yield from walk(tree(file), False)


def test_the_domain_and_the_agent_know_nothing_of_django_or_of_a_database() -> None:
    forbidden = ("django", "celery", "psycopg", "redis", "ninja")
    found = [
        f"{name}:{statement.lineno} imports {module}"
        for name, file in ALL.items()
        if name.startswith(("sla.domain", "plimsoll_agent"))
        for statement, loaded, _ in imports(name, file)
        for module in loaded
        if module.split(".")[0] in forbidden
        or (name.startswith("plimsoll_agent") and module.split(".")[0] == "sla")
        or (name.startswith("sla.domain") and module.startswith("sla.") and not module.startswith("sla.domain"))
    ]
    assert not found, "\n".join(found)


def test_the_core_of_both_sides_needs_nothing_but_the_standard_library() -> None:
    allowed = {*sys.stdlib_module_names, "plimsoll_agent"}
    found = [
        f"{name}:{statement.lineno} imports {module}"
        for name, file in ALL.items()
        if name.startswith("plimsoll_agent.core")
        for statement, loaded, _ in imports(name, file)
        for module in loaded
        if module.split(".")[0] not in allowed
    ]
    assert not found, "\n".join(found)


def test_no_layer_imports_one_above_it() -> None:
    found = []
    for name, file in ALL.items():
        mine = name.split(".")[1] if name.count(".") else ""
        for statement, loaded, _ in imports(name, file):
            for module in loaded:
                other = module.split(".")[1] if module.startswith("sla.") else ""
                if mine in PLACE and other in PLACE and other != mine and PLACE[other] >= PLACE[mine]:
                    found.append(f"{name}:{statement.lineno} imports {module}")
    assert not found, "\n".join(found)


def test_every_capability_has_its_place_in_the_layers() -> None:
    folders = {path.parent.name for path in (ROOT / "sla").glob("*/__init__.py")}
    assert folders <= set(PLACE), f"give {folders - set(PLACE)} a place in LAYERS"


def test_there_is_no_import_cycle() -> None:
    graph = {
        name: {m for _, loaded, inside in imports(name, file) if not inside for m in loaded if m in ALL and m != name}
        for name, file in ALL.items()
    }
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as cycle:
        raise AssertionError(" -> ".join(cycle.args[1])) from None


def test_a_first_party_import_inside_a_function_says_why() -> None:
    found = []
    for name, file in ALL.items():
        lines = file.read_text().splitlines()
        for statement, loaded, inside in imports(name, file):
            if inside and any(module.split(".")[0] in FIRST_PARTY for module in loaded):
                beside = (
                    lines[statement.lineno - 1 : statement.end_lineno]
                    + lines[statement.lineno - 2 : statement.lineno - 1]
                )
                if not any("#" in line for line in beside):
                    found.append(f"{name}:{statement.lineno} {lines[statement.lineno - 1].strip()}")
    assert not found, "\n".join(found)
