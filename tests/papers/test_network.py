"""The network of the field's evaluation, in small."""

import pytest

from papers.benchmark.evaluation import Setting, measure


def test_a_network_finds_the_points(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr("papers.benchmark.network.EPOCHS", 60)
    assert measure("OENN", Setting(n=30, c=8.0), 0)["triplet error"] < 0.1
