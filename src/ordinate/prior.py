"""The Gaussian prior of a map: a sphere, or a covariance over objects from their features.

Each coordinate of a map is normal over objects with the covariance v (ρ K + (1 − ρ) I), where K
says which objects have similar features. ρ = 0 is the sphere that `penalty` stands for. Everything
is written in whitened coordinates: with K = Φ Φᵀ the map is

    X = √v (√ρ Φ U + √(1 − ρ) R),    U and R standard normal,

so that a MAP fit minimises loss + ½‖U − M‖² + ½‖R‖², which is well conditioned, and Φ is all that
is kept of the features: never a matrix of objects by objects. The mean M is zero, or the leading
axes of Φ: then a map of few answers is that of the features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, Unpack

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse import coo_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from scipy.spatial.distance import cdist, pdist
from scipy.special import logsumexp

from ordinate._arrays import Points
from ordinate._checks import InputError, on_host
from ordinate._threads import effective_n_jobs, one_blas_thread
from ordinate.comparisons.choices import Answers, pairs_of, share_right
from ordinate.comparisons.record import PAIR_COLUMNS
from ordinate.comparisons.trials import Trials
from ordinate.engine.choices import ChoiceObjective, alike
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Function, Result, Rules

KERNELS = ("sum", "local", "linear")
"""How features become similarities: by a Gaussian of their distances, by products, or by both."""
SHARES = (0.0, 0.5, 0.8, 0.95, 0.99)
"""Shares ρ of the variance that features may explain; 0 for a map that ignores them."""
VARIANCES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Variances v of a coordinate."""
TRUSTS = (0.0, 3.0, 10.0, 30.0)
"""How far the mean of the prior lies along the principal axes of the features."""
SIZES = 2.0 ** np.arange(-4, 4)
"""By what a map is multiplied before it is judged."""
_RIGID = 10.0
"""Trust with which the principal axes stay nearly as they are."""
_RIGID_ERRORS = 0.5
"""Standard errors by which another prior must be better for the axes not to stay."""
_SEARCH_TOL = 1e-3
"""Maps that only serve to choose a prior need not be exact."""
_SCALES = 10.0 ** np.arange(-1.0, 2.1, 0.5)
"""Sizes at which a start is tried."""
_FEW_DIRECTIONS = 128
"""Up to this many whitened coordinates all eigenvectors are computed, which cannot fail."""
_LANDMARKS = 600
"""Objects that a local kernel is made from; it is exact for fewer objects."""
_FEW_OBJECTS = 5000
"""Up to this many objects memory holds the factors of all kernels."""
_FEWEST_TO_CHOOSE, _FOLDS = 30, 3
"""Answers from which on a prior is chosen by parts of them; of fewer, it is the usual."""
_NEGLIGIBLE = 1e-8
"""Share of the largest eigenvalue below which a direction of the features is rounding."""


