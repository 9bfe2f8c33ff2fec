"""One map, on which every person weighs the axes in their own way."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from ordinate._arrays import Floats, Points
from ordinate._checks import InputError, check_choice, check_integer, check_real
from ordinate._estimator import BaseEstimator, EmbeddingMixin, Iterates
from ordinate._progress import progress
from ordinate._random import as_seed
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import Comparisons
from ordinate.people.joint_fit import JointFit
from ordinate.people.objective import PeopleObjective, differences
from ordinate.people.participants import (
    POOLED,
    WITH_PROBABILITIES,
    KnowsParticipants,
    known_people,
    participants_of,
    pooled_map,
)
from ordinate.people.score_test import SharedMap
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.new_objects import PlacesNewObjects
from ordinate.solvers.stopping import Function, warn_unless_converged, without_convergence_warnings
from ordinate.triplets.embedding import EmbeddingEstimator

_QUESTIONS = 1_000
"""Questions of the study over which everybody's reliability is averaged."""
_CANDIDATES = 50
"""Participants whose weights are tried as the start of a new one's."""


class Participant(NamedTuple):
    """How one person sees the map."""

    weights: Floats
    """Of the axes, of shape (n_components,)."""
    sharpness: float
    """Factor of all squared distances."""
    lapse_rate: float | None
    """Share of random responses; None if the loss is not a probability."""


