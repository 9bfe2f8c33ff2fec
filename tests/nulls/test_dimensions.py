"""SparseDimensions on answers without dimensions: none is claimed."""

import warnings

import numpy as np
import pytest

import ordinate as od

N_SETS = 4


def claims(make_trials):
    """Return how many of several sets of answers are said to have dimensions."""
    found = []
    for seed in range(N_SETS):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "No dimension is supported|.*are few for")
            model = od.SparseDimensions(20, n_init=1, random_state=seed).fit(make_trials(seed))
        found.append(model.n_dimensions_)
    return np.count_nonzero(found)


@pytest.mark.usual_data
@pytest.mark.parametrize("n_trials", [1000, 5000])
def test_random_answers(n_trials):
    equal = np.zeros((40, 1))
    made = lambda seed: od.sources.random_trials(equal, n_trials, random_state=seed)  # noqa: E731
    assert claims(made) <= 1


@pytest.mark.usual_data
def test_random_answers_of_people():
    people = {"participant": np.arange(1000) % 20}

    def made(seed):
        rows = od.sources.random_trials(np.zeros((40, 1)), 1000, random_state=seed).rows
        return od.Trials(rows, groups=people)

    assert claims(made) <= 1


def test_what_one_person_sees_is_no_dimension_of_all():
    """Half of the answers are of one person with a clear view; the others guess."""
    kinds = 4 * np.repeat(np.eye(3), 8, axis=0)
    own = od.sources.random_trials(kinds, 700, random_state=0).rows
    others = od.sources.random_trials(np.zeros((24, 1)), 700, random_state=1).rows
    who = np.concatenate([np.zeros(700, int), 1 + np.arange(700) % 19])
    pooled = od.SparseDimensions(9, n_init=1, random_state=0).fit(
        od.Trials(np.vstack([own, others]))
    )
    assert pooled.n_dimensions_ == 3
    with pytest.warns(UserWarning, match="one half of the participants"):
        of_people = od.SparseDimensions(9, n_init=1, random_state=0).fit(
            od.Trials(np.vstack([own, others]), groups={"participant": who})
        )
    assert of_people.n_dimensions_ == 0