class FeatureKernel:
    """Similarities of objects by their features, as products Φ Φᵀ with a mean diagonal of 1.

    Features are centred and scaled, each by its own standard deviation or all by one number.
    The local kernel is exp(−‖f_i − f_j‖² / median); above a few hundred objects it is that of
    Nyström. Rows of NaN are objects without features, which are similar to none. With a constant,
    which dot products depend on, all objects with features share something.
    """

    def __init__(
        self,
        rows: NDArray[Any],
        kind: str = "sum",
        *,
        standardise: bool = True,
        constant: bool = False,
        seed: int = 0,
    ) -> None:
        self.kind, self.standardised, self._constant = kind, standardise, constant
        self.featured: NDArray[np.bool_] = ~np.isnan(rows).any(axis=1)
        features = rows[self.featured]
        self._scale(features)
        scaled = self._scaled(features)
        self._axes: Points | None = None
        self._landmarks: Points | None = None
        if kind != "local":
            self._axes = _principal_axes(scaled)
        if kind != "linear":
            rng = np.random.default_rng(seed)
            chosen = np.sort(rng.permutation(len(scaled))[:_LANDMARKS])
            self._landmarks = scaled[chosen]
            self._median = max(float(np.median(pdist(self._landmarks, "sqeuclidean"))), 1e-300)
            values, vectors = eigh(self._near(self._landmarks, self._landmarks))
            kept = values > _NEGLIGIBLE * values[-1]
            self._whitening = vectors[:, kept] / np.sqrt(values[kept])
        told = self._factor(scaled)
        self.factor: Points = np.zeros((len(rows), told.shape[1]))
        self.factor[self.featured] = told

    def _scale(self, features: NDArray[Any]) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self._center = features.mean(axis=0, dtype=np.float64)
            spread = features.std(axis=0, dtype=np.float64)
        if not np.isfinite(spread).all():
            raise InputError("Features are so large that squares overflow; divide them by 1e100.")
        varying = (spread > 0) & (features.max(axis=0) > features.min(axis=0))
        if not varying.any():
            raise InputError("All features are constant; they must differ between objects.")
        if not self.standardised:
            spread = np.where(varying, np.sqrt(np.square(spread[varying]).mean()), 0)
        root = np.sqrt(np.count_nonzero(varying))
        self._by = np.where(varying, 1 / np.where(varying, spread * root, 1), 0)

    def _scaled(self, features: NDArray[Any]) -> Points:
        return np.asarray((features - self._center) * self._by, dtype=np.float64)

    def _near(self, scaled: Points, landmarks: Points) -> Points:
        return np.asarray(np.exp(-cdist(scaled, landmarks, "sqeuclidean") / self._median))

    def _factor(self, scaled: Points) -> Points:
        parts = []
        if self._axes is not None:
            parts.append(scaled @ self._axes)
        if self._landmarks is not None:
            parts.append(self._near(scaled, self._landmarks) @ self._whitening)
        factor = np.hstack(parts) / np.sqrt(len(parts))
        return np.asarray(np.c_[factor, np.ones(len(factor))] if self._constant else factor)

    def __call__(self, rows: NDArray[Any]) -> Points:
        """Return rows of Φ for any objects by their features."""
        return self._factor(self._scaled(rows))

    def diagonal(self, rows: NDArray[Any]) -> Points:
        """Return K of objects with themselves, which Nyström's Φ Φᵀ falls short of."""
        scaled = self._scaled(rows)
        parts = []
        if self._axes is not None:
            parts.append(np.square(scaled).sum(axis=1))
        if self._landmarks is not None:
            parts.append(np.ones(len(scaled)))
        return np.asarray(np.mean(parts, axis=0) + self._constant)


def _principal_axes(scaled: Points) -> Points:
    """Return an orthonormal basis of the rows, at most as many as there are rows."""
    n_rows, n_columns = scaled.shape
    if n_columns <= n_rows:
        return np.eye(n_columns)
    values, vectors = eigh(scaled @ scaled.T)  # a Gram matrix costs less than an SVD
    kept = values > _NEGLIGIBLE * values[-1]
    return np.asarray(scaled.T @ (vectors[:, kept] / np.sqrt(values[kept])))


def leading_axes(factor: Points, n_components: int) -> Points:
    """Return the directions of Φ's columns along which objects differ most, as columns."""
    centered = factor - factor.mean(axis=0)
    rank = factor.shape[1]
    first = max(rank - n_components, 0)
    axes = eigh(centered.T @ centered, subset_by_index=(first, rank - 1))[1][:, ::-1]
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0)
    return np.asarray(axes * np.where(largest < 0, -1.0, 1.0))


