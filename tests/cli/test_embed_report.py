"""The report of `ordinate embed`: what it says, and what it advises."""

from pathlib import Path

import pytest

import ordinate as od
from ordinate.cli._embed_report import EmbedReport
from ordinate.comparisons.description import times_what_is_needed
from ordinate.selection import HeldOutError


def report(rows, n_objects=None, *, held_out=None, **more):
    figures = {
        "method": "SOE",
        "dimension": 2,
        "choice": None,
        "seed": 0,
        "train_error": 0.0,
        "seconds": 0.1,
    }
    description = od.Comparisons(rows, n_objects=n_objects).describe()
    return EmbedReport(
        description=description, held_out=held_out, files=more.pop("files", ()), **figures | more
    )


def held_out(error, by=None):
    return HeldOutError(error, error / 2, error + 0.1, 8, 5, by)


PLENTY = [[a, b, c] for a in range(4) for b in range(4) for c in range(b) if a not in (b, c)]


def test_errors_are_shares_with_what_they_were_counted_on():
    text = str(report(PLENTY, held_out=held_out(0.125, None), train_error=0.25))
    assert "held-out error     12.5% (6.2% to 22.5%) of 8 answers" in text
    assert "training error     25.0% of all answers" in text


def test_how_many_answers_there_are_is_said_in_words():
    assert "enough answers     few: 75% of the distinct answers that a map takes" in str(
        report(PLENTY)
    )
    assert times_what_is_needed(290.4) == "290 times the distinct answers that a map takes"
    assert times_what_is_needed(1.2) == "about the distinct answers that a map takes"


def test_whole_groups_are_mentioned():
    assert "whole groups of trial" in str(report(PLENTY, held_out=held_out(0.1, "trial")))


def test_without_held_out_answers_nothing_is_claimed():
    assert "held-out error     not measured" in str(report(PLENTY))
    assert report(PLENTY).to_dict()["held_out_error"] is None


def test_files_are_named_last():
    files = (Path("map.csv"), Path("map.png"))
    assert str(report(PLENTY, files=files)).endswith("\nWrote map.csv and map.png")


@pytest.mark.parametrize(
    ("more", "advice"),
    [
        ({"rows": [[0, 1, 2]], "n_objects": 4}, "→ Objects never compared"),
        ({"rows": [[0, 1, 2], [3, 4, 5]]}, "→ The answers fall into 2 unconnected parts"),
        ({"rows": [[0, 1, 2]]}, "→ Collect about 9 more distinct answers."),
        ({"rows": PLENTY, "held_out": held_out(0.45, None)}, "→ The map hardly predicts"),
    ],
)
def test_advice_is_given_where_something_can_be_done(more, advice):
    assert advice in str(report(**more))


def test_a_lower_dimension_is_proposed_where_it_would_do():
    assert "or use --dim 1." in str(report(PLENTY, dimension=3))


def test_no_advice_where_all_is_well():
    assert "→" not in str(report(PLENTY, held_out=held_out(0.1, None), dimension=1))


def test_error_of_zero_is_not_taken_for_no_error():
    assert report(PLENTY, held_out=held_out(0.0, None)).to_dict()["held_out_error"] == 0.0
