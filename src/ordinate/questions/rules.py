"""Rules that say which of many candidates to ask, each a small function of drawn maps.

A new rule is one function and one row of RULES.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from ordinate.comparisons.record import Comparisons
from ordinate.questions.model import MapDraws
from ordinate.questions.tasks import Items, Task

Floats: TypeAlias = NDArray[np.float64]

_PLACES = 200
"""Places that the anchor of a question might have, in a large set of objects."""
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Candidates:
    """What a rule chooses from.

    Attributes
    ----------
    task : Task
        What is asked.
    items : ndarray of int, shape (n_candidates, n_items)
        The questions.
    out : ndarray of int, shape (n_out, n_items)
        Questions that were asked and are not answered yet.
    answers : Comparisons
        The answers so far.
    maps : MapDraws
        What they leave open.
    """

    task: Task
    items: Items
    out: Items
    answers: Comparisons
    maps: MapDraws


class Choice(NamedTuple):
    """Which candidates to ask, the best first, and what each of them was worth."""

    chosen: NDArray[np.intp]
    scores: Floats


def posterior(candidates: Candidates, size: int) -> Choice:
    """Choose a batch that tells most about all margins together.

    Greedy D-optimal design: the draws have a covariance of margins; a question measures its
    margins with the precision of its answer; the one with the largest gain log det(I + LᵀVL) is
    taken, all draws are conditioned on having asked it, and so on. Questions that are out are
    conditioned on first.

    Parameters
    ----------
    candidates : Candidates
        What to choose from.
    size : int
        How many.

    Returns
    -------
    Choice
        Scores are gains of information, in nats.
    """
    n_out = len(candidates.out)
    items = np.concatenate([candidates.out, candidates.items])
    design = MarginDesign(measured_margins(candidates.task, items, candidates.maps))
    for question in range(n_out):
        design.ask(question)
    chosen = np.empty(size, dtype=np.intp)
    scores = np.empty(size)
    free = np.ones(len(items), dtype=bool)
    free[:n_out] = False
    for rank in range(size):
        gains = np.where(free, design.gains(), -1.0)
        best = int(np.argmax(gains))
        chosen[rank], scores[rank] = best - n_out, gains[best]
        free[best] = False
        design.ask(best)
    return Choice(chosen, scores)


def measured_margins(task: Task, items: Items, maps: MapDraws) -> Floats:
    """Return margins of all draws in units of the noise with which an answer measures them.

    Parameters
    ----------
    task : Task
        What is asked.
    items : ndarray of int, shape (n_questions, n_items)
        The questions.
    maps : MapDraws
        Draws of the map.

    Returns
    -------
    ndarray of float, shape (n_questions, n_choices - 1, n_draws)
        Their inner products over draws are the covariances of what answers measure.
    """
    margins = task.margins(items, maps.draws)
    chances = task.probabilities(margins).mean(axis=2)
    margins -= margins.mean(axis=2, keepdims=True)
    margins /= np.sqrt(margins.shape[2] - 1)
    factor = task.information(chances, maps.lapse)
    if factor.shape[1] == 1:
        return factor * margins
    return np.asarray(np.einsum("qij,qis->qjs", factor, margins))


class MarginDesign:
    """What answers would measure, given the questions that were asked.

    Parameters
    ----------
    measured : ndarray of float, shape (n_questions, n_choices - 1, n_draws)
        As `measured_margins` returns them.

    Attributes
    ----------
    covariances : ndarray of float, shape (n_questions, n_choices - 1, n_choices - 1)
        Of the measured margins of each question, in units of their noise.
    """

    def __init__(self, measured: Floats) -> None:
        self._measured = measured
        self._remaining = np.eye(measured.shape[2])
        self.covariances: Floats = np.einsum("qis,qjs->qij", measured, measured)

    def gains(self) -> Floats:
        """Return log det(I + V) of each question, V the covariance of its measured margins."""
        if self.covariances.shape[1] == 1:
            return np.asarray(np.log1p(self.covariances[:, 0, 0]))
        width = self.covariances.shape[1]
        return np.asarray(np.linalg.slogdet(np.eye(width) + self.covariances)[1])

    def ask(self, question: int) -> None:
        """Condition on a question having been asked, whatever the answer.

        A margin with variance v, measured with unit noise, takes c cᵀ / (1 + v) from the
        covariance, where c are the covariances with it: a downdate of rank one. Margins of one
        question follow each other, because their noises are independent.

        Parameters
        ----------
        question : int
            Which one.
        """
        for margin in self._measured[question]:
            direction = self._remaining @ margin
            noise = 1 + float(margin @ direction)
            shared = self._measured @ direction
            self.covariances -= shared[:, :, None] * shared[:, None] / noise
            self._remaining -= np.outer(direction, direction) / noise


def ckl(candidates: Candidates, size: int) -> Choice:
    """Choose by the information about the anchor's place, on one map.

    The anchor may be at the place of any object; its answers so far say how likely each place is.
    The gain is H(E p) − E H(p) over places (Tamuz et al., ICML 2011). Questions are judged one by
    one, and the anchor's place is all that a question is thought to tell about.

    Parameters
    ----------
    candidates : Candidates
        What to choose from; triplets.
    size : int
        How many.

    Returns
    -------
    Choice
        Scores are gains in nats.
    """
    points, lapse = candidates.maps.mode, candidates.maps.lapse
    rows = candidates.answers.rows
    places = points[:: -(-len(points) // _PLACES)]
    squares = ((places[None] - points[:, None]) ** 2).sum(axis=2)

    def chances(pairs: Items) -> Floats:
        """Return how likely "the first" is for an anchor at each place."""
        margins = squares[pairs[:, 1]] - squares[pairs[:, 0]]
        return np.asarray(np.clip(lapse / 2 + (1 - lapse) * expit(margins), _TINY, 1 - _TINY))

    gains = np.empty(len(candidates.items))
    for anchor in np.unique(candidates.items[:, 0]):
        own = rows[rows[:, 0] == anchor]
        log_likelihood = np.log(chances(own[:, 1:])).sum(axis=0)
        weights = np.exp(log_likelihood - log_likelihood.max())
        weights /= weights.sum()
        mine = candidates.items[:, 0] == anchor
        first = chances(candidates.items[mine, 1:])
        gains[mine] = _entropy(first @ weights) - _entropy(first) @ weights
    chosen = np.argsort(-gains, kind="stable")[:size]
    return Choice(chosen, gains[chosen])


def uncertainty(candidates: Candidates, size: int) -> Choice:
    """Choose where the most likely map is least sure: a baseline that loses.

    Parameters
    ----------
    candidates : Candidates
        What to choose from.
    size : int
        How many.

    Returns
    -------
    Choice
        Scores are minus the smallest gap between two choices.
    """
    margins = candidates.task.margins(candidates.items, candidates.maps.mode[None])[:, :, 0]
    utilities = np.sort(np.pad(margins, ((0, 0), (0, 1))), axis=1)
    gaps = utilities[:, -1] - utilities[:, -2]
    chosen = np.argsort(gaps, kind="stable")[:size]
    return Choice(chosen, -gaps[chosen])


def _entropy(chance: Floats) -> Floats:
    return np.asarray(entr(chance) + entr(1 - chance))


Rule: TypeAlias = Callable[[Candidates, int], Choice]

RULES: dict[str, Rule | None] = {
    "random": None,
    "landmarks": None,
    "ckl": ckl,
    "posterior": posterior,
    "uncertainty": uncertainty,
}
"""Rules by name; those without a function need no map."""