@dataclass(frozen=True, eq=False)
class Prior:
    """The covariance v (ρ Φ Φᵀ + (1 − ρ) I) of each coordinate of a map over objects.

    An object without features, whose row of Φ is zero, has the variance v of its own.
    """

    factor: Points
    share: float
    variance: float
    trust: float = 0.0
    """Length of the mean of U along each leading axis of Φ; 0 for a mean of zero."""

    @property
    def n_whitened(self) -> int:
        """Whitened numbers per coordinate: one per column of Φ and one per object."""
        return sum(self.factor.shape)

    @cached_property
    def _free(self) -> Points:
        """The standard deviation of what features leave open about each object."""
        share = np.where(self.factor.any(axis=1), 1 - self.share, 1.0)
        return np.asarray(np.sqrt(self.variance * share)[:, None])

    def covariance(self) -> Points:
        """Return the covariance itself, for few objects."""
        told = self.variance * self.share * self.factor @ self.factor.T
        return np.asarray(told + np.diag(np.square(self._free[:, 0])))

    def root(self) -> Points:
        """Return a root of the covariance but for its size v, for draws of maps of few objects."""
        return np.asarray(np.linalg.cholesky(self.covariance() / self.variance))

    def color(self, white: Points) -> Points:
        """Return the map that belongs to whitened coordinates (U above R)."""
        return np.asarray(self.feature_part(white) + self._free * white[self.factor.shape[1] :])

    def whiten(self, weights: Points, free: Points) -> Points:
        """Return the whitened coordinates of a map, by what multiplies Φ and what is added."""
        scale = np.sqrt(self.variance * self.share)
        own = np.divide(free, self._free, out=np.zeros_like(free), where=self._free > 0)
        return np.vstack([weights / scale if scale else np.zeros_like(weights), own])

    def feature_part(self, white: Points) -> Points:
        """Return the part of the map that features tell."""
        return np.asarray(self.factor @ self.weights(white))

    def weights(self, white: Points) -> Points:
        """Return by what rows of Φ are multiplied: the Gaussian-process mean of any object."""
        return np.asarray(np.sqrt(self.variance * self.share) * white[: self.factor.shape[1]])

    def pull_back(self, gradient: Points) -> Points:
        """Return the gradient in whitened coordinates of a function of the map."""
        by_features = np.sqrt(self.variance * self.share) * (self.factor.T @ gradient)
        return np.vstack([by_features, self._free * gradient])

    def mean(self, n_components: int) -> Points:
        """Return the mean of whitened coordinates."""
        mean = np.zeros((self.n_whitened, n_components))
        if self.share and self.trust:
            axes = leading_axes(self.factor, n_components)
            mean[: len(axes), : axes.shape[1]] = self.trust * axes
        return mean

    def objective(self, loss: Function, n_components: int) -> Function:
        """Return minus the log of the posterior density, as a function of whitened coordinates."""
        mean = self.mean(n_components)

        def total(white: Points) -> tuple[float, Points]:
            value, gradient = loss(self.color(white))
            away = white - mean
            return (
                float(value + 0.5 * np.square(away).sum()),
                self.pull_back(np.asarray(gradient, dtype=np.float64)) + away,
            )

        return total

    def starts(self, answers: Answers, n_components: int, rng: np.random.Generator) -> list[Points]:
        """Return the leading axes of what features tell and of what answers tell, and a random one.

        At zero the gradient of a loss of near² − far² vanishes and its curvature is that of
        Σ far² − near², a quadratic form: along its leading eigenvectors the loss falls fastest.
        """
        random = 0.1 * rng.standard_normal((self.n_whitened, n_components))
        starts = [_leading_directions(self, answers, n_components, rng), random]
        if self.share:
            axes = leading_axes(self.factor, n_components)
            start = 0.01 * random  # no saddle point between symmetric axes
            start[: len(axes), : axes.shape[1]] += max(self.trust, 1.0) * axes
            starts.insert(0, start)
        return starts

    def variances(self, told: Points, diagonal: Points, asked: NDArray[np.bool_]) -> Points:
        """Return the variance of each coordinate of new objects, given the map of those asked.

        Gaussian-process regression: v (ρ k + 1 − ρ − ρ² kᵀ Σ⁻¹ k), computed in the columns of Φ.
        """
        known = self.factor[asked]
        rank = known.shape[1]
        inner = np.eye(rank) * (1 - self.share) + self.share * known.T @ known
        left = np.einsum("ij,ji->i", told, cho_solve(cho_factor(inner), told.T))
        beyond = np.maximum(diagonal - np.square(told).sum(axis=1), 0)
        share = self.share
        return np.asarray(self.variance * ((1 - share) * (1 + share * left) + share * beyond))


