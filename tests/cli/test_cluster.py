"""`ordinate cluster`: tables, pictures and a report of clusters."""

from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.selection import Clusters

K1 = ["--kernel", "K1"]


@pytest.fixture
def two_groups(tmp_path):
    """Answers about six cities, three of them far from the other three."""
    names = ["Oslo", "Bergen", "Malmö", "Rome", "Naples", "Milan"]
    points = np.array([[0, 0], [1, 0.5], [0.4, 1.2], [30, 30], [31, 30.3], [29.5, 31.4]])
    record = od.sources.all_triplets(points)
    path = tmp_path / "answers.csv"
    od.write_comparisons(od.Comparisons(record.rows, names=names), path)
    return path


@pytest.mark.parametrize("kernel", ["K1", "k2"])
@pytest.mark.parametrize("by", ["kmeans", "tree"])
def test_finds_the_groups(ordinate, two_groups, kernel, by):
    run = ordinate("cluster", two_groups, "--k", 2, "--kernel", kernel, "--by", by, "--json")
    assert run.code == 0
    cluster = dict(zip(run.json["labels"]["object"], run.json["labels"]["cluster"], strict=True))
    north = {cluster[name] for name in ("Oslo", "Bergen", "Malmö")}
    south = {cluster[name] for name in ("Rome", "Naples", "Milan")}
    assert len(north) == len(south) == 1
    assert north != south
    assert run.json["space"] == kernel.upper()
    assert run.json["errors"] == {}
    assert [found["size"] for found in run.json["clusters"]] == [3, 3]
    assert run.json["n_answers"] == 60


def test_table_on_the_screen_and_report_beside_it(ordinate, two_groups):
    run = ordinate("cluster", two_groups, "-k", 2, *K1)
    assert run.out.splitlines()[0] == '"object","cluster"'
    assert len(run.out.splitlines()) == 7
    assert "2 clusters by k-means on K1: 60 answers about 6 objects" in run.err
    assert "Bergen" in run.err


def test_the_map_is_clustered_unless_a_kernel_predicts_better(ordinate, two_groups, monkeypatch):
    monkeypatch.setattr("ordinate.selection._compare.USUAL_METHODS", ("STE",))
    run = ordinate("cluster", two_groups, "--json")
    assert run.code == 0
    errors = run.json["errors"]
    assert set(errors) >= {"K1", "K2"}
    assert errors[run.json["space"]] == min(errors.values())
    assert f"{run.json['space']} has the lowest held-out error" in run.json["reasons"][0]
    assert set(run.json["stability"]) == {"2", "3"}
    assert [found["size"] for found in run.json["clusters"]] == [3, 3]


@pytest.mark.parametrize("by", ["kmeans", "tree"])
def test_writes_table_and_picture(ordinate, two_groups, tmp_path, by):
    table, picture = tmp_path / "clusters.tsv", tmp_path / "clusters.svg"
    run = ordinate("cluster", two_groups, "-k", 2, *K1, "--by", by, "-o", table, "--plot", picture)
    assert run.code == 0
    assert "Oslo" in table.read_text()
    assert "Oslo" in picture.read_text()
    assert run.out.splitlines()[-1] == f"Wrote {table} and {picture}"


def test_a_page_shows_the_map_and_no_tree(ordinate, two_groups, tmp_path):
    page = tmp_path / "clusters.html"
    assert ordinate("cluster", two_groups, "-k", 2, *K1, "--plot", page).code == 0
    assert page.read_bytes().startswith(b"<!doctype html>")
    run = ordinate("cluster", two_groups, "-k", 2, "--by", "tree", "--plot", page)
    assert run.code == 1
    assert "or use --by kmeans" in run.err


def test_seed_repeats_the_clusters(ordinate, answers):
    runs = [ordinate("cluster", answers, "-k", 4, *K1, "--seed", seed) for seed in (3, 3)]
    assert runs[0].out == runs[1].out


@pytest.mark.parametrize("by", ["kmeans", "tree"])
def test_more_clusters_than_objects_are_refused(ordinate, answers, by):
    run = ordinate("cluster", answers, "-k", 13, "--by", by)
    assert run.code == 1
    assert "<= 12; got 13" in run.err


def one_cluster(kernel):
    return Clusters(np.zeros(12, dtype=np.int32), "K1", kernel)


@pytest.fixture(scope="module")
def kernel():
    points = np.random.default_rng(0).standard_normal((12, 2))
    return od.K1().fit(od.sources.all_triplets(points))


def test_the_first_member_is_the_medoid(kernel):
    labels = np.arange(12, dtype=np.int32) % 2
    for found in Clusters(labels, "K1", kernel).to_dict()["clusters"]:
        members = np.flatnonzero(labels == found["number"])
        assert found["size"] == 6
        assert sorted(map(int, found["members"])) == members.tolist()
        assert found["medoid"] == str(od.kernels.kernel_medoid(kernel, members))


def test_long_clusters_are_cut_short_in_text_only(kernel):
    assert str(one_cluster(kernel)).count(", ") == 11
    long = replace(one_cluster(kernel), names=[f"object {number:010}" for number in range(12)])
    assert str(long).endswith(" …")
    assert len(str(long).splitlines()[-1]) < 100
    assert len(long.to_dict()["clusters"][0]["members"]) == 12


def test_objects_without_data_are_mentioned(kernel):
    found = replace(one_cluster(kernel), without_data=(3, 4), n_answers=1000)
    assert str(found).startswith("1 clusters by k-means on K1: 1,000 answers about 12 objects")
    assert "2 objects have no data" in str(found)
    assert found.to_dict()["without_data"] == [3, 4]


def test_clusters_come_as_a_frame(kernel):
    frame = replace(one_cluster(kernel), names=[f"o{number}" for number in range(12)]).to_frame()
    assert frame.loc["o3", "cluster"] == 0
