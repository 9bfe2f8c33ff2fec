"""One long name among many takes no more room than it needs, wherever names go."""

import tracemalloc
import warnings

import numpy as np
import pytest

import ordinate as od
from ordinate._checks import as_text_or_numbers, is_text
from ordinate.io.coordinates import object_column, write_coordinates

N = 3000
NAMES = [f"o{number}" for number in range(N)]
NAMES[7] = "x" * 20_000  # as NumPy's text, each array of names would take 240 MB
ROWS = np.column_stack([np.arange(N), np.roll(np.arange(N), 1), np.roll(np.arange(N), 2)])
SPOKEN = {key: [NAMES[i] for i in ROWS[:, at]] for at, key in enumerate(("anchor", "near", "far"))}


def written_and_read(ending):
    def run(folder):
        record = od.Comparisons(ROWS, names=NAMES, groups={"participant": NAMES})
        od.write_comparisons(record, folder / f"answers.{ending}")
        again = od.read_comparisons(folder / f"answers.{ending}")
        assert set(again.names) == set(NAMES)
        assert again.groups["participant"].tolist() == NAMES

    return run


WAYS = {
    "npz": written_and_read("npz"),
    "parquet": written_and_read("parquet"),
    "csv": written_and_read("csv"),
    "coordinates": lambda folder: write_coordinates(ROWS, folder / "map.npz", NAMES),
    "frame": lambda folder: od.read_comparisons(SPOKEN),
    "ratings": lambda folder: od.read_ratings(
        {"user": SPOKEN["anchor"], "item": SPOKEN["near"], "rating": np.arange(N) % 5}
    ),
    "trials": lambda folder: od.sources.from_odd_one_out(
        list(zip(*SPOKEN.values(), strict=True)), SPOKEN["far"]
    ),
    "rankings": lambda folder: od.sources.from_rankings(
        SPOKEN["anchor"], list(zip(SPOKEN["near"], SPOKEN["far"], strict=True))
    ),
    "folds": lambda folder: od.selection.split_folds(
        od.Comparisons(ROWS, groups={"participant": NAMES}), 2, by="participant", random_state=0
    ),
    "clusters": lambda folder: object_column(N, NAMES),
    "labels": lambda folder: as_text_or_numbers(NAMES),
}


@pytest.mark.parametrize("way", WAYS)
def test_room_follows_the_names(way, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        WAYS[way](tmp_path)  # what is loaded and compiled the first time does not count
        tracemalloc.start()
        WAYS[way](tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 60e6


def test_usual_names_are_text_of_numpy():
    assert as_text_or_numbers(["a", "bc"]).dtype == "<U2"
    assert as_text_or_numbers([["a", "b"], ["c", "d"]]).shape == (2, 2)
    assert as_text_or_numbers(np.array(["a", "b"], dtype=object)).dtype == "<U1"
    assert as_text_or_numbers(["a", 1]).tolist() == ["a", "1"]
    assert is_text(as_text_or_numbers(NAMES))
    assert not is_text(np.array(["a", 1], dtype=object))
