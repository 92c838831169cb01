"""`make agent-dist` says whether the program for the kernel goes along."""

import os
from pathlib import Path

import pytest

from scripts import agent_dist, ebpf


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is built yet, and no compiler is there."""
    monkeypatch.setattr(ebpf, "PROGRAM", tmp_path / "latency.bpf.o")
    monkeypatch.setattr(ebpf, "clang", lambda: None)
    return ebpf.PROGRAM


def test_without_a_compiler_it_says_that_it_is_missing(program: Path) -> None:
    said = agent_dist.kernel_program()
    assert "WITHOUT" in said and "no clang" in said and not program.exists()


def test_one_that_is_built_goes_along(program: Path) -> None:
    program.touch()
    assert agent_dist.kernel_program() == "with the program that times each I/O in the kernel"


def test_one_older_than_its_source_is_named_so(program: Path) -> None:
    program.touch()
    os.utime(program, (1, 1))
    assert "OLDER" in agent_dist.kernel_program()


def test_with_a_compiler_it_is_made(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    if ebpf.clang() is None:
        pytest.skip("no clang is installed")
    monkeypatch.setattr(ebpf, "PROGRAM", program)
    assert agent_dist.kernel_program().startswith("with the program") and program.stat().st_size > 1000
