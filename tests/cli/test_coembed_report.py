"""The report of `ordinate coembed`: figures and advice."""

from dataclasses import replace
from pathlib import Path

import pytest

from ordinate.cli._coembed_report import CoembedReport
from ordinate.metrics._coe_report import CoembeddingReport, NeighborAverage, TripleAccuracy
from ordinate.ratings.description import RatingsDescription


@pytest.fixture
def report():
    return CoembedReport(
        description=RatingsDescription(100, 10, 20, 1, 5, 300, 200, 0, 0),
        accuracy=CoembeddingReport(
            TripleAccuracy(0.8, 0.7, 0.6),
            TripleAccuracy(0.7, 0.6, 0.6),
            TripleAccuracy(0.65, 0.6, 0.6),
            (NeighborAverage(1, 4.5, 4.0),),
        ),
        dimension=2,
        seed=0,
        seconds=1.5,
        files=(Path("map/users.csv"),),
    )


def test_good_maps_need_no_advice(report):
    text = str(report)
    assert text.startswith("COE in 2 dimensions in 1.5 s\n")
    assert "→" not in text
    assert text.endswith("Wrote map/users.csv")
    assert report.to_dict()["prediction"]["h_mean"] == pytest.approx(2 * 0.7 * 0.6 / 1.3)


def test_poor_maps_and_silent_users_get_advice(report):
    poor = replace(
        report,
        accuracy=replace(report.accuracy, unseen=TripleAccuracy(0.5, 0.5, 0.5)),
        description=replace(report.description, users_without_triples=3),
    )
    assert "do not rely on it" in str(poor)
    assert "--min-per-user 2" in str(poor)
