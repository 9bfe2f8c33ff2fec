"""`ordinate cluster`: tables, pictures and a report of clusters."""

from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.cli.cluster import ClusterReport, describe_clusters


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
    assert run.json["kernel"] == kernel.upper()
    assert [found["size"] for found in run.json["clusters"]] == [3, 3]
    assert run.json["n_answers"] == 60


def test_table_on_the_screen_and_report_beside_it(ordinate, two_groups):
    run = ordinate("cluster", two_groups, "-k", 2)
    assert run.out.splitlines()[0] == '"object","cluster"'
    assert len(run.out.splitlines()) == 7
    assert run.err.startswith("2 clusters by kmeans with K1: 60 triplets about 6 objects in")
    assert "Bergen" in run.err


@pytest.mark.parametrize("by", ["kmeans", "tree"])
def test_writes_table_and_picture(ordinate, two_groups, tmp_path, by):
    table, picture = tmp_path / "clusters.tsv", tmp_path / "clusters.svg"
    run = ordinate("cluster", two_groups, "-k", 2, "--by", by, "-o", table, "--plot", picture)
    assert run.code == 0
    assert "Oslo" in table.read_text()
    assert "Oslo" in picture.read_text()
    assert run.out.splitlines()[-1] == f"Wrote {table} and {picture}"


def test_a_page_shows_the_map_and_no_tree(ordinate, two_groups, tmp_path):
    page = tmp_path / "clusters.html"
    assert ordinate("cluster", two_groups, "-k", 2, "--plot", page).code == 0
    assert page.read_bytes().startswith(b"<!doctype html>")
    run = ordinate("cluster", two_groups, "-k", 2, "--by", "tree", "--plot", page)
    assert run.code == 1
    assert "or use --by kmeans" in run.err


def test_seed_repeats_the_clusters(ordinate, answers):
    runs = [ordinate("cluster", answers, "-k", 4, "--seed", seed) for seed in (3, 3)]
    assert runs[0].out == runs[1].out


@pytest.mark.parametrize("by", ["kmeans", "tree"])
def test_more_clusters_than_objects_are_refused(ordinate, answers, by):
    run = ordinate("cluster", answers, "-k", 13, "--by", by)
    assert run.code == 1
    assert "<= 12; got 13" in run.err


def test_the_number_of_clusters_is_required(ordinate, answers):
    assert ordinate("cluster", answers).code == 2


@pytest.fixture(scope="module")
def kernel():
    points = np.random.default_rng(0).standard_normal((12, 2))
    return od.K1().fit(od.sources.all_triplets(points))


def test_the_first_member_is_the_medoid(kernel):
    labels = np.arange(12) % 2
    for found in describe_clusters(kernel, labels):
        members = np.flatnonzero(labels == found.number)
        assert found.size == 6
        assert sorted(map(int, found.members)) == members.tolist()
        assert found.medoid == str(od.kernels.kernel_medoid(kernel, members))


def test_long_clusters_are_cut_short_in_text_only(kernel):
    [found] = describe_clusters(kernel, np.zeros(12, dtype=int))
    assert str(found).endswith(found.members[-1])
    many = replace(found, members=found.members * 20, size=240)
    assert str(many).endswith(", …")
    assert len(str(many)) < 100


def test_objects_without_data_are_mentioned(kernel):
    report = ClusterReport(
        kernel="K1",
        by="tree",
        seed=0,
        n_answers=1000,
        n_objects=12,
        clusters=describe_clusters(kernel, np.zeros(12, dtype=int)),
        without_data=(3, 4),
        seconds=0.25,
        files=(),
    )
    assert str(report).startswith("1 clusters by tree with K1: 1,000 triplets about 12 objects")
    assert "2 objects have no data" in str(report)
    assert report.to_dict()["without_data"] == (3, 4)
