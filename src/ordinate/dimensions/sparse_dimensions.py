"""Sparse, non-negative dimensions that people can name, from odd-one-out trials."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.special import softmax

from ordinate._checks import (
    InputError,
    check_choice,
    check_integer,
    check_points,
    check_real,
    weighted_mean,
)
from ordinate._estimator import BaseEstimator, EmbeddingMixin, Iterates, check_is_fitted
from ordinate._notebooks import cards_as_html
from ordinate._progress import Advance, progress
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.answers import in_fit, numbers_in_fit
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.comparisons.trials import Trials
from ordinate.dimensions.answers import PAIRS, Answers, answers_of, record_of
from ordinate.dimensions.objective import Loadings, choice_similarity
from ordinate.dimensions.sparse_fit import (
    Penalty,
    PenaltySearch,
    carrying,
    fit_loadings,
    pooled_start,
    random_loadings,
    search_penalty,
)
from ordinate.dimensions.split_halves import SplitHalves, fit_halves, loading_intervals
from ordinate.engine.choices import alike
from ordinate.engine.objective import resolve_device
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Result, warn_unless_converged

_RIDGE_PENALTIES = np.logspace(-1, 6, 15)
"""Among which leave-one-out errors choose, for features with unit variance."""
_ANSWERS_PER_LOADING = 5
"""Answers per object and dimension that it takes to find dimensions again in halves, in simulations
of 2 to 12 dimensions of 60 objects."""
_MANY = 30
"""Dimensions that fits to halves begin with, at least."""
_WARNED = 0.7
"""Below this correlation with the dimension of as many new answers there is a warning,"""
_REPRODUCIBLE = 0.8
"""which says how many more answers would bring it here."""


@dataclass(eq=False, repr=False)
class SparseDimensions(EmbeddingMixin, Iterates, BaseEstimator):
    """Sparse, non-negative dimensions that people can name, such as "animal" or "metallic".

    Each object i has loadings x_i ≥ 0, and two objects are as similar as x_i · x_j. Of three
    objects, the pair (i, j) is kept together with the probability
    exp s_ij / (exp s_ij + exp s_ik + exp s_jk). Where people chose the objects that are most like
    an anchor, it is a softmax over the objects shown. The fit lowers minus the log of the
    probability of all answers and a penalty of the loadings by L-BFGS-B, from several random
    seeds. A dimension stays if fits to two halves of the answers both find it, and if they predict
    each other's answers better than chance; if none does, the fit says so and has no columns.

    Parameters
    ----------
    max_dimensions : int, default=100
        Number of dimensions to begin with, at most one per object. Those that carry nothing are
        left out.
    penalty : "auto" or tuple of two floats, default="auto"
        Two weights beside the sum over trials. The first is that of the sum of the loadings, which
        makes them sparse, as in SPoSE. The second is the precision of the smallest loadings,
        half normal with a variance per dimension: it empties weak dimensions and leaves strong
        ones large, which is what few trials need. "auto" chooses both by held-out trials.
    n_init : int, default=5
        Number of random starts. A last run starts from the dimensions that at least two of them
        share and the others of the best one; it is kept unless it ends higher.
    max_iter : int, default=500
        Most iterations of the solver, for each seed.
    tol : float, default=1e-4
        A run has converged when its last ten iterations, or its last tenth if that is more,
        together lower the loss by less than `tol` times itself.
    random_state : int, Generator or None, default=None
        Seed of the starts and of the folds. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    device : str, default="cpu"
        Where trials are summed: "cpu", "cuda" (or "cuda:1", …), "mps", or "auto" for a GPU if
        there is one. A GPU adds in any order, so that last bits may differ between runs.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_dimensions)
        The loadings, none of them negative; no column if the answers support no dimension.
    n_dimensions_ : int
        Number of dimensions that the answers support.
    n_left_out_ : int
        Number of dimensions that were fitted but that halves of the answers do not both find.
    reproducibility_ : ndarray of shape (n_dimensions,)
        How each dimension would correlate with that of as many new answers: its correlation
        between fits to halves of the answers (of the participants, if there are ten or more),
        stepped up to all answers, the mean of five splits.
    intervals_ : ndarray of shape (2, n_objects, n_dimensions)
        Ends of 90 % intervals of the loadings, by how halves differ. They hold what the same fit
        finds on average over new answers; by how much the penalty shrinks loadings is not in them.
    held_out_accuracy_ : float
        Share of the answers of one half that a fit to the other half predicts.
    held_out_interval_ : tuple of two floats
        Its 90 % interval.
    p_value_ : float
        Of the test whether that is above chance.
    shares_ : ndarray of shape (n_dimensions,)
        Share of each dimension in the similarities of the pairs that are predicted to be kept
        together in the trials; they sum to 1.
    names_ : tuple of str or None
        The objects' names, if the trials had any.
    penalty_ : tuple of two floats
        The weights that were used.
    search_ : PenaltySearch or None
        Penalties with their loss and accuracy on held-out trials, if "auto" compared some.
    loss_ : float
        The cost of trials and loadings at `embedding_`.
    n_iter_ : int
        Iterations of the run that is kept.
    history_ : ndarray of shape (n_iterations + 1,)
        The cost at its start and after each iteration.
    converged_ : bool
        Whether it converged; if not, the fit has warned.

    See Also
    --------
    Trials : The trials, kept whole.
    STE : A map of few dimensions, from the same answers.

    References
    ----------
    Zheng, Pereira, Baker & Hebart, Revealing interpretable object representations from human
    behavior, ICLR 2019. Hebart, Zheng, Pereira & Baker, Revealing the multidimensional mental
    representations of natural objects underlying human similarity judgements, Nature Human
    Behaviour 2020. Muttenthaler et al., VICE: Variational Interpretable Concept Embeddings,
    NeurIPS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> rng = np.random.default_rng(0)
    >>> kinds = np.repeat(np.eye(3), 10, axis=0) * 3
    >>> trials = od.sources.random_trials(kinds, 2000, random_state=rng)
    >>> model = od.SparseDimensions(10, penalty=(3.0, 1.0), random_state=0).fit(trials)
    >>> model.n_dimensions_
    3
    """

    max_dimensions: int = 100
    _: KW_ONLY
    penalty: str | tuple[float, float] = "auto"
    n_init: int = 5
    max_iter: int = 500
    device: str = "cpu"
    _is_dot = True

    def fit(
        self,
        X: Trials | Comparisons,
        y: None = None,
        sample_weight: ArrayLike | None = None,
        *,
        features: ArrayLike | None = None,
    ) -> Self:
        """Find the dimensions.

        Parameters
        ----------
        X : Trials or Comparisons
            Odd-one-out trials; or triplets (anchor, near, far), whose answers had two options.
            Triplets that the group ``"trial"`` joins to one answer, "which k of these n are most
            like the anchor?", are taken whole, as one choice among n.
        y : None
            Not used.
        sample_weight : array-like of shape (n_trials,), optional
            Weights that replace those of the record.
        features : array-like of shape (n_objects, n_features), optional
            What is known of the objects otherwise, such as the activations of a network for
            their images; `transform` then predicts dimensions of new objects from theirs.

        Returns
        -------
        self
            The fitted estimator.
        """
        record, are_trials = record_of(X, sample_weight)
        record = record_to_fit(record)
        answers = answers_of(record, are_trials)
        self._check_parameters()
        known = None
        if features is not None:
            known = check_points("features", features, n_rows=record.n_objects)
        rng = as_generator(self.random_state)
        with progress("SparseDimensions", total=self.n_init + 3, enabled=self.verbose) as advance:
            penalty = self._chosen_penalty(answers, rng)
            advance(1, note="penalty chosen")
            best = self._best_run(answers, penalty, rng, advance)
            halves = self._halves(answers, penalty, best.points, rng)
            advance(1, note="halves fitted")
        self.names_ = record.names
        self.penalty_ = penalty.linear, penalty.squared
        self._keep(best, halves, answers)
        self._ridge = None if known is None else _fit_ridge(known, self.embedding_)
        if self._advice:
            warnings.warn(self._advice, stacklevel=2)
        return self

    def _check_parameters(self) -> None:
        check_integer("max_dimensions", self.max_dimensions, minimum=1)
        check_integer("n_init", self.n_init, minimum=1)
        self._check_steps()
        resolve_device(self.device)
        if isinstance(self.penalty, str):
            check_choice("penalty", self.penalty, ("auto",))
            return
        try:
            linear, squared = self.penalty
        except (TypeError, ValueError):
            raise InputError(
                "penalty must be 'auto' or two numbers, the weights of the loadings and of their"
                f" squares; got {self.penalty!r}."
            ) from None
        check_real("penalty", linear, minimum=0)
        check_real("penalty", squared, minimum=0)

    def _chosen_penalty(self, answers: Answers, rng: np.random.Generator) -> Penalty:
        """Return the penalty given, or the one that predicts held-out answers best."""
        self.search_: PenaltySearch | None = None
        if not isinstance(self.penalty, str):
            return Penalty(*map(float, self.penalty))
        self.search_ = search_penalty(
            answers,
            min(self.max_dimensions, answers.n_objects),
            rng,
            max_iter=self.max_iter,
            tol=self.tol,
            device=self.device,
            n_jobs=effective_n_jobs(self.n_jobs),
        )
        return self.search_.best

    def _best_run(
        self,
        answers: Answers,
        penalty: Penalty,
        rng: np.random.Generator,
        advance: Advance,
    ) -> Result:
        """Fit from each seed, then from what they share; return the best fit."""
        n_jobs = effective_n_jobs(self.n_jobs)
        n_at_once = min(n_jobs, self.n_init) if resolve_device(self.device) == "cpu" else 1
        shape = answers.n_objects, min(self.max_dimensions, answers.n_objects)
        starts = [random_loadings(*shape, rng) for _ in range(self.n_init)]

        def run(start: Loadings, n_threads: int) -> Result:
            objective = answers.objective(self.device, n_threads)
            found = fit_loadings(objective, penalty, start, max_iter=self.max_iter, tol=self.tol)
            advance(1)
            return replace(found, points=found.points[:, carrying(found.points)])

        runs: list[Result] = Parallel(n_jobs=n_at_once, prefer="threads")(
            delayed(run)(start, n_jobs // n_at_once) for start in starts
        )
        runs.sort(key=lambda result: result.value)
        best, *others = runs
        seeds = [result.points for result in runs]
        if others and best.points.size:
            again = run(pooled_start(seeds[0], seeds[1:])[:, : shape[1]], n_jobs)
            if again.value <= best.value * (1 + self.tol):
                best = again
        if not best.points.size and not isinstance(self.penalty, str):
            raise InputError(
                f"No dimension carries anything under penalty={self.penalty}. Choose smaller"
                " weights, or 'auto'."
            )
        return best

    def _halves(
        self, answers: Answers, penalty: Penalty, whole: Loadings, rng: np.random.Generator
    ) -> SplitHalves:
        """Fit halves of the answers in the same way."""
        return fit_halves(
            answers,
            penalty,
            whole,
            # begun with few, a half may miss one that the whole has found
            min(max(self.max_dimensions, _MANY), answers.n_objects),
            rng,
            max_iter=self.max_iter,
            tol=self.tol,
            device=self.device,
            n_jobs=effective_n_jobs(self.n_jobs),
        )

    def _keep(self, best: Result, halves: SplitHalves, answers: Answers) -> None:
        """Keep the dimensions of the best fit that halves find again, the surest first."""
        kept = np.flatnonzero(halves.supported)
        kept = kept[np.argsort(-halves.reproducibility[kept], kind="stable")]
        self.n_left_out_ = best.points.shape[1] - len(kept)
        points = best.points[:, kept]
        if self.n_left_out_ and len(kept):
            objective = answers.objective(self.device, effective_n_jobs(self.n_jobs))
            penalty = Penalty(*self.penalty_)
            again = fit_loadings(objective, penalty, points, max_iter=self.max_iter, tol=self.tol)
            if again.points.shape == points.shape:
                # beside an optimum single precision may find no lower point
                best = replace(again, converged=again.converged or best.converged)
                points = again.points
        self.embedding_ = np.ascontiguousarray(points)
        self.n_dimensions_ = len(kept)
        self.reproducibility_ = halves.reproducibility[kept]
        self.intervals_ = loading_intervals(self.embedding_, halves.errors[:, kept])
        self.held_out_accuracy_ = halves.accuracy.mean
        self.held_out_interval_ = halves.accuracy.share_interval()
        self.p_value_ = halves.p_value
        self._halves_of = "participants" if halves.of_people else "answers"
        self.shares_ = _shares(self.embedding_, answers)
        self.loss_, self.n_iter_, self.history_ = best.value, best.n_iter, best.history
        self.converged_ = best.converged or not len(kept)
        self._advice = self._advise(halves, answers)
        warn_unless_converged("SparseDimensions", self.converged_, best.n_iter, self.max_iter)

    def _advise(self, halves: SplitHalves, answers: Answers) -> str:
        """Say that the answers support no dimension, or are few for those that they do."""
        n_objects, n_answers = answers.n_objects, len(answers)
        if self.n_dimensions_ == 0:
            low, high = self.held_out_interval_
            predicted = f"{halves.accuracy.mean:.1%} ({low:.1%} to {high:.1%})"
            said = (
                f"No dimension is supported by these answers: a fit to one half of the"
                f" {self._halves_of} predicts {predicted} of the other, and chance is"
                f" {halves.chance:.1%}"
            )
            said += "; no dimension is found in both." if halves.is_above_chance else "."
            enough = 3 * _ANSWERS_PER_LOADING * n_objects
            if n_answers < enough:
                said += f" Three dimensions of {n_objects:,} objects take about {enough:,}"
                said += f" {answers.kind}; there are {n_answers:,}."
            return said
        weakest = float(self.reproducibility_.min())
        if weakest >= _WARNED:
            return ""
        times = _REPRODUCIBLE * (1 - weakest) / (weakest * (1 - _REPRODUCIBLE))
        more = float(f"{n_answers * (times - 1):.1g}")
        return (
            f"{n_answers:,} {answers.kind} are few for {count_dimensions(self.n_dimensions_)} of"
            f" {n_objects:,} objects: the least certain one would correlate by {weakest:.2f} with"
            f" that of as many new answers. About {more:,.0f} more raise that to"
            f" {_REPRODUCIBLE:.2f}."
        )

    def predict_proba(self, X: Trials | Comparisons) -> NDArray[np.float64]:
        """Return how probable it is that each object of a trial is the odd one.

        Parameters
        ----------
        X : Trials or Comparisons
            About objects of the fit, matched by label where both have labels.

        Returns
        -------
        ndarray of shape (n_trials, 3)
            In the order of the row's objects; of a triplet, that the anchor is the odd one has
            the probability 0.
        """
        record, are_trials = self._matched(X)
        return self._probabilities(record.rows, are_trials)

    def predict(self, X: Trials | Comparisons) -> NDArray[Any]:
        """Predict the odd one of each trial.

        Parameters
        ----------
        X : Trials or Comparisons
            About objects of the fit, matched by label where both have labels. The answers they
            hold are not looked at.

        Returns
        -------
        ndarray of shape (n_trials,)
            The object that is the odd one by the fit, called by its name if the fit has names and
            else by its number; the first of those that tie.
        """
        record, are_trials = self._matched(X)
        # sorted, so that a tie does not depend on what was answered
        rows = np.sort(record.rows, axis=1) if are_trials else record.rows
        odd = self._probabilities(rows, are_trials).argmax(axis=1)
        found = rows[np.arange(len(rows)), odd]
        named: NDArray[Any] = found if self.names_ is None else np.array(self.names_)[found]
        return named

    def score(
        self, X: Trials | Comparisons, y: None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the share of trials whose odd one the fit predicts.

        Parameters
        ----------
        X : Trials or Comparisons
            About objects of the fit, usually held out from it, matched by label where both have
            labels.
        y : None
            Not used.
        sample_weight : array-like of shape (n_trials,), optional
            Weights that replace those of the record.

        Returns
        -------
        float
            Weighted accuracy; of options that tie each counts its share, so that chance is 1/3 (1/2
            for triplets). Where k of n objects were chosen, the share of them among the k most
            similar ones; chance is k/n. `Trials.ceiling` says how much can be reached.
        """
        record, are_trials = self._matched(X, sample_weight)
        answers = answers_of(record, are_trials)
        right = answers.right(answers.similarities(self.embedding_))
        return weighted_mean(right, answers.weights)

    def transform(self, X: Trials | Comparisons | ArrayLike) -> NDArray[np.float64]:
        """Find the loadings of new objects, from trials or from features.

        Parameters
        ----------
        X : Trials, Comparisons or array-like of shape (n_objects, n_features)
            Trials about new objects and those of the fit, which stay as they are: with labels,
            the objects that the fit does not know are new; without, those with numbers beyond the
            fit's. Or the features of new objects, if `fit` was given features.

        Returns
        -------
        ndarray of shape (n_new, n_dimensions)
            One row per new object; for trials in the order of their record.
        """
        check_is_fitted(self)
        if isinstance(X, (Trials, Comparisons)):
            return self._placed(*record_of(X))
        if self._ridge is None:
            raise InputError(
                "The fit knows no features; pass fit(trials, features=...) one row per object, or"
                " transform trials about the new objects."
            )
        center, scale, ridge = self._ridge
        values = check_points("X", X)
        if values.shape[1] != len(center):
            raise InputError(f"X has {values.shape[1]} features; the fit had {len(center)}.")
        if ridge is None:
            return np.zeros((len(values), 0))
        predicted: NDArray[np.float64] = np.maximum(ridge.predict((values - center) / scale), 0.0)
        return predicted

    def _placed(self, record: Comparisons, are_trials: bool) -> NDArray[np.float64]:
        """Fit the loadings of new objects beside those of the fit."""
        n_fitted = len(self.embedding_)
        numbers = numbers_in_fit(record, n_fitted, self.names_)
        n_objects = max(n_fitted, int(numbers.max()) + 1)
        if n_objects == n_fitted:
            raise InputError("All objects of these trials were in the fit; expected a new one.")
        if not self.n_dimensions_:
            return np.zeros((n_objects - n_fitted, 0))
        answers = answers_of(record.renumbered(numbers, n_objects, None), are_trials)
        objective = answers[answers.rows.max(axis=1) >= n_fitted].objective("cpu", 1)
        known = self.embedding_

        penalty = Penalty(*self.penalty_)
        together = penalty.added_to(objective)
        of_known, _ = penalty.added_to(lambda loadings: (0.0, 0.0))(known)

        def of_new(loadings: Loadings) -> tuple[float, NDArray[np.float64]]:
            cost, gradient = together(np.vstack([known, loadings]))
            return cost - of_known, gradient[n_fitted:]

        start = np.tile(known.mean(axis=0), (n_objects - n_fitted, 1))
        return lbfgs(of_new, start, max_iter=self.max_iter, tol=self.tol, minimum=0.0).points

    def _map_html(self) -> str:
        return cards_as_html(self) if hasattr(self, "embedding_") else ""

    def similarity(self) -> NDArray[np.float64]:
        """Return how often two objects are kept together, averaged over all third objects.

        Returns
        -------
        ndarray of shape (n_objects, n_objects)
            Symmetric, between 0 and 1, with ones on the diagonal. 1 − it is the
            representational dissimilarity matrix.
        """
        check_is_fitted(self)
        return choice_similarity(self.embedding_)

    def _matched(
        self, X: Trials | Comparisons, sample_weight: ArrayLike | None = None
    ) -> tuple[Comparisons, bool]:
        """Return answers whose objects are numbered as in the fit, and whether they are trials."""
        check_is_fitted(self)
        record, are_trials = record_of(X, sample_weight)
        return in_fit(record, len(self.embedding_), self.names_), are_trials

    def _probabilities(
        self, rows: NDArray[np.integer[Any]], are_trials: bool
    ) -> NDArray[np.float64]:
        similar = alike(self.embedding_, rows[:, PAIRS], "dot")[:, ::-1]  # by the one left out
        if not are_trials:
            similar[:, 0] = -np.inf
        probabilities: NDArray[np.float64] = softmax(similar, axis=1)
        return probabilities


def count_dimensions(number: int) -> str:
    """Return "1 dimension", "2 dimensions" and so on."""
    return f"{number} dimension{'' if number == 1 else 's'}"


def _shares(loadings: Loadings, answers: Answers) -> NDArray[np.float64]:
    """Return the share of each dimension in the similarities of the pairs predicted together."""
    i, j = answers.predicted_pairs(loadings).T
    together = coo_array((np.ones(len(answers)), (i, j)), shape=(len(loadings),) * 2).tocsr()
    sums = np.einsum("ns,ns->s", loadings, together @ loadings)
    total = sums.sum()
    share: NDArray[np.float64] = sums / total if total > 0 else sums
    return share


def _fit_ridge(features: NDArray[np.float64], loadings: Loadings) -> tuple[Any, Any, Any]:
    """Regress the loadings on standardized features, each with a penalty of its own."""
    from sklearn.linear_model import RidgeCV

    center, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale == 0] = 1.0
    ridge = RidgeCV(alphas=_RIDGE_PENALTIES, alpha_per_target=loadings.shape[1] > 1)
    if not loadings.size:  # nothing to predict
        return center, scale, None
    return center, scale, ridge.fit((features - center) / scale, loadings)