@dataclass(eq=False, repr=False)
class WeightedSpaces(KnowsParticipants, PlacesNewObjects, EmbeddingMixin, Iterates, BaseEstimator):
    """One map for all, and for every person how much each of its axes counts.

    Person p sees the squared distances s_p Σ_k w_pk (x_ik − x_jk)² with weights w_pk > 0 of the
    axes and a sharpness s_p. Logarithms of weights are normal with the standard deviation τ, which
    is learned, so that people who gave few answers stay near the map that all share, and all of
    them have it where no differences can be seen. Weights make the axes identifiable: they may not
    be turned.

    It runs on the CPU, on answers in memory.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map, at least 2.
    loss : {"STE", "TSTE", "SOE", "TETE"}, default="STE"
        What an answer costs, as in the method of that name with its default parameters.
    tau : float or "learned", default="learned"
        Standard deviation of the logarithms of weights; at 0 all people have the same ones.
    noise : {"individual", "shared"}, default="individual"
        Whether every person has their own noise and lapse rate, where the answers
        show that people have, or all are alike and nobody lapses.
    by : str, default="participant"
        Name of the group that says who gave each answer.
    features : array-like or data frame of shape (n_objects, n_features), optional
        Features of the objects, from which the map gets a prior as in `FeatureEmbedding`; it is
        chosen by the answers of the fit. A data frame is matched by its index. Needs STE.
    max_iter : int, default=1000
        Most iterations of the solver, in every fit of the map.
    tol : float, default=1e-4
        When a fit has converged, as in `STE`.
    random_state : int, Generator or None, default=None
        Seed of the starts of the map that all share. The same seed gives the same bits, whatever
        `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The map, centred; its axes in the order of how much people differ on them.
    participants_ : ndarray of shape (n_participants,)
        Labels of those who answered, sorted.
    weights_ : ndarray of shape (n_participants, n_components)
        Everybody's weights of the axes.
    sharpness_ : ndarray of shape (n_participants,)
        Everybody's sharpness.
    lapse_rate_ : ndarray of shape (n_participants,) or None
        Everybody's share of random responses, 0 if no lapses can be seen; None if `noise` is
        shared, and for SOE and t-ETE, whose losses are no probabilities.
    reliability_ : ndarray of shape (n_participants,)
        How much more often than by chance everybody's answers are as their own view of the map
        says, from 0 for somebody who guesses to 1, on average over the questions of the study.
        Sharpness and lapses both lower it, so that it sees guessers as either.
    n_answers_ : ndarray of int, shape (n_participants,)
        How many answers everybody gave.
    tau_ : float
        The standard deviation of the logarithms of weights; 0 if no differences can be seen.
    sigma_ : float
        That of the logarithm of sharpness.
    names_ : tuple of str or None
        The objects' names, if the comparisons had any.
    converged_ : bool
        Whether the last fit converged; if not, it has warned.
    n_iter_ : int
        Iterations of the solver, all fits together.
    classes_ : ndarray of shape (2,)
        Labels of false and of true rows.

    See Also
    --------
    GroupMaps : A map for each of some groups of people.
    ordinate.compare_people : Whether it helps to know who answered.
    ordinate.plots.plot_people : Everybody's weights.

    References
    ----------
    Carroll & Chang, Analysis of individual differences in multidimensional scaling via an N-way
    generalization of "Eckart-Young" decomposition, Psychometrika 1970.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(12, 2))
    >>> ann = od.sources.random_triplets(points * [3, 1], 400, random_state=1)
    >>> bob = od.sources.random_triplets(points * [1, 3], 400, random_state=2)
    >>> answers = od.Comparisons(
    ...     np.vstack([ann, bob]), groups={"participant": ["Ann"] * 400 + ["Bob"] * 400}
    ... )
    >>> model = od.WeightedSpaces(random_state=0).fit(answers)
    >>> model.participants_.tolist(), model.weights_.shape
    (['Ann', 'Bob'], (2, 2))
    >>> ratio = model.weights_[:, 0] / model.weights_[:, 1]
    >>> bool(max(ratio) > 4 > 0.25 > min(ratio))
    True
    """

    n_components: int = 2
    _: KW_ONLY
    loss: str = "STE"
    tau: float | str = "learned"
    noise: str = "individual"
    by: str = "participant"
    features: Any = None

    def _fit_record(self, comparisons: Comparisons) -> None:
        self._check_parameters()
        self.participants_, people = participants_of(comparisons, self.by)
        self.n_answers_ = np.bincount(people)
        with progress(type(self).__name__, enabled=self.verbose) as advance:
            fit = self._begin(comparisons, people)
            for population in fit.rounds():
                advance(1, note=f"tau {population.tau:.2f}")
        warn_unless_converged(type(self).__name__, fit.converged, fit.n_last, self.max_iter)
        self._keep(fit)
        self.reliability_ = self._reliabilities(comparisons)
        self.names_ = comparisons.names

    def _begin(self, comparisons: Comparisons, people: NDArray[np.intp]) -> JointFit:
        with without_convergence_warnings():  # that of the last run is what counts
            seed = as_seed(self.random_state) if self.features is not None else 0
            pooled = pooled_map(self.pooled_method(), self.loss, comparisons, self.features, seed)
        own_sharpness = self.noise == "individual"
        return JointFit(
            pooled,
            self._objective(comparisons, people, lapses=False),
            len(self.participants_),
            self.tau,
            own_sharpness,
            own_sharpness and self.loss in WITH_PROBABILITIES,
            self.max_iter,
            self.tol,
        )

    def _check_parameters(self) -> None:
        self._check_steps()
        check_integer("n_components", self.n_components, minimum=1)
        if self.n_components == 1:
            raise InputError(
                "A map with one axis has no weights to estimate; n_components must be 2 or more."
            )
        check_choice("loss", self.loss, POOLED)
        check_choice("noise", self.noise, ("individual", "shared"))
        if isinstance(self.tau, str):
            check_choice("tau", self.tau, ("learned",))
        else:
            check_real("tau", self.tau, minimum=0, maximum=1e6)

    def pooled_method(self) -> EmbeddingEstimator:
        """Return the method, not fitted, that makes one map of everybody's answers."""
        return POOLED[self.loss](
            self.n_components,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )

    def _keep(self, fit: JointFit) -> None:
        population, log_weights = fit.population, fit.log_weights
        log_sharpness = population.sharpness(log_weights)
        own = log_weights - log_sharpness[:, None]
        order = np.argsort(-own.std(axis=0), kind="stable")
        self.embedding_: Points = fit.points[:, order]
        self.weights_: Floats = np.exp(own[:, order])
        self.sharpness_: Floats = np.exp(log_sharpness)
        self.lapse_rate_: Floats | None = None
        if fit.own_lapses:
            lapse = expit(fit.lapse_logits) if fit.objective.lapses else np.zeros(fit.n_people)
            self.lapse_rate_ = lapse
        self.tau_ = population.tau
        self.sigma_ = population.sigma(self.n_components)
        self.converged_ = fit.converged
        self.n_iter_ = fit.n_iter
        self._population = population

    def _reliabilities(self, comparisons: Comparisons) -> Floats:
        """Return by how much right answers exceed wrong ones, over questions of the study."""
        asked = comparisons[:: -(-len(comparisons) // _QUESTIONS)]
        log_weights, logits = (own[:-1] for own in self._everybody())
        near, far = (
            np.square(gap) @ np.exp(log_weights).T for gap in differences(asked, self.embedding_)
        )
        loss, parameters = self.pooled_method()._loss()
        odds = loss(far, near, *parameters)[0] - loss(near, far, *parameters)[0]
        lapse = expit(logits) if self._somebody_lapses() else 0.0
        sure = np.average(np.abs(np.tanh(0.5 * odds)), axis=0, weights=asked.weights)
        reliability: Floats = (1.0 - lapse) * sure
        return reliability

    def shared_map(self, comparisons: Comparisons) -> SharedMap:
        """Return the fit as the hypothesis that only noise is everybody's own; τ must be 0.

        Parameters
        ----------
        comparisons : Comparisons
            The answers of the fit.

        Returns
        -------
        SharedMap
            To test whether people have views of their own.
        """
        people = known_people(comparisons, self.by, self.participants_)
        objective = self._objective(comparisons, people, lapses=self._somebody_lapses())
        return SharedMap(objective, self.embedding_, *(own[:-1] for own in self._everybody()))

    def place_participant(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Participant:
        """Find how somebody who was not in the fit weighs the axes; the map stays.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Answers of one person about fitted objects; a few will do, then the weights are
            close to those of everybody.
        y, sample_weight
            As for `fit`.

        Returns
        -------
        Participant
            Weights, sharpness and lapse rate.
        """
        comparisons = self._matched(X, y, sample_weight)
        population = self._population
        people = np.zeros(len(comparisons), dtype=np.intp)
        objective = self._objective(comparisons, people, lapses=self._somebody_lapses())

        def loss(z: Floats) -> tuple[float, Floats]:
            log_weights = population.log_weights(z[:, :-1])
            logits = population.lapse_logit + z[:, -1]
            value, gradient = objective(self.embedding_, log_weights, logits)
            on_z = population.log_weights(gradient.log_weights)
            on_all = np.column_stack([on_z, gradient.lapse_logits]) + z
            return value + 0.5 * float(np.square(z).sum()), on_all

        # Where all answers of a fit are clear, the loss is flat between ways to see the map.
        known = population.standardized(self._everybody()[0][-_CANDIDATES:])
        tried = [np.append(z, 0.0)[None] for z in known]
        start = min(tried, key=lambda z: loss(z)[0])
        z = lbfgs(loss, start, max_iter=self.max_iter, tol=self.tol).points
        log_weights = population.log_weights(z[:, :-1])
        log_sharpness = population.sharpness(log_weights)
        lapse = None if self.lapse_rate_ is None else 0.0
        if objective.lapses:
            lapse = float(expit(population.lapse_logit + z[0, -1]))
        weights = np.exp(log_weights - log_sharpness)[0]
        return Participant(weights, float(np.exp(log_sharpness[0])), lapse)

    def _loss_of_new(self, comparisons: Comparisons) -> Function:
        people = known_people(comparisons, self.by, self.participants_)
        objective = self._objective(comparisons, people, lapses=self._somebody_lapses())
        log_weights, logits = self._everybody()

        def loss(points: Points) -> tuple[float, Points]:
            value, gradient = objective(points, log_weights, logits)
            return value, gradient.points

        return loss

    def space_of(self, participant: object) -> Points:
        """Return the map as one participant sees it: every axis stretched by its weight.

        Parameters
        ----------
        participant : str or int
            One of `participants_`.

        Returns
        -------
        ndarray of shape (n_objects, n_components)
            Coordinates whose plain distances are those of the participant.
        """
        number = self._number_of(participant)
        space: Points = self.embedding_ * np.exp(0.5 * self._everybody()[0][number])
        return space

    def _margins(self, comparisons: Comparisons) -> Floats:
        """Return far minus near distances; a person not in the fit weighs all axes alike."""
        people = known_people(comparisons, self.by, self.participants_)
        weights = np.exp(self._everybody()[0])[people]
        near, far = map(np.square, differences(comparisons, self.embedding_))
        margins: Floats = np.sqrt((far * weights).sum(axis=1))
        margins -= np.sqrt((near * weights).sum(axis=1))
        return margins

    def _everybody(self) -> tuple[Floats, Floats]:
        """Return log weights and lapse logits of all participants, and last of an unknown one."""
        own = np.log(self.weights_) + np.log(self.sharpness_)[:, None]
        unknown = self._population.lapse_logit
        logits = np.full(len(own), unknown)
        if self.lapse_rate_ is not None and self._somebody_lapses():
            logits = logit(self.lapse_rate_)
        return np.vstack([own, np.zeros(own.shape[1])]), np.append(logits, unknown)

    def _somebody_lapses(self) -> bool:
        return self.lapse_rate_ is not None and bool(self.lapse_rate_.any())

    def _objective(
        self, comparisons: Comparisons, people: NDArray[np.intp], *, lapses: bool
    ) -> PeopleObjective:
        loss, parameters = self.pooled_method()._loss()
        n_threads = effective_n_jobs(self.n_jobs)
        return PeopleObjective(comparisons, people, loss, parameters, lapses, n_threads)
