"""How people are spread about the map they share, learned from their answers.

The logarithms of a person's weights are M_p = a_p + L_p: a sharpness of all axes together,
a ~ N(0, σ²), and what is each axis' own, L ~ N(0, τ²). Written with z ~ N(0, I), M = B z, where B
has the deviation τ in directions that weigh axes against one another and √(τ² + d σ²) in the one
that they share. The logit of the lapse rate is μ + z.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from ordinate.people.objective import Answers, PeopleObjective
from ordinate.solvers.stopping import Points

Floats = NDArray[np.float64]

SMALLEST_DEVIATION, _LARGEST_DEVIATION = 1e-3, 3.0
"""Bounds of τ and of the spread of sharpness; logarithms of weights beyond are 0 or endless."""
_FIRST_DEVIATION = 0.5
_FIRST_LAPSE = 0.03
_FIRST_ANSWERS = 4.0
"""As many people's weight has the first guess of the mean lapse rate."""


@dataclass(frozen=True)
class Population:
    """The distribution that the people of a study come from.

    Attributes
    ----------
    tau : float
        Standard deviation of the logarithms of weights, on each axis.
    shared : float
        Standard deviation of the mean over axes of the logarithms, which is √(τ²/d + σ²).
    lapse_logit : float
        Mean of log(ℓ / (1 − ℓ)).
    has_sharpness : bool
        Whether people are unlike in sharpness too; else σ is 0.

    Examples
    --------
    >>> from ordinate.people.population import Population
    >>> round(Population(tau=0.6, shared=0.5).sigma(2), 3)
    0.265
    """

    tau: float = _FIRST_DEVIATION
    shared: float = _FIRST_DEVIATION
    lapse_logit: float = float(logit(_FIRST_LAPSE))
    has_sharpness: bool = True

    @classmethod
    def with_tau(cls, tau: float, dimension: int, *, has_sharpness: bool) -> Population:
        """Return a first guess with this τ, of people who are unlike in sharpness or are not."""
        shared = tau / np.sqrt(dimension)
        if has_sharpness:
            shared = max(shared, _FIRST_DEVIATION)
        return cls(float(tau), float(shared), has_sharpness=has_sharpness)

    def sigma(self, dimension: int) -> float:
        """Return the standard deviation of the logarithm of sharpness."""
        return float(np.sqrt(max(self.shared**2 - self.tau**2 / dimension, 0.0)))

    def log_weights(self, z: Floats) -> Floats:
        """Return B z for every person, of shape (n_people, n_components); it is symmetric."""
        mean = z.mean(axis=1, keepdims=True)
        scaled: Floats = self.tau * (z - mean) + self._shared_scale(z.shape[1]) * mean
        return scaled

    def standardized(self, log_weights: Floats) -> Floats:
        """Return the z of these logarithms of weights; 0 in directions without any spread."""
        mean = log_weights.mean(axis=1, keepdims=True)
        apart, together = self.tau, self._shared_scale(log_weights.shape[1])
        z = np.zeros_like(log_weights)
        if apart > 0:
            z += (log_weights - mean) / apart
        if together > 0:
            z += mean / together
        return z

    def sharpness(self, log_weights: Floats) -> Floats:
        """Return what is expected of a_p, given everybody's M."""
        dimension = log_weights.shape[1]
        part = self.sigma(dimension) ** 2 / max(self.shared**2, 1e-300)
        expected: Floats = part * log_weights.mean(axis=1)
        return expected

    def learned(
        self, z: Floats, lapse_logits: Floats, information: Floats, *, learn_tau: bool
    ) -> Population:
        """Return the population in which these people are most probable.

        MacKay's fixed point of the evidence in Laplace's approximation: a squared deviation is the
        sum of squares divided by how many of the z the answers determine.

        Parameters
        ----------
        z : ndarray of shape (n_people, n_components)
            Where everybody is.
        lapse_logits : ndarray of shape (n_people,)
            And how often they lapse.
        information : ndarray of shape (n_people, n_components + 1, n_components + 1)
            Fisher's information about log weights and lapse logits.
        learn_tau : bool
            Whether τ is learned; else it stays.

        Returns
        -------
        Population
            With new deviations and a new mean lapse rate.
        """
        n_people, dimension = z.shape
        basis = np.eye(dimension + 1)
        basis[:dimension, :dimension] = self.log_weights(np.eye(dimension))
        precision = basis @ information @ basis + np.eye(dimension + 1)
        covariance = np.linalg.inv(precision)[:, :dimension, :dimension]
        mean2 = dimension * np.square(z.mean(axis=1))
        mean_variance = covariance.sum(axis=(1, 2)) / dimension
        variance = np.trace(covariance, axis1=1, axis2=2) - mean_variance
        apart = np.square(z).sum() - mean2.sum(), n_people * (dimension - 1) - variance.sum()
        together = mean2.sum(), n_people - mean_variance.sum()
        if not self.has_sharpness:
            apart = apart[0] + together[0], apart[1] + together[1]
        tau = _deviation(self.tau, *apart) if learn_tau else self.tau
        shared = tau / np.sqrt(dimension)
        if self.has_sharpness:
            shared = max(shared, _deviation(self.shared, *together))
        guesses = _FIRST_ANSWERS * float(logit(_FIRST_LAPSE))
        mean_logit = (lapse_logits.sum() + guesses) / (n_people + _FIRST_ANSWERS)
        return replace(self, tau=tau, shared=float(shared), lapse_logit=float(mean_logit))

    def _shared_scale(self, dimension: int) -> float:
        return float(self.shared * np.sqrt(dimension))

    def has_converged(self, before: Population, tolerance: float = 0.03) -> bool:
        """Say whether deviations changed by less than a small share of themselves."""
        return all(
            abs(new - old) <= tolerance * old + SMALLEST_DEVIATION
            for new, old in ((self.tau, before.tau), (self.shared, before.shared))
        )


