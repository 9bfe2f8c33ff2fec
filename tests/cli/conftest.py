"""Run the command line in this process, and a small file of answers to run it on."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from ordinate.cli import main


@dataclass
class Run:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def ordinate(capfd):
    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Run(left.value.code or 0, out, err)

    return run


@pytest.fixture
def answers(tmp_path):
    """A CSV file of 400 triplets about 12 objects on a line, no answer of them wrong."""
    rng = np.random.default_rng(0)
    lines = ["anchor,near,far,participant,trial"]
    while len(lines) <= 400:
        a, b, c = rng.choice(12, size=3, replace=False).tolist()
        if abs(a - b) > abs(a - c):
            b, c = c, b
        if abs(a - b) != abs(a - c):
            trial = len(lines) // 2
            lines.append(f"o{a:02},o{b:02},o{c:02},{trial % 3},{trial}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
