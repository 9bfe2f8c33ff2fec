"""`ordinate datasets`: the catalogue, as text or JSON."""

from dataclasses import asdict

import ordinate as od


def test_json_is_the_catalogue(ordinate, tmp_path):
    run = ordinate("datasets", "--data-home", tmp_path, "--json")
    assert run.json["datasets"] == [asdict(e) for e in od.datasets.catalogue(tmp_path)]


def test_table_names_every_loader_and_says_what_is_here(ordinate, tmp_path):
    run = ordinate("datasets", "--data-home", tmp_path)
    assert run.code == 0
    lines = run.out.splitlines()
    for entry in od.datasets.catalogue(tmp_path):
        line = next(line for line in lines if entry.loader in line.split())
        assert line.split()[0] == ("yes" if entry.present else "no")
