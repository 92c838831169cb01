"""docker-compose.yml and the Dockerfile, held against the settings, the URLs and the commands that they name."""

import ast
import re
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands
from django.urls import resolve

from scripts import prepare
from scripts.paths import ROOT, in_venv

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"].startswith("plimsoll:")}
FOREIGN = {name: service for name, service in SERVICES.items() if name not in OURS}
# What the images' own documentation names.
FOREIGN_VARIABLES = {
    "database": {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD_FILE", "NO_TS_TUNE"},
    "redis": set(),
}
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()


def names_read_by(file: Path) -> set[str]:
    """First arguments of `env.….("NAME")` and `os.environ.get("NAME")` calls."""
    calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call) and node.args)
    readers = (
        call.args[0] for call in calls if isinstance(call.func, ast.Attribute) and "env" in ast.unparse(call.func.value)
    )
    return {name.value for name in readers if isinstance(name, ast.Constant)}


def instructions(word: str) -> list[str]:
    return [line.split(maxsplit=1)[1] for line in DOCKERFILE if line.startswith(word + " ")]


def health_urls() -> list[str]:
    tests = [" ".join(service["healthcheck"]["test"]) for service in OURS.values() if "healthcheck" in service]
    return [url for test in tests for url in re.findall(r"http://[a-z0-9.]+:8000(/\w+)", test)]


@pytest.mark.parametrize("name", OURS)
def test_every_variable_of_our_services_is_one_that_is_read(name):
    read = names_read_by(ROOT / "sla/settings.py") | names_read_by(ROOT / "scripts/paths.py")
    assert "DATABASE_URL" in read
    for variable in OURS[name].get("environment", {}):
        assert variable in read or variable.removesuffix("_FILE") in read, variable


@pytest.mark.parametrize("name", FOREIGN)
def test_every_variable_of_a_foreign_service_is_one_of_its_image(name):
    assert set(FOREIGN[name].get("environment", {})) <= FOREIGN_VARIABLES[name]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_locked_down(name):
    service = SERVICES[name]
    user, group = service["user"].split(":")
    assert int(user) > 0
    assert int(group) > 0
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert not {"privileged", "cap_add", "network_mode", "pid", "devices"} & service.keys()
    assert any(entry.split(":")[0] == "/tmp" for entry in service["tmpfs"])  # noqa: S108


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_that_stays_says_how_it_is_and_comes_back(name):
    service = SERVICES[name]
    if name == "init":
        assert service["restart"] == "no"
    else:
        assert service["healthcheck"]["test"][0] == "CMD"
        assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_refers_to_exists(name):
    service = SERVICES[name]
    for other, condition in service.get("depends_on", {}).items():
        assert other in SERVICES
        if condition["condition"] == "service_healthy":
            assert "healthcheck" in SERVICES[other]
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        assert source.startswith("/") or source in COMPOSE["volumes"]
        assert not source.startswith("/") or volume.endswith(":ro")
    files = [value for value in service.get("environment", {}).values() if value.startswith("/run/secrets/")]
    assert sorted(files) == sorted(f"/run/secrets/{secret}" for secret in service.get("secrets", []))
    assert set(service.get("secrets", [])) <= COMPOSE["secrets"].keys()


@pytest.mark.parametrize("name", OURS)
def test_every_command_exists(name):
    command = OURS[name]["command"]
    assert Path(in_venv(command[0])).is_file()
    if command[0] == "python":
        assert command[1:3] == ["-m", "scripts.prepare"]
        assert set(command[3:]) <= prepare.STEPS.keys()
        assert "first_run" in get_commands()
    if command[0] == "celery":
        assert (ROOT / command[2] / "celery.py").is_file()
    if command[0] == "granian":
        module, name = command[-1].split(":")
        assert hasattr(__import__(module, fromlist=[name]), name)


def test_the_addresses_of_health_checks_are_urls_of_the_product():
    assert set(health_urls()) == {"/healthz", "/readyz"}
    for path in health_urls():
        assert resolve(path)


def test_the_web_is_published_on_loopback_only_and_nothing_else_is_published():
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"]}


def test_no_secret_stands_in_the_files():
    assert all(set(secret) == {"file"} for secret in COMPOSE["secrets"].values())
    for service in SERVICES.values():
        for variable, value in service.get("environment", {}).items():
            assert not re.search("PASSWORD|SECRET|DATABASE_URL", variable) or value.startswith("/run/secrets/")


@pytest.mark.parametrize(
    "image", [service["image"] for service in FOREIGN.values()] + [w.split()[0] for w in instructions("FROM")]
)
def test_every_image_is_pinned(image):
    tag = image.partition(":")[2]
    assert re.search(r"\d", tag)
    assert "latest" not in tag


def test_the_database_is_the_one_that_the_private_services_have():
    assert SERVICES["database"]["image"].endswith("-pg17")


def test_the_image_copies_what_exists_and_what_is_not_ignored():
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for words in (line.split() for line in instructions("COPY") if not line.startswith("--from")):
        for source in words[:-1]:
            assert (ROOT / source).exists(), source
            assert source in kept


def test_the_image_drops_root_before_its_command():
    last = [line.split()[0] for line in DOCKERFILE if line and not line.startswith(("#", " "))]
    assert instructions("USER") == ["10001:10001"]
    assert last.index("USER") < last.index("CMD")
    assert all(service["user"] == "10001:10001" for service in OURS.values())


def test_every_package_of_the_server_in_the_image_is_a_copied_folder():
    copied = {word for line in instructions("COPY") for word in line.split()[:-1]}
    assert {"sla", "scripts", "static", "templates", "agent", "manage.py"} <= copied