def _leading_directions(
    prior: Prior, answers: Answers, n_components: int, rng: np.random.Generator
) -> Points:
    """Return the leading eigenvectors of Σ far² − near² in whitened coordinates, as columns."""
    comparisons = answers.to_comparisons() if isinstance(answers, Trials) else answers
    i, j, k, l = comparisons.rows[:, PAIR_COLUMNS[comparisons.rows.shape[1]]].T  # noqa: E741
    weights = np.ones(len(i)) if comparisons.weights is None else comparisons.weights
    near = coo_array((weights, (i, j)), shape=(answers.n_objects,) * 2)
    counts = (near - coo_array((weights, (k, l)), shape=near.shape)).tocsr()
    counts = counts + counts.T
    sums = np.asarray(counts.sum(axis=1))[:, None]

    def product(white: Points) -> Points:
        points = prior.color(white.reshape(prior.n_whitened, -1))
        return np.asarray(prior.pull_back(counts @ points - sums * points))

    size = prior.n_whitened
    directions: Points = rng.standard_normal((size, n_components)) / size**0.5
    if size > max(_FEW_DIRECTIONS, n_components):
        operator = LinearOperator((size, size), matvec=product, dtype=np.dtype(np.float64))
        try:
            with one_blas_thread():
                found = eigsh(operator, n_components, which="LA", v0=directions[:, 0], tol=1e-2)[1]
        except ArpackError:  # all answers cancel each other, or no direction stands out
            return directions
    else:
        found = eigh(product(np.eye(size)))[1][:, -n_components:]
    directions[:, : found.shape[1]] = found[:, ::-1]
    return directions


def fit_map(
    loss: Function, prior: Prior, starts: Sequence[Points], **rules: Unpack[Rules]
) -> Result:
    """Return the whitened coordinates of the most probable map, the best of several starts."""
    objective = prior.objective(loss, starts[0].shape[1])
    found = [lbfgs(objective, start, **rules) for start in starts]
    return min(found, key=lambda result: result.value)


class PriorChoice(NamedTuple):
    """A prior that is tried: its kernel, the units of features, ρ, v and how far its mean lies."""

    kernel: str = "sum"
    standardised: bool = False
    share: float = 0.8
    variance: float = 0.3
    trust: float = 0.0


Judge: TypeAlias = Callable[[Answers, Points], NDArray[np.float64]]
"""Whether each answer is wrong on a map, and its loss on it at several sizes, as columns."""


def judge_choices(
    answers: Answers, points: Points, similarity: str = "euclidean"
) -> NDArray[np.float64]:
    """Return of each answer whether it is wrong, and −log of its probability at several sizes."""
    near = alike(points, pairs_of(answers), similarity)
    sized = np.square(SIZES)[:, None, None] * near
    losses = logsumexp(sized, axis=2) - sized[:, :, 0]
    return np.column_stack([1 - share_right(near), losses.T])


def choice_loss(answers: Answers) -> Function:
    """Return minus the log of the probability of choices by distances, the loss of STE."""
    return ChoiceObjective(answers)


