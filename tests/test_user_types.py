"""What a user writes passes a strict type checker that is not ours, where pyright is installed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import ordinate

SCRIPT = """
import numpy as np

import ordinate as od

answers = od.Comparisons([[0, 1, 2], [1, 2, 0], [2, 1, 0]], names=["a", "b", "c"])
train, test = answers.train_test_split(0.4, random_state=0)
model = od.SOE(2, random_state=0).fit(answers)
points: np.ndarray = model.fit_transform(answers)
share: float = model.score(answers)
error: float = od.metrics.triplet_error(answers, points)
record: od.Comparisons = od.read_comparisons("answers.csv", weight="weight")
ratings = od.Ratings([0, 0], [0, 1], [5.0, 3.0])
users: np.ndarray = od.COE(2).fit(ratings).user_embedding_
od.plots.save_map("map.png", points, answers.names)
od.SOE(n_components="two")  # a mistake, to be found
"""


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
def test_a_script_of_a_user(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    src = Path(ordinate.__file__).parent.parent
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(src)]}))
    run = subprocess.run(
        ["pyright", "--outputjson", "script.py"], cwd=tmp_path, capture_output=True, text=True
    )
    if not run.stdout.startswith("{"):
        pytest.skip(f"pyright cannot be run here: {run.stderr[-200:]}")
    found = [
        (entry["range"]["start"]["line"], entry["message"])
        for entry in json.loads(run.stdout)["generalDiagnostics"]
        if entry["severity"] == "error"
    ]
    lines = SCRIPT.splitlines()
    assert [lines[line] for line, _ in found] == [lines[-1]], found
