"""Mixtures of maps: an answer that counts twice is two answers."""

import numpy as np
import pytest

import ordinate as od
from ordinate.people.mixture import MapMixture
from ordinate.people.objective import PeopleObjective
from ordinate.people.population import fisher_information

RNG = np.random.default_rng(0)
ROWS = np.argsort(RNG.random((40, 6)), axis=1)[:, :3]
PEOPLE = np.arange(40) % 4
TWICE = np.arange(40) < 15
WEIGHTED = od.Comparisons(ROWS, weights=1.0 + TWICE)
REPEATED = od.Comparisons(np.vstack([ROWS, ROWS[TWICE]]))
REPEATED_PEOPLE = np.concatenate([PEOPLE, PEOPLE[TWICE]])


def test_weights_count_in_memberships_and_in_fits():
    maps = RNG.standard_normal((2, 6, 2))
    weighted = MapMixture(WEIGHTED, PEOPLE, od.losses.ste, [], list(maps))
    repeated = MapMixture(REPEATED, REPEATED_PEOPLE, od.losses.ste, [], list(maps))
    np.testing.assert_allclose(weighted.memberships(), repeated.memberships())
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood)
    for mixture, people in ((weighted, PEOPLE), (repeated, REPEATED_PEOPLE)):
        mixture.move_maps(mixture.memberships()[people], n_steps=2)
    np.testing.assert_allclose(weighted.maps, repeated.maps, rtol=1e-6)


def test_weights_count_in_the_information_about_people():
    x = RNG.standard_normal((6, 2)), 0.3 * RNG.standard_normal((4, 2)), np.full(4, -2.0)
    found = [
        fisher_information(
            PeopleObjective(record, people, od.losses.ste, [], True).answers(*x),
            people, record.weights, 4,
        )
        for record, people in ((WEIGHTED, PEOPLE), (REPEATED, REPEATED_PEOPLE))
    ]  # fmt: skip
    np.testing.assert_allclose(*found)