def _deviation(before: float, sum_of_squares: float, determined: float) -> float:
    after = before * np.sqrt(sum_of_squares / max(determined, 1e-9))
    return float(np.clip(after, SMALLEST_DEVIATION, _LARGEST_DEVIATION))


def fisher_information(
    answers: Answers, people: NDArray[np.intp], counts: Floats | None, n_people: int
) -> Floats:
    """Add up what the answers tell about log weights and lapse logits of those who gave them.

    An answer of probability p = e^−v whose derivative is g tells g gᵀ p / (1 − p) on average over
    both answers to its question.

    Parameters
    ----------
    answers : Answers
        Losses and derivatives.
    people : ndarray of int, shape (n_answers,)
        Who gave each.
    counts : ndarray of float, shape (n_answers,), or None
        How much each counts.
    n_people : int
        How many people there are.

    Returns
    -------
    ndarray of shape (n_people, n_derivatives, n_derivatives)
        One matrix per person.
    """
    odds = 1.0 / np.expm1(np.maximum(answers.value, 1e-12))
    if counts is not None:
        odds = odds * counts
    return sums_of_products(people, n_people, odds, answers.personal)


def sums_of_products(
    people: NDArray[np.intp], n_people: int, weights: Floats, vectors: Floats
) -> Floats:
    """Add up w v vᵀ over the answers of each person.

    Parameters
    ----------
    people : ndarray of int, shape (n_answers,)
        Who gave each answer.
    n_people : int
        How many people there are.
    weights : ndarray of shape (n_answers,)
        w of each answer.
    vectors : ndarray of shape (n_answers, size)
        v of each answer.

    Returns
    -------
    ndarray of shape (n_people, size, size)
        Symmetric matrices.
    """
    size = vectors.shape[1]
    total = np.empty((n_people, size, size))
    for row in range(size):
        for column in range(row + 1):
            products = weights * vectors[:, row] * vectors[:, column]
            total[:, row, column] = np.bincount(people, products, minlength=n_people)
            total[:, column, row] = total[:, row, column]
    return total