@dataclass
class PriorFits:
    """Fits of answers under priors from features, whose ρ, v, kernel and mean are chosen."""

    answers: Answers
    rows: NDArray[Any]
    n_components: int
    loss_of: Callable[[Answers], Function] = choice_loss
    judge: Judge = judge_choices
    seed: int = 0
    max_iter: int = 1000
    tol: float = 1e-4
    n_jobs: int | None = 1
    starts_of: Callable[[Prior, np.random.Generator], list[Points]] | None = None
    """Starts other than those of the prior; of fits with a constant in the kernel."""
    advance: Callable[[], object] = lambda: None
    results: dict[PriorChoice, NDArray[np.float64]] = field(default_factory=dict)
    """What was judged, a row per answer that was held out."""
    _kernels: dict[tuple[str, bool], FeatureKernel] = field(default_factory=dict)

    def choose(self, held_out: Sequence[NDArray[np.bool_]]) -> PriorChoice:
        """Return the prior under which answers that are held out are most probable.

        v, the principal axes nearly as they are, ρ, the kernel, again v and the mean are tried one
        after another. The axes stay, or features are ignored (ρ = 0), unless another prior is
        clearly better.
        """
        is_dot = self.starts_of is not None
        quick = len(held_out) == 1  # fits take long
        first = PriorChoice("linear" if is_dot or quick else "sum")
        variances = VARIANCES[1:4] if is_dot or quick else VARIANCES
        self._try([first._replace(share=0.0, variance=v) for v in variances[-2:]], held_out)
        self._try([first._replace(variance=v) for v in variances], held_out)
        rigid = [
            PriorChoice("linear", each, SHARES[-1], v, _RIGID)
            for each in (False, True)
            for v in VARIANCES[:3]
        ]
        if not is_dot:
            self._try([first._replace(share=0.0, variance=v) for v in variances[:-2]], held_out)
            rigid = rigid[: 2 if quick else None]
            self._try(rigid, held_out)
        best = self.best_of(with_features=True)
        self._try([best._replace(share=share) for share in SHARES[1:]], held_out)
        if not is_dot and not quick:
            best = self.best_of(with_features=True)
            few = len(self.rows) <= _FEW_OBJECTS
            kinds = [(k, s) for s in (False, True) for k in (KERNELS if few else KERNELS[:1])]
            self._try([best._replace(kernel=k, standardised=s) for k, s in kinds], held_out)
        best = self.best_of(with_features=True)
        at = VARIANCES.index(best.variance)
        near = VARIANCES[max(at - 1, 0) : at + 2]
        self._try([best._replace(variance=v) for v in near], held_out)
        if not is_dot:
            best = self.best_of(with_features=True)
            self._try([best._replace(trust=trust) for trust in TRUSTS], held_out)
        told, free = (self.best_of(with_features=one) for one in (True, False))
        if not is_dot:
            axes = min(rigid, key=self.loss)
            told = told if self.gain(told, axes, _RIGID_ERRORS) > 0 else axes
        losses = at_best_size(self.results[free])
        # while answers alone predict nothing, less is lost with features
        knows = losses.mean() + losses.std() / len(losses) ** 0.5 < self.chance
        return told if self.gain(told, free, 1.0 if knows else 0.5) > 0 else free

    def features_help(self) -> bool:
        """Tell whether features predict better by more than chance and the choice may explain."""
        told, free = (self.best_of(with_features=one) for one in (True, False))
        return self.gain(told, free, 3.0) > 0

    def best_of(self, *, with_features: bool) -> PriorChoice:
        """Return the best of the priors tried that use features, or of those that do not."""
        return min((one for one in self.results if (one.share > 0) == with_features), key=self.loss)

    def error(self, choice: PriorChoice) -> float:
        """Return the share of held-out answers that is wrong."""
        return float(self.results[choice][:, 0].mean())

    def loss(self, choice: PriorChoice) -> float:
        """Return the mean loss of held-out answers on maps of the best size."""
        return float(at_best_size(self.results[choice]).mean())

    @property
    def chance(self) -> float:
        """The loss of an answer about which nothing is known."""
        return float(np.log(3 if isinstance(self.answers, Trials) else 2))

    def gain(self, choice: PriorChoice, other: PriorChoice, errors: float = 1.0) -> float:
        """Return by how much more than standard errors a prior predicts better than another."""
        gains = at_best_size(self.results[other]) - at_best_size(self.results[choice])
        return float(gains.mean() - errors * gains.std() / len(gains) ** 0.5)

    def _try(self, choices: Iterable[PriorChoice], held_out: Sequence[NDArray[np.bool_]]) -> None:
        new = [choice for choice in choices if choice not in self.results]
        for choice, found in zip(new, self.hold_out(new, held_out), strict=True):
            self.results[choice] = found

    def hold_out(
        self, choices: Sequence[PriorChoice], held_out: Sequence[NDArray[np.bool_]]
    ) -> list[NDArray[np.float64]]:
        """Return what is judged of each prior on all parts."""
        priors = [self.prior(choice) for choice in choices]

        def one(prior: Prior, part: NDArray[np.bool_]) -> NDArray[np.float64]:
            tol = max(self.tol, _SEARCH_TOL * (5 if len(held_out) == 1 else 1))
            found = self._fit(self.answers[~part], prior, 0, tol)
            self.advance()
            answers = self.answers[part]
            judged, weights = self.judge(answers, prior.color(found.points)), answers.weights
            if weights is None or not weights.any():
                return judged
            return np.asarray(judged * (weights / weights.mean())[:, None])

        workers = Parallel(n_jobs=effective_n_jobs(self.n_jobs), prefer="threads")
        found = workers(delayed(one)(prior, part) for prior in priors for part in held_out)
        n_parts = len(held_out)
        return [
            np.concatenate(found[at * n_parts : (at + 1) * n_parts]) for at in range(len(choices))
        ]

    def kernel(self, choice: PriorChoice) -> FeatureKernel:
        """Return the kernel of a prior."""
        key = choice.kernel, choice.standardised
        if key not in self._kernels:
            if len(self.rows) > _FEW_OBJECTS:
                self._kernels.clear()  # one of them is large
            self._kernels[key] = FeatureKernel(
                self.rows,
                choice.kernel,
                standardise=choice.standardised,
                constant=self.starts_of is not None,
                seed=self.seed,
            )
        return self._kernels[key]

    def prior(self, choice: PriorChoice) -> Prior:
        """Return the prior that was chosen."""
        return Prior(self.kernel(choice).factor, choice.share, choice.variance, choice.trust)

    def fit(self, choice: PriorChoice, start: int = 0) -> tuple[Prior, Result]:
        """Return a prior and the whitened coordinates of the map of all answers under it."""
        prior = self.prior(choice)
        return prior, self._fit(self.answers, prior, start, self.tol)

    def _fit(self, answers: Answers, prior: Prior, number: int, tol: float) -> Result:
        rng = np.random.default_rng(self.seed + number)
        loss = self.loss_of(answers)
        if self.starts_of:
            starts = self.starts_of(prior, rng)
        else:
            starts = prior.starts(answers, self.n_components, rng)
            objective = prior.objective(loss, self.n_components)
            *first, random = starts
            sized = [size * start for start in first for size in _SCALES]
            starts = [min(sized, key=lambda start: objective(start)[0])]
            if len(answers) == len(self.answers):  # the map that is kept
                starts.append(random)
        return fit_map(loss, prior, starts, max_iter=self.max_iter, tol=tol)


