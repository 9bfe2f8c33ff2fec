import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import ordinate as od
from ordinate.cli.doctor import EXTRAS, Extra, doctor

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
FOR_DEVELOPERS = {"test", "browser", "notebook", "papers", "lint", "docs", "dist", "dev"}


def test_what_there_is(ordinate, monkeypatch, tmp_path):
    monkeypatch.setenv("ORDINATE_DATA", str(tmp_path / "data"))
    run = ordinate("doctor")
    assert run.code == 0
    assert f"ordinate       {od.__version__}\n" in run.out
    assert f"data folder    {tmp_path / 'data'} (not made yet)" in run.out
    figures = ordinate("doctor", "--json").json
    assert figures["versions"]["Python"] == ".".join(map(str, sys.version_info[:3]))
    assert figures["threads"] >= 1
    assert figures["extras"]["collect"] is True


def test_what_is_missing_comes_with_the_command(ordinate, monkeypatch):
    missing = Extra("magic", ("no-such-package",), "miracles")
    monkeypatch.setitem(doctor.__globals__, "EXTRAS", (missing,))
    assert (
        'magic          missing: pip install "ordinate[magic]" — miracles' in ordinate("doctor").out
    )


def test_a_gpu_is_named(ordinate, monkeypatch):
    torch = ModuleType("torch")
    torch.cuda = SimpleNamespace(is_available=lambda: True, get_device_name=lambda: "Abacus 3000")
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert ordinate("doctor", "--json").json["gpu"] == "Abacus 3000"
    monkeypatch.setitem(sys.modules, "torch", None)
    assert ordinate("doctor", "--json").json["gpu"] is None


def test_every_extra_for_users_is_known():
    declared = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    listed = {extra.name: set(extra.packages) for extra in EXTRAS}
    assert listed.keys() == declared.keys() - FOR_DEVELOPERS
    for name, packages in listed.items():
        assert packages == {requirement.split(">=")[0] for requirement in declared[name]}