def differences_scores(
    objective: PeopleObjective, points: Points, n_people: int
) -> tuple[float, float]:
    """Test whether people weigh the axes of a pooled map differently, and are unlike in sharpness.

    Score tests of variances that are zero: where everybody has the same weights, squares of
    people's derivatives in their own weights are Fisher's information on average.

    Parameters
    ----------
    objective : PeopleObjective
        The answers and their loss.
    points : ndarray of shape (n_objects, n_components)
        A map of all answers.
    n_people : int
        How many people there are.

    Returns
    -------
    weights, sharpness : float
        By how many standard deviations the squares are larger, in directions that weigh axes
        against one another and in the one that they share.
    """
    dimension = points.shape[1]
    answers = objective.answers_if_alike(points, n_people)
    counts = objective.comparisons.weights
    information = fisher_information(answers, objective.people, counts, n_people)
    weigh: Floats = np.ones(len(answers.value)) if counts is None else counts
    gradient = np.empty((n_people, dimension))
    for axis in range(dimension):
        of_answers = weigh * answers.personal[:, axis]
        gradient[:, axis] = np.bincount(objective.people, of_answers, minlength=n_people)
    shared = np.full((dimension, dimension), 1.0 / dimension)
    information = information[:, :dimension, :dimension]
    return (
        _excess(gradient, information, np.eye(dimension) - shared),
        _excess(gradient, information, shared),
    )


def _excess(gradient: Floats, information: Floats, projection: Floats) -> float:
    """Return by how many deviations squares of gradients exceed what information expects."""
    expected = projection @ information @ projection
    excess = np.square(gradient @ projection).sum() - np.trace(expected, axis1=1, axis2=2).sum()
    deviation = np.sqrt(2.0 * np.square(expected).sum())
    return float(excess / deviation) if deviation > 0 else 0.0


def lapses_score(costs: Floats, counts: Floats | None) -> float:
    """Test whether some answers were given by coin.

    The likelihood-ratio test of ℓ = 0 in the model ℓ/2 + (1 − ℓ) σ(s m), m the log-odds that the
    fit gives an answer. The sharpness s is free, for a fit without lapses takes them for bluntness.

    Parameters
    ----------
    costs : ndarray of shape (n_answers,)
        −log of the probability of every answer in a fit without lapses.
    counts : ndarray of shape (n_answers,) or None
        How much each counts.

    Returns
    -------
    float
        The root of twice the log-likelihood ratio: standard deviations, for many answers.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.people.population import lapses_score
    >>> as_sure_as_right = np.repeat(-np.log([0.9, 0.1]), [90, 10])
    >>> round(lapses_score(as_sure_as_right, None), 2)
    0.0
    >>> clear_and_close = np.repeat(-np.log([0.999, 0.001, 0.8, 0.2]), [95, 5, 80, 20])
    >>> lapses_score(clear_and_close, None) > 3
    True
    """
    odds = -np.log(np.expm1(np.maximum(costs, 1e-12)))
    weigh = np.ones(len(costs)) if counts is None else counts

    def cost(parameters: Floats) -> tuple[float, Floats]:
        sharper = np.exp(parameters[0]) * odds
        lapse = expit(parameters[1]) if len(parameters) > 1 else 0.0
        meant = expit(sharper)
        given = np.maximum(0.5 * lapse + (1.0 - lapse) * meant, 1e-300)
        on_sharpness = (1.0 - lapse) * meant * expit(-sharper) * sharper / given
        on_lapse = lapse * (1.0 - lapse) * (0.5 - meant) / given
        gradient = np.array([-(weigh @ on_sharpness), -(weigh @ on_lapse)])
        return -float(weigh @ np.log(given)), gradient[: len(parameters)]

    def lowest(start: list[float]) -> float:
        bounds = [(-3.0, 3.0), (-12.0, 0.0)][: len(start)]
        found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return float(found.fun)

    ratio = lowest([0.0]) - lowest([0.0, float(logit(_FIRST_LAPSE))])
    return float(np.sqrt(2.0 * max(ratio, 0.0)))