class WhitenedMaps:
    """Maps under a prior as a solver moves them: whitened, with minus the log prior as a cost."""

    def __init__(self, prior: Prior, n_components: int) -> None:
        self.prior, self._mean = prior, prior.mean(n_components)

    def turned(self, rotation: Points) -> WhitenedMaps:
        """Return the same for maps that are turned."""
        found = WhitenedMaps(self.prior, len(rotation))
        found._mean = self._mean @ rotation
        return found

    def inside(self, white: Points) -> Points:
        """Return the maps that whitened coordinates stand for, centred."""
        maps = self._each(self.prior.color, white)
        return np.asarray(maps - maps.mean(axis=-2, keepdims=True))

    def around(self, objective: Callable[[Points], tuple[Any, Points]]) -> Function:
        """Turn a function of maps into one of whitened coordinates, with minus the log prior."""

        def total(white: Points) -> tuple[float, Points]:
            value, gradient = objective(self._each(self.prior.color, white))
            away = white - self._mean
            gradient = self._each(self.prior.pull_back, gradient)
            return float(value) + 0.5 * float(np.square(away).sum()), gradient + away

        return total

    def _each(self, function: Callable[[Points], Points], maps: Points) -> Points:
        return np.array([function(one) for one in maps]) if maps.ndim == 3 else function(maps)


def rows_by_name(features: Any, names: Sequence[object] | None, n_objects: int) -> Points:
    """Return a row of features per object; those of a data frame are matched by its index."""
    if hasattr(features, "reindex"):
        known = [str(label) for label in features.index]
        wanted = list(map(str, names if names is not None else range(n_objects)))
        features = features.set_axis(known, axis=0).reindex(wanted)
    try:
        rows: Points = np.array(on_host(features), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"features must be a 2-D array of numbers; {error}.") from None
    if rows.ndim != 2 or len(rows) != n_objects:
        raise InputError(
            f"features must have a row per object, {n_objects}; got shape {rows.shape}."
        )
    if not np.isfinite(rows).all(axis=1).any():
        raise InputError("No object has features; leave them out.")
    if (~np.isfinite(rows) & ~np.isnan(rows).all(axis=1, keepdims=True)).any():
        raise InputError("features must be finite; make a row NaN for an object without features.")
    return rows


def chosen_prior(fits: PriorFits, seed: int = 0) -> PriorChoice:
    """Return the prior that predicts held-out answers best; the usual one of too few answers."""
    answers = fits.answers
    if len(answers) < _FEWEST_TO_CHOOSE:
        return PriorChoice()
    question = answers.question_groups("trial" if "trial" in answers.groups else None)
    order = np.random.default_rng(seed).permutation(int(question.max()) + 1)
    parts = [order[question] % _FOLDS == fold for fold in range(_FOLDS)]
    return fits.choose([part for part in parts if part.any() and not part.all()])


def at_best_size(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return losses at the best size of the map: a good one may be too sure of itself."""
    return np.asarray(found[:, 1 + int(found[:, 1:].mean(axis=0).argmin())])


MOST_TRIED = 3 * len(VARIANCES) + len(SHARES) + 2 * len(KERNELS) + len(TRUSTS) + 2
"""Priors that are tried at most."""
