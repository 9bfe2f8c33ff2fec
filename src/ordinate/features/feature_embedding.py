"""FeatureEmbedding: a map from answers and features together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ordinate._arguments import argument, parameter
from ordinate._arrays import Points
from ordinate._checks import (
    NO_ROWS,
    InputError,
    check_choice,
    check_dimension,
    check_integer,
    check_points,
    check_real,
)
from ordinate._estimator import BaseEstimator, EmbeddingMixin, Iterates
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate.comparisons.answers import answer_classes, predicted_answers
from ordinate.comparisons.choices import (
    Answers,
    answers_in_fit,
    answers_to_fit,
    as_answers,
    pairs_of,
)
from ordinate.comparisons.record import Comparisons
from ordinate.comparisons.trials import Trials
from ordinate.engine.choices import alike
from ordinate.engine.likelihoods import LIKELIHOODS
from ordinate.features.alignment import labels_of_rows, rows_of_objects
from ordinate.features.feature_fits import FeatureFits, is_collapsed, share_that_agrees
from ordinate.features.feature_map import MAPS
from ordinate.features.penalties import (
    Candidate,
    Form,
    HeldOut,
    PenaltySearch,
    parts_to_hold_out,
)
from ordinate.prior import MOST_TRIED, PriorChoice, PriorFits, best_sized, make_kernels
from ordinate.solvers.stopping import warn_unless_converged

SIMILARITIES = ("euclidean", "dot")
"""By what two objects of a map are alike; "auto" tries both."""
_LISTED = 3
"""Objects that a warning names."""
_LEAST_PENALTY = 1e-12
"""Penalties below are as good as none, and their inverse is a variance that must be a number."""
_OF_FITS = ("n_components", "map", "loss", "n_init", "max_iter", "tol", "n_jobs", "device")
"""Parameters that single fits take."""
_ERRORS = 2.0
"""Standard errors, of two predictions that agree on half of the answers, that are worth a word."""


@dataclass(eq=False, repr=False)
class FeatureEmbedding(
    EmbeddingMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Iterates, BaseEstimator
):
    """Place objects by answers and features together, and objects nobody asked about by features.

    The coordinates are x_i = s A f_i + L f_i + r_i: the principal axes A of the features f, what
    answers change about them, and a free part. The loss of the answers plus ridge/2 ‖L‖² +
    penalty/2 Σ ‖r_i‖² is minimised in s, L and r. Few answers leave the axes as they are; more of
    them turn the features into what people judge by; what features cannot say goes into r. Both
    penalties, and whether features are standardised, are chosen by cross-validation over answers
    and over whole objects.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    map : {"linear", "rbf", "mlp", "prior"}, default="linear"
        How features become coordinates: by a matrix; by a matrix on the features of a Gaussian
        kernel; or by a hidden layer of 64 units beside the matrix. With "prior" similar features
        make similar coordinates likely: each coordinate is normal over objects with the covariance
        v (ρ K + (1 − ρ) I), where K is a linear or a local kernel of the features or their sum.
        ρ, v, K and the mean (zero or the principal axes) are chosen by cross-validation, which is
        several times quicker. Other features of one's own, such as those of
        `sklearn.kernel_approximation`, are computed before.
    loss : {"STE", "TSTE", "CKL", "SOE"}, default="STE"
        −log of the probability of an answer, by the method that it belongs to; "SOE" is a logistic
        function of the difference of distances.
    ridge : float or "auto", default="auto"
        Penalty of L, for features scaled to a mean square length of 1; ∞ for the principal axes
        as they are.
    penalty : float or "auto", default="auto"
        Penalty of the free part; ∞ for features alone.
    keep_features : bool or "auto", default=False
        Keep the features beside the map, times a number that is fitted: coordinates are
        (√γ f_i, L f_i + r_i), and the matrix of the metric is shrunk towards γ times the identity
        rather than towards the principal axes. Features are then scaled together, not one by one.
        "auto" keeps them if held-out answers are predicted better that way, which suits
        predictions. For a picture leave it at False.
    similarity : {"euclidean", "dot", "auto"}, default="euclidean"
        By what objects are alike: −‖x_i − x_j‖² or x_i · x_j. With "dot" the coordinates are
        max(0, L f_i + b + r_i), not negative as those of `SparseDimensions`, and features
        are scaled together. Meant for many answers and many components, such as 60. "auto" takes
        the one by which features alone predict held-out answers better.
    n_init : int, default=1
        Of dot products: the number of random starts, whose similarities are averaged. Their
        coordinates stand side by side, divided by the root of their number.
    folds : int, default=5
        Number of folds of answers, and of objects, by which the penalties are chosen.
    max_iter : int, default=1000
        Most iterations of the solver.
    tol : float, default=1e-4
        The fit has converged when its last ten iterations, or its last tenth if that is more,
        together lower loss and penalties by less than `tol` times themselves.
    random_state : int, Generator or None, default=None
        Seed of the folds, of kernel centres and of hidden units. The same seed gives the same
        bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    device : str, default="cpu"
        Where losses and matrix products are computed: "cpu", "cuda" (or "cuda:1", …), "mps", or
        "auto" for a GPU if there is one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The coordinates of all objects that have answers or features, centred. Kept features
        come first, multiplied by ``kept_``. With
        ``similarity="dot"`` they are not centred, and have a column per start and component.
    names_ : tuple of str or None
        The objects' names, if the answers or the features had any.
    components_ : ndarray of shape (n_components, n_features), or None
        With ``map="linear"``, the matrix: ``features @ components_.T + intercept_`` is what
        features say, and ``components_.T @ components_`` the matrix of the metric learned. With
        ``similarity="dot"`` a component z then becomes max(0, z).
    intercept_ : ndarray of shape (n_components,), or None
        What is added.
    placed_by_ : ndarray of str, shape (n_objects,)
        "both", "features" or "answers".
    explained_ : float
        Share of the map's variance that lies in what features say, among objects with both.
    residuals_ : ndarray of shape (n_objects,)
        How far each object lies from where its features put it; NaN for objects without features
        or without answers.
    similarity_ : str
        "euclidean" or "dot", given or chosen.
    ridge_, penalty_ : float
        The penalties, given or chosen.
    standardised_ : bool
        Whether each feature was divided by its own standard deviation (always if both penalties
        are given), or all by one number (always if they are kept, and with "dot").
    kernel_ : str
        With ``map="prior"``, the kernel chosen: "linear", "local" or "sum".
    share_, variance_ : float
        With ``map="prior"``, ρ and v; 0 for ρ if features do not help. In their terms ``ridge_``
        is 1/(ρ v) and ``penalty_`` is 1/((1 − ρ) v).
    kept_ : float
        By how much the kept features are multiplied, after centring and scaling to a mean square
        length of 1; 0 if they are not kept.
    cv_results_ : dict of str to ndarray, or None
        A row per candidate: ``ridge``, ``penalty``, ``standardised``, ``kept``, and the mean
        loss (of the map at its best size) and share of wrong answers held out: ``answers_loss``,
        ``answers_error`` (objects were in the fit), ``objects_loss``, ``objects_error`` (at least
        one of the objects was not). None if both penalties were given. With ``map="prior"`` also
        ``kernel``; an infinite ridge ignores features, and objects are held out for the map chosen.
    loss_ : float
        The loss there, summed over the answers, without penalties.
    n_iter_ : int
        Iterations.
    history_ : ndarray of shape (n_iterations + 1,)
        Loss and penalties at the start and after each iteration.
    converged_ : bool
        Whether the fit converged; if not, it has warned.
    classes_ : ndarray of shape (2,)
        Labels of false and of true rows.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    STE : The same loss with answers alone.
    WeightedTETE : A map from features alone.

    References
    ----------
    M. Schultz and T. Joachims, "Learning a distance metric from relative comparisons", NIPS 2003:
    a linear map from triplets. The free part is that of mixed models.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> rng = np.random.default_rng(0)
    >>> features = rng.normal(size=(60, 10))
    >>> seen, unseen = features[:50], features[50:]
    >>> answers = od.sources.random_triplets(seen[:, :2], 500, random_state=0)
    >>> model = od.FeatureEmbedding(2, random_state=0).fit(answers, features=seen)
    >>> model.transform(unseen).shape
    (10, 2)
    >>> test = od.sources.random_triplets(unseen[:, :2], 1000, random_state=1)
    >>> model.score(test, features=unseen) > 0.9
    True
    """

    n_components: int = 2
    _: KW_ONLY
    map: str = "linear"
    loss: str = "STE"
    ridge: float | str = "auto"
    penalty: float | str = "auto"
    keep_features: bool | str = False
    similarity: str = "euclidean"
    n_init: int = 1
    folds: int = 5
    device: str = "cpu"

    def fit(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        features: Any = None,
    ) -> Self:
        """Place objects by answers and features.

        Parameters
        ----------
        X : Comparisons, Trials or array-like of shape (n_comparisons, 3 or 4)
            The answers. Whole odd-one-out trials have the three-way likelihood of STE.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written; by default all do.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.
        features : array-like or data frame of shape (n_objects, n_features)
            Needed. The rows of an array are the objects 0, 1, …; those of a pandas data frame are
            matched to the answers' objects by its index. Rows of objects in no answer are placed
            too, by their features; a row of NaN is an object without features, placed by its
            answers. scikit-learn's ``cross_val_score(model, answers, params={"features": ...})``
            passes them on whole, unless there are as many rows as answers.

        Returns
        -------
        self
            The fitted estimator.
        """
        _refuse_features_as_labels(y)
        if features is None:
            raise InputError(f"Features are missing: pass them by name ({parameter('features')}).")
        record = answers_to_fit(X, sample_weight, y)
        self._check_parameters(record)
        rng = as_generator(self.random_state)
        seed = int(rng.integers(2**31))
        rows, names = rows_of_objects(record, features)
        check_dimension("n_components", self.n_components, len(rows))
        record = type(record)(
            record.rows, n_objects=len(rows), weights=record.weights, groups=record.groups
        )
        featured = self._describe_objects(record, rows, names)
        _warn_of_constant(rows[featured])
        self.n_features_in_ = rows.shape[1]
        held_out = self._hold_out(record, featured, rng)
        self.classes_ = answer_classes(y)
        if self.map == "prior":
            return self._fit_prior(record, rows, held_out, names, seed)
        searches = {}
        for similarity in self._similarities():
            fits = FeatureFits(
                rows,
                featured,
                self._forms(similarity),
                similarity=similarity,
                seed=seed,
                **{name: getattr(self, name) for name in _OF_FITS},
            )
            search = self._search(record, fits, held_out)
            cost = search.try_features() if self.similarity == "auto" else 0.0
            searches[similarity] = cost, fits, search
        self.similarity_ = min(searches, key=lambda one: searches[one][0])
        _, fits, search = searches[self.similarity_]
        best = self._choose(fits, search)
        self._keep(record, fits, best, names)
        self.ridge_, self.penalty_, self.standardised_, _ = best
        return self

    def _fit_prior(
        self,
        record: Answers,
        rows: NDArray[Any],
        held_out: Sequence[HeldOut],
        names: tuple[str, ...] | None,
        seed: int,
    ) -> Self:
        """Choose the prior of the map by its features, and keep the most probable map."""
        self.similarity_ = "euclidean"
        given = {name: getattr(self, name) for name in _OF_FITS}
        of = FeatureFits(
            rows, ~np.isnan(rows).any(axis=1), [], similarity="euclidean", seed=seed, **given
        )

        fits = PriorFits(
            record, make_kernels(rows, seed), self.n_components, of.objective, of.judge,
            seed=seed, max_iter=self.max_iter, tol=self.tol, n_jobs=self.n_jobs,
        )  # fmt: skip
        answers, objects = (
            [part.rows for part in held_out if part.is_objects == whole] for whole in (False, True)
        )
        total = MOST_TRIED * len(answers) + len(objects)
        with progress("Choosing the prior", total=total, enabled=self.verbose) as advance:
            fits.advance = lambda: advance(1)
            best = fits.choose(answers)
            unseen = np.full((1, 2), np.nan)
            if objects:
                unseen = best_sized(fits.hold_out([best], objects)[0])
        prior, found = fits.fit(best)
        kernel = fits.kernels[best.kernel]
        self.kernel_, self.share_, self.variance_ = kernel.kind, best.share, best.variance
        self.standardised_ = kernel.standardised
        self.ridge_, self.penalty_ = _penalties(best)
        self._map: Any = kernel
        self._prior, self._weights = prior, prior.weights(found.points)
        self._keeps, self.kept_ = False, 0.0
        self.cv_results_: dict[str, NDArray[Any]] | None = _table_of_priors(fits, best, unseen)
        self.components_: Any = None
        self.intercept_: Any = None
        self._tell(
            prior.color(found.points),
            prior.told(found.points),
            names,
            found.history,
            found.converged,
        )
        self.loss_ = of.loss(record, prior.color(found.points))
        return self

    def _check_parameters(self, record: Answers) -> None:
        check_choice("map", self.map, MAPS)
        if self.map == "prior":
            self._check_prior()
        check_choice("loss", self.loss, tuple(LIKELIHOODS))
        for name in ("ridge", "penalty"):
            value = getattr(self, name)
            if isinstance(value, str):
                check_choice(name, value, ("auto",))
            elif not _is_infinite(value):
                check_real(name, value, minimum=_LEAST_PENALTY)
        check_choice("similarity", self.similarity, (*SIMILARITIES, "auto"))
        if not isinstance(self.keep_features, bool | np.bool_) and self.keep_features != "auto":
            raise InputError(
                f"keep_features must be True, False or 'auto'; got {self.keep_features!r}."
            )
        may_be_dot = self.similarity != "euclidean"
        needs_softmax = {
            "Dot products": may_be_dot,
            "Kept features": bool(self.keep_features),
            "Whole trials": isinstance(record, Trials),
        }
        what = next((what for what, needs in needs_softmax.items() if needs), None)
        if what and self.loss != "STE":
            raise InputError(f"{what} need {argument('loss', 'STE')}; got {self.loss!r}.")
        if may_be_dot and self.map == "mlp":
            raise InputError(f"Dot products need {argument('map', 'linear')} or 'rbf'; got 'mlp'.")
        check_integer("n_init", self.n_init, minimum=1)
        if self.n_init > 1 and not may_be_dot:
            raise InputError(
                f"n_init must be 1 without {argument('similarity', 'dot')}, since only dot"
                f" products are averaged; got {self.n_init}."
            )
        for name, others in (("similarity", "'euclidean' or 'dot'"), ("keep_features", "a bool")):
            if getattr(self, name) == "auto" and not self._is_searching:
                raise InputError(
                    f"{argument(name, 'auto')} is chosen together with a penalty; leave ridge or"
                    f" penalty at 'auto', or choose {others}."
                )
        check_integer("folds", self.folds, minimum=2)
        self._check_steps()
        if len(record) == 0:
            raise InputError(NO_ROWS)

    def _check_prior(self) -> None:
        """Refuse what a prior chooses itself or does not know."""
        fixed = {
            "ridge": "auto", "penalty": "auto", "keep_features": False, "similarity": "euclidean",
        }  # fmt: skip
        for name, value in fixed.items():
            if getattr(self, name) is not value and getattr(self, name) != value:
                raise InputError(
                    f"{argument('map', 'prior')} needs {argument(name, value)}; got"
                    f" {getattr(self, name)!r}. Leave it out, or choose another map."
                )

    @property
    def _is_dot(self) -> bool:
        return self.similarity_ == "dot"

    @property
    def _is_searching(self) -> bool:
        return isinstance(self.ridge, str) or isinstance(self.penalty, str)

    def _similarities(self) -> tuple[str, ...]:
        return SIMILARITIES if self.similarity == "auto" else (self.similarity,)

    def _describe_objects(
        self, record: Answers, rows: NDArray[Any], names: Sequence[str] | None
    ) -> NDArray[np.bool_]:
        """Note, and say, which objects have only answers or only features."""
        featured: NDArray[np.bool_] = ~np.isnan(rows).any(axis=1)
        asked = np.zeros(len(rows), dtype=bool)
        asked[record.rows] = True
        neither = np.flatnonzero(~featured & ~asked)
        if len(neither):
            which = _listed(neither, names)
            raise InputError(f"There are neither features nor answers for {which}: leave it out.")
        if not featured.any():
            raise InputError("No object has features; to place objects by answers, use STE.")
        self.placed_by_ = np.where(featured & asked, "both", np.where(asked, "answers", "features"))
        for word, lack in (("features", "answers"), ("answers", "features")):
            lacking = np.flatnonzero(self.placed_by_ == word)
            if len(lacking):
                which = _listed(lacking, names)
                warnings.warn(
                    f"There are no {lack} for {which}: placed by {word} alone.", stacklevel=4
                )
        return featured

    def _forms(self, similarity: str) -> list[Form]:
        """Return the forms of features that are tried, or the one that is asked for."""
        kept = (False, True) if self.keep_features == "auto" else (bool(self.keep_features),)
        one_by_one = (True, False) if self._is_searching else (True,)
        forms = []
        for keep in kept:
            is_one_scale = keep or similarity == "dot"
            forms += [Form(each, keep) for each in ((False,) if is_one_scale else one_by_one)]
        return forms

    def _hold_out(
        self, record: Answers, featured: NDArray[np.bool_], rng: np.random.Generator
    ) -> list[HeldOut]:
        """Return what is held out to choose penalties, if any are to be chosen."""
        if not self._is_searching:
            return []
        return parts_to_hold_out(record, featured, self.folds, rng)

    def _search(
        self, record: Answers, fits: FeatureFits, held_out: Sequence[HeldOut]
    ) -> PenaltySearch:
        """Return what tries penalties, those apart that were given."""
        ridge, penalty = (
            None if isinstance(value, str) else float(value) for value in (self.ridge, self.penalty)
        )
        return PenaltySearch(
            record,
            held_out,
            fits.roughly,
            fits.judge,
            ridge=ridge,
            penalty=penalty,
            forms=tuple(fits.described),
            until_worse=len(held_out) < self.folds,
            n_jobs=self.n_jobs,
        )

    def _choose(self, fits: FeatureFits, search: PenaltySearch) -> Candidate:
        """Return the penalties that were given, or the best of those tried."""
        self.cv_results_ = None
        if search.ridge is not None and search.penalty is not None:
            return Candidate(search.ridge, search.penalty, *search.forms[0])
        total = search.n_tried * len(search.held_out)
        with progress("Choosing penalties", total=total, enabled=self.verbose) as advance:
            search.advance = lambda: advance(1)
            best = search.best()
        self.cv_results_ = search.table()
        if fits.similarity == "euclidean" and self.map == "linear" and not best.kept:
            _warn_of_good_features(search, best, fits.described[Form(False, False)].mapped)
        return best

    def _keep(
        self,
        record: Answers,
        fits: FeatureFits,
        best: Candidate,
        names: tuple[str, ...] | None,
    ) -> None:
        """Make the map that was chosen, and what is told about it."""
        placed, of = fits.place(record, best), fits.described[best.form]
        self._parameters, self._keeps, self.kept_ = placed.parameters, best.kept, placed.kept
        self._map, self._part = of.scaled, of.empty
        feature_part = self._feature_part(of.mapped)
        self._tell(placed.points, feature_part, names, placed.history, placed.converged)
        self.loss_ = fits.loss(record, placed.points)
        self.components_, self.intercept_ = None, None
        if self.map == "linear":
            n_mapped = self._map.n_outputs
            matrix = placed.parameters.reshape(self._part.shape)
            self.components_, offset = self._map.in_features(
                self._beside(np.eye(n_mapped), matrix[:n_mapped])
            )
            self.intercept_ = offset + self._shift
            if self._is_dot:
                self.intercept_[-matrix.shape[1] :] += matrix[-1]

    def _tell(
        self,
        points: Points,
        feature_part: Points,
        names: tuple[str, ...] | None,
        history: NDArray[np.float64],
        converged: bool,
    ) -> None:
        """Keep a map, what features say of it and how its fit ended."""
        self._shift = -points.mean(axis=0) * (not self._is_dot)
        self.embedding_: Points = points + self._shift
        self.names_ = names
        both = self.placed_by_ == "both"
        parts = (feature_part[both], (points - feature_part)[both])
        self.residuals_ = np.linalg.norm(points - feature_part, axis=1)
        self.residuals_[~both] = np.nan
        variances = [float(np.square(a - a.mean(axis=0)).sum()) for a in parts]
        self.explained_ = variances[0] / max(sum(variances), 1e-300)
        self.history_ = history
        self.n_iter_ = len(history) - 1
        self.converged_ = converged
        if is_collapsed(self.embedding_):
            warnings.warn(
                "All objects are in one place, as the penalties outweigh the answers; lower ridge"
                " and penalty.",
                stacklevel=4,
            )
        warn_unless_converged(type(self).__name__, converged, self.n_iter_, self.max_iter)

    def _beside(self, kept: NDArray[Any], points: NDArray[Any]) -> NDArray[np.float64]:
        """Put kept features, if there are any, before what the map says."""
        if not self._keeps:
            return np.asarray(points, dtype=np.float64)
        return np.hstack([self.kept_ * kept, points])

    def _feature_part(self, mapped: NDArray[Any]) -> NDArray[np.float64]:
        """Return what features say of objects, not centred."""
        if self.map == "prior":
            return np.asarray(mapped @ self._weights)
        points = self._part.of(mapped, self._parameters)
        if self._is_dot:
            points = np.maximum(points, 0)
        return self._beside(mapped[:, : self._map.n_outputs], points)

    # written out, as scikit-learn's set_output sees only what a class itself defines
    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[np.float64]:
        """Place objects by answers and features, and return the map.

        Parameters
        ----------
        X, y
            As for `fit`.
        **fit_params
            Further parameters of `fit`: `features` and, if wanted, `sample_weight`.

        Returns
        -------
        ndarray of shape (n_objects, n_components)
            A copy of `embedding_`.
        """
        return super().fit_transform(X, y, **fit_params)

    def transform(self, X: Any, *, return_std: bool = False) -> Any:
        """Place objects by their features alone; the map stays as it is.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            Features of any objects.
        return_std : bool, default=False
            Also return how uncertain each place is; needs ``map="prior"``.

        Returns
        -------
        points : ndarray of shape (n_objects, n_components)
            What their features say, on the fitted map. For a fitted object that leaves out its
            free part; its place is in `embedding_`.
        std : ndarray of shape (n_objects,)
            With `return_std`, the standard deviation of each coordinate of a new object, given
            the places of the objects asked about.
        """
        check_is_fitted(self)
        if return_std and self.map != "prior":
            raise InputError(f"return_std needs {argument('map', 'prior')}; got {self.map!r}.")
        rows = check_points("features", X)
        if rows.shape[1] != self.n_features_in_:
            raise InputError(
                f"features has {rows.shape[1]} columns; the fit had {self.n_features_in_}."
            )
        mapped = self._map(rows)
        placed: Points = self._feature_part(mapped) + self._shift
        if not return_std:
            return placed
        asked = self.placed_by_ != "features"
        return placed, np.sqrt(self._prior.variances(mapped, self._map.diagonal(rows), asked))

    def decision_function(
        self, X: Comparisons | ArrayLike, *, features: Any = None
    ) -> NDArray[np.float64]:
        """Return by how much the far distance exceeds the near one, or the dot product the other.

        Parameters
        ----------
        X : Comparisons, Trials or array-like of shape (n_comparisons, 3 or 4)
            Answers about fitted objects, or about those in `features`.
        features : array-like of shape (n_objects, n_features), optional
            Features of the objects that are compared, which are then placed by `transform`.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            Positive where the map agrees with the row.
        """
        record, points = self._record_and_points(X, features)
        near = alike(points, pairs_of(record), self.similarity_)
        if not self._is_dot:
            near = -np.sqrt(-near)
        margins: NDArray[np.float64] = near[:, 0] - near[:, 1:].max(axis=1)
        return margins

    def predict(self, X: Comparisons | ArrayLike, *, features: Any = None) -> NDArray[Any]:
        """Tell for each row whether it holds on the map.

        Parameters
        ----------
        X : Comparisons, Trials or array-like of shape (n_comparisons, 3 or 4)
            Answers about fitted objects, or about those in `features`.
        features : array-like of shape (n_objects, n_features), optional
            Features of the objects that are compared, which are then placed by `transform`.

        Returns
        -------
        ndarray of bool, shape (n_comparisons,)
            Whether the first pair is nearer.
        """
        return predicted_answers(self.decision_function(X, features=features), self.classes_)

    def score(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        features: Any = None,
    ) -> float:
        """Return the share of comparisons that hold on the map.

        Parameters
        ----------
        X : Comparisons, Trials or array-like of shape (n_comparisons, 3 or 4)
            Answers about fitted objects, or about those in `features`, usually held out.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written; by default all do.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.
        features : array-like of shape (n_objects, n_features), optional
            Features of the objects that are compared, which are then placed by `transform`.

        Returns
        -------
        float
            Weighted accuracy between 0 and 1.
        """
        _refuse_features_as_labels(y)
        given = self._record_and_points(X, features, sample_weight, y)
        return share_that_agrees(*given, self.similarity_)

    def _record_and_points(
        self, X: Any, features: Any, weights: ArrayLike | None = None, y: ArrayLike | None = None
    ) -> tuple[Answers, Points]:
        check_is_fitted(self)
        record = as_answers(X, weights, y)
        points, names = self.embedding_, self.names_
        if features is not None:
            points, names = self.transform(features), labels_of_rows(features)
        return answers_in_fit(record, len(points), names), points

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def _warn_of_constant(rows: NDArray[Any]) -> None:
    """Say which features are the same for all objects."""
    constant = rows.max(axis=0) == rows.min(axis=0)
    if constant.any() and not constant.all():
        warnings.warn(
            f"{constant.sum()} of {rows.shape[1]} features are constant and carry no information;"
            f" the first is column {np.argmax(constant)}.",
            stacklevel=3,
        )


def _warn_of_good_features(search: PenaltySearch, best: Candidate, features: Points) -> None:
    """Say that the features themselves predict held-out answers better than a map of them."""
    of_map, of_features = search.error(best), search.error_at(features)
    if of_features < of_map - _ERRORS * (0.5 / search.n_held_out) ** 0.5:
        warnings.warn(
            f"Distances between the features predict {1 - of_features:.0%} of the held-out answers,"
            f" this map {1 - of_map:.0%}. To predict answers, pass"
            f" {argument('keep_features', 'auto')}, or more components.",
            stacklevel=4,
        )


def _penalties(choice: PriorChoice) -> tuple[float, float]:
    """Return a prior as penalties of what features say and of the free part."""
    ridge = 1 / (choice.share * choice.variance) if choice.share else np.inf
    return ridge, 1 / ((1 - choice.share) * choice.variance)


def _table_of_priors(
    fits: PriorFits, best: PriorChoice, unseen: NDArray[np.float64]
) -> dict[str, NDArray[Any]]:
    """Return the priors tried as columns, the chosen one first."""
    tried = sorted(fits.results, key=lambda choice: choice != best)
    penalties = np.array([_penalties(choice) for choice in tried])
    figures = np.array([best_sized(fits.results[choice]).mean(axis=0) for choice in tried])
    kernels = [fits.kernels[choice.kernel] for choice in tried]
    of_objects = np.full((len(tried), 2), np.nan)
    of_objects[0] = unseen.mean(axis=0)
    return {
        "ridge": penalties[:, 0],
        "penalty": penalties[:, 1],
        "standardised": np.array([kernel.standardised for kernel in kernels]),
        "kept": np.zeros(len(tried), dtype=bool),
        "kernel": np.array([kernel.kind for kernel in kernels]),
        "answers_loss": figures[:, 1],
        "answers_error": figures[:, 0],
        "objects_loss": of_objects[:, 1],
        "objects_error": of_objects[:, 0],
    }


def _is_infinite(value: object) -> bool:
    return isinstance(value, float) and value == np.inf


def _refuse_features_as_labels(y: Any) -> None:
    """Refuse what is no label of a row: features, or answers as a pipeline would pass them."""
    if isinstance(y, Comparisons | Trials):
        raise InputError(
            f"The answers come first, then the features by name ({parameter('features')}). What a"
            " pipeline would do to the features is done before."
        )
    if np.ndim(y) > 1:
        raise InputError(f"Pass the features by name ({parameter('features')}), not as y.")


def _listed(numbers: NDArray[np.intp], names: Sequence[str] | None) -> str:
    """Name a few objects."""
    first = ", ".join(str(names[at] if names else at) for at in numbers[:_LISTED])
    more = f" and {len(numbers) - _LISTED} more" if len(numbers) > _LISTED else ""
    return f"object{'s' * (len(numbers) > 1)} {first}{more}"
