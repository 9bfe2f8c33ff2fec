from pathlib import Path

import numpy as np

import ordinate as od
from ordinate.cli._appearance import Look
from ordinate.cli._report_findings import Plan, find_out
from ordinate.cli._report_page import Origin, write_page


def test_names_from_the_data_are_escaped(tmp_path):
    path = tmp_path / "<answers>.csv"
    path.write_text("any bytes")
    points = np.random.default_rng(0).normal(size=(8, 2))
    rows = od.sources.random_triplets(points, 200, random_state=0).rows
    who = np.array(["<b>Ann</b>", "Bob"])[np.arange(200) % 2]
    answers = od.Comparisons(rows, groups={"participant": who})
    plan = Plan(["SOE"], [2], 2, "participant", 0, 1)
    origin = Origin(path, [str(path), "--group", "participant"], plan)
    findings = find_out(answers, plan)
    look = Look({"half": np.arange(8) // 4}, "half")
    page = write_page(findings, origin, look)
    assert "<b>Ann" not in page
    assert "&lt;b&gt;Ann" in page
    assert "smallest dimension" not in page, "there is nothing to test with one dimension"
    report, compare, noise, embed = origin.commands(findings)
    assert report.startswith("ordinate report '") and "--split-by participant" in report  # noqa: PT018
    assert compare.replace("compare", "report", 1) == report
    assert "--method SOE --dim 2" in noise
    assert embed.endswith("-o map.csv")


def test_a_pattern_of_files_is_known_by_all_of_them(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("anchor,near,far\n" + "0,1,2\n1,2,0\n2,0,1\n0,2,1\n" * 9)
    answers = od.read_comparisons(tmp_path / "a.csv")
    plan = Plan(["SOE"], [1], 2, None, 0, 1)
    pattern = Path(tmp_path / "*.csv")
    page = write_page(
        find_out(answers, plan), Origin(pattern, [str(pattern)], plan, ["Left out 3 of 9"]), Look()
    )
    assert "<p>Left out 3 of 9</p>" in page
    assert "a.csv: <code>" in page
    assert "b.csv: <code>" in page
