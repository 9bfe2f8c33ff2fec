import json
from pathlib import Path

from ordinate.cli._demo_report import Accuracy, DemoReport

REPORT = DemoReport(
    n_objects=125,
    wrong=0.1,
    seed=0,
    seconds=0.123,
    n_iter=16,
    fitted=Accuracy(40_000, 0.88, 0.973),
    held_out=Accuracy(10_000, 0.8665, 0.9671),
    median_km=76.4,
    procrustes_distance=0.00523,
    folder=Path("demo"),
)


def test_text_says_what_was_done_and_how_well():
    text = str(REPORT)
    assert "125 cities of Europe and not one coordinate, only 50,000 answers" in text
    assert "10% of them wrong" in text
    assert "TETE took 0.12 s" in text
    assert "  40,000 fitted                88.0%           97.3%" in text
    assert "  10,000 held out              86.7%           96.7%" in text
    assert "about 90% is perfect" in text
    assert "within 76 km" in text
    assert "Procrustes distance is 0.0052" in text
    assert max(map(len, text.splitlines())) <= 80


def test_text_names_the_files():
    last = str(REPORT).splitlines()[-3:]
    assert [line.split()[0] for line in last] == [str(Path("demo") / name) for name in FILES]
    assert last[2].endswith(f"ordinate describe {Path('demo') / 'answers.csv'}")


FILES = ("map.png", "map.csv", "answers.csv")


def test_figures_are_ready_for_json():
    figures = json.loads(json.dumps(REPORT.to_dict()))
    assert figures["held_out"] == {"n_rows": 10_000, "by_answers": 0.8665, "by_globe": 0.9671}
    assert figures["files"] == [str(Path("demo") / name) for name in FILES]
    assert "folder" not in figures
