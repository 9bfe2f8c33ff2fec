"""125 European cities, bundled: the data set of the demo."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import check_real
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons
from ordinate.datasets._about import about
from ordinate.datasets._record import Dataset
from ordinate.sources._noise import FlippedAnswers
from ordinate.sources._points import random_triplets

EARTH_RADIUS = 6371.0088
"""Mean radius of the Earth in kilometres."""

MAP_CENTRE = (52.0, 10.0)
"""Latitude and longitude of the projection's centre, as on the official maps of Europe."""

ABOUT = about("cities")


def load_cities(
    n_comparisons: int = 20_000, *, wrong: float = 0.05, random_state: RandomState = 0
) -> Dataset:
    """Load the bundled cities with answers to "is A nearer to B than to C?".

    Parameters
    ----------
    n_comparisons : int, default=20_000
        How many triplets, drawn uniformly.
    wrong : float, default=0.05
        Probability that a triplet is answered wrongly.
    random_state : int, Generator or None, default=0
        Seed of the triplets and of the wrong answers.

    Returns
    -------
    Dataset
        With `comparisons`, `points` in kilometres, `names`, `labels` (the region) and the
        attributes ``country``, ``latitude`` and ``longitude``.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> cities.names[:3]
    ('Lisbon', 'Porto', 'Faro')
    >>> cities.comparisons
    Comparisons(20000 triplets, 125 objects)
    """
    wrong = check_real("wrong", wrong, minimum=0, maximum=1)
    table = _read_table()
    latitude, longitude = table["latitude"].astype(float), table["longitude"].astype(float)
    names = tuple(table["name"].tolist())
    answers = random_triplets(
        great_circle(latitude, longitude),
        n_comparisons,
        metric="precomputed",
        noise=FlippedAnswers(wrong),
        random_state=random_state,
    )
    regions, labels = np.unique(table["region"], return_inverse=True)
    return Dataset(
        **vars(ABOUT),
        comparisons=Comparisons(answers.rows, names=names),
        points=project(latitude, longitude),
        labels=labels,
        label_names=tuple(regions.tolist()),
        names=names,
        attributes={"country": table["country"], "latitude": latitude, "longitude": longitude},
    )


def great_circle(
    latitude: NDArray[np.float64], longitude: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute the distance over the Earth's surface between all pairs of places."""
    phi, lam = np.radians(latitude), np.radians(longitude)
    haversine = (
        np.sin((phi[:, None] - phi) / 2) ** 2
        + np.cos(phi[:, None]) * np.cos(phi) * np.sin((lam[:, None] - lam) / 2) ** 2
    )
    distances: NDArray[np.float64] = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(haversine))
    return distances


def project(latitude: NDArray[np.float64], longitude: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place points of the Earth on a flat map of Europe."""
    phi, lam = np.radians(latitude), np.radians(longitude - MAP_CENTRE[1])
    centre = np.radians(MAP_CENTRE[0])
    cosine = np.sin(centre) * np.sin(phi) + np.cos(centre) * np.cos(phi) * np.cos(lam)
    scale = EARTH_RADIUS * np.sqrt(2 / (1 + cosine))
    east = np.cos(phi) * np.sin(lam)
    north = np.cos(centre) * np.sin(phi) - np.sin(centre) * np.cos(phi) * np.cos(lam)
    points: NDArray[np.float64] = scale[:, None] * np.column_stack([east, north])
    return points


def _read_table() -> dict[str, NDArray[Any]]:
    text = files("ordinate.datasets").joinpath("cities.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return dict(zip(header, np.array(rows).T, strict=True))
