"""The report of `ordinate cluster`: who is in a cluster, the most typical first."""

from dataclasses import replace

import numpy as np
import pytest

import ordinate as od
from ordinate.cli._cluster_report import ClusterReport, describe_clusters


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
