"""FeatureEmbedding: a map from answers and features together."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
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
    some_of,
    weighted_mean,
)
from ordinate._estimator import BaseEstimator, EmbeddingMixin, Iterates
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.answers import answer_classes, predicted_answers
from ordinate.comparisons.choices import (
    Answers,
    answers_in_fit,
    answers_to_fit,
    as_answers,
    pairs_of,
)
from ordinate.comparisons.labels import DoubtfulObjectsWarning
from ordinate.comparisons.record import Comparisons
from ordinate.comparisons.trials import Trials
from ordinate.engine.choices import ChoiceObjective, alike, choices_right
from ordinate.engine.distances import share_that_holds
from ordinate.engine.likelihoods import LIKELIHOODS, likelihood
from ordinate.engine.objective import make_objective
from ordinate.features.alignment import labels_of_rows, rows_of_objects
from ordinate.prior import (
    KERNELS,
    MOST_TRIED,
    SIZES,
    FeatureKernel,
    Prior,
    PriorChoice,
    PriorFits,
    at_best_size,
    judge_choices,
)
from ordinate.solvers.stopping import Function, warn_unless_converged

SIMILARITIES = ("euclidean", "dot")
"""By what two objects of a map are alike; "auto" tries both."""
_LISTED = 3
"""Objects that a warning names."""
_LEAST_SPREAD = 1e-4
"""Mean squared distance from the middle below which all objects are in one place."""
_FITTED, _MULTIPLIED = 100_000, 3_000_000
"""Comparisons that are fitted for each prior, and products of features and coordinates; of more,
fewer parts are held out."""
_SIZE = 0.35
"""Penalty of non-negative coordinates, which otherwise grow and predict worse as a fit goes on."""
_SPREAD, _LIFT = 0.1, 0.5
"""Of non-negative coordinates at the start: deviation and mean; one that is 0 for all stays so."""
_MOST_STARTS, _STARTED = 4, 24
"""Random starts are up to so many, and have up to so many coordinates of an object together."""


@dataclass(eq=False, repr=False)
class FeatureEmbedding(
    EmbeddingMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Iterates, BaseEstimator
):
    """Place objects by answers and features together, and objects nobody asked about by features.

    Each coordinate of the map is normal over objects with the covariance v (ρ K + (1 − ρ) I),
    where K says which objects have similar features. With ρ near 1 similar features make similar
    places likely; with ρ = 0 features are ignored. The map is the most probable one given the
    answers. ρ, v, K and the mean (zero or the principal axes of the features) are chosen by
    cross-validation; features are ignored unless they help by more than a standard error.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    loss : {"STE", "TSTE", "CKL", "SOE"}, default="STE"
        −log of the probability of an answer, by the method that it belongs to; "SOE" is a logistic
        function of the difference of distances.
    prior : "auto" or dict, default="auto"
        The prior, if it is not to be chosen: ``share`` (ρ), ``variance`` (v), ``kernel``
        ("linear", "local" or their mean, "sum"), ``standardised`` (whether each feature is
        divided by its own standard deviation, or all by one number) and ``trust`` (how far the
        mean lies along the principal axes). What is left out is 0.8, 0.3, "sum", False and 0.
    similarity : {"euclidean", "dot", "auto"}, default="euclidean"
        By what objects are alike: −‖x_i − x_j‖² or x_i · x_j. With "dot" the coordinates are
        max(0, z_i), not negative as those of `SparseDimensions`, z has the prior, and K is linear.
        Meant for many answers and many components, such as 30. "auto" takes the one that predicts
        held-out answers better.
    n_init : int, default=1
        Of dot products: the number of random starts, whose similarities are averaged. Their
        coordinates stand side by side, divided by the root of their number.
    folds : int, default=5
        Number of folds of answers, and of objects, by which the prior is chosen and judged.
    features : array-like or data frame of shape (n_objects, n_features), optional
        The features, if `fit` gets none: so `compare`, `learning_curve` and all else that fits
        estimators to answers can use them.
    max_iter : int, default=1000
        Most iterations of the solver.
    tol : float, default=1e-4
        The fit has converged when its last ten iterations, or its last tenth if that is more,
        together lower loss and penalties by less than `tol` times themselves.
    random_state : int, Generator or None, default=None
        Seed of the folds, of starts and of the objects that local kernels of many objects are made
        from. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    device : str, default="cpu"
        Where losses are computed: "cpu", "cuda" (or "cuda:1", …), "mps", or "auto" for a GPU if
        there is one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The coordinates of all objects that have answers or features, centred. With
        ``similarity="dot"`` they are not centred, and have a column per start and component.
    names_ : tuple of str or None
        The objects' names, if the answers or the features had any.
    placed_by_ : ndarray of str, shape (n_objects,)
        "both", "features" or "answers".
    prior_ : dict
        The prior, given or chosen; its ``share`` is 0 if features do not help.
    similarity_ : str
        "euclidean" or "dot", given or chosen.
    explained_ : float
        Share of the map's variance that lies in what features say, among objects with both.
    residuals_ : ndarray of shape (n_objects,)
        How far each object lies from where its features put it; NaN for objects without features
        or without answers.
    cv_results_ : dict of str to ndarray, or None
        A row per prior that was tried, the chosen one first: its entries, and the mean loss (of
        the map at its best size) and share of wrong answers held out: ``answers_loss``,
        ``answers_error`` (objects were in the fit) and, of the chosen one, ``objects_loss``,
        ``objects_error`` (at least one of the objects was not). None if the prior was given.
    features_help_ : bool or None
        Whether features lower the loss of held-out answers by more than three standard errors.
        None if the prior was given.
    loss_ : float
        The loss there, summed over the answers, without the prior.
    n_iter_ : int
        Iterations.
    history_ : ndarray of shape (n_iterations + 1,)
        Minus the log of the posterior density at the start and after each iteration.
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
    C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006. E. Heim,
    M. Berger, L. Seversky and M. Hauskrecht, "Active perceptual similarity modeling with auxiliary
    information", 2015.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> rng = np.random.default_rng(0)
    >>> features = rng.normal(size=(60, 10))
    >>> seen, unseen = features[:50], features[50:]
    >>> answers = od.sources.random_triplets(seen[:, :2], 500, random_state=0)
    >>> model = od.FeatureEmbedding(2, random_state=0).fit(answers, features=seen)
    >>> places, std = model.transform(unseen, return_std=True)
    >>> test = od.sources.random_triplets(unseen[:, :2], 1000, random_state=1)
    >>> model.score(test, features=unseen) > 0.85
    True
    """

    n_components: int = 2
    _: KW_ONLY
    loss: str = "STE"
    prior: str | Mapping[str, Any] = "auto"
    similarity: str = "euclidean"
    n_init: int = 1
    folds: int = 5
    device: str = "cpu"
    features: Any = None

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
            Needed here or as a parameter. The rows of an array are the objects 0, 1, …; those of a
            pandas data frame are matched to the answers' objects by its index. Rows of objects in
            no answer are placed
            too, by their features; a row of NaN is an object without features, placed by its
            answers. scikit-learn's ``cross_val_score(model, answers, params={"features": ...})``
            passes them on whole, unless there are as many rows as answers.

        Returns
        -------
        self
            The fitted estimator.
        """
        _refuse_features_as_labels(y)
        features = self.features if features is None else features
        if features is None:
            raise InputError(f"Features are missing: pass them by name ({parameter('features')}).")
        with warnings.catch_warnings():  # objects in no answer are placed by their features
            warnings.simplefilter("ignore", DoubtfulObjectsWarning)
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
        self.classes_ = answer_classes(y)
        kinds = SIMILARITIES if self.similarity == "auto" else (self.similarity,)
        fits = {kind: self._fits(record, rows, seed, kind) for kind in kinds}
        self.cv_results_: dict[str, NDArray[Any]] | None = None
        self.features_help_: bool | None = None
        if not isinstance(self.prior, str):
            self.similarity_ = kinds[0]
            choice = PriorChoice(**self.prior)
        else:
            answers, objects = parts_to_hold_out(record, featured, self.folds, rng)
            if rows.shape[0] * min(rows.shape) * self.n_components > _MULTIPLIED:
                answers, objects = answers[:1], objects[:1]
            total = (len(kinds) * MOST_TRIED + 1) * len(answers)
            with progress("Choosing the prior", total=total, enabled=self.verbose) as advance:
                for one in fits.values():
                    one.advance = lambda: advance(1)
                self.similarity_ = _more_probable(fits, answers)
                choice = fits[self.similarity_].choose(answers)
                self.cv_results_ = _table_of_priors(fits[self.similarity_], choice, objects)
                self.features_help_ = fits[self.similarity_].features_help()
        self._keep(record, fits[self.similarity_], choice, names)
        return self

    def _fits(self, record: Answers, rows: NDArray[Any], seed: int, similarity: str) -> PriorFits:
        """Return what fits maps by one similarity."""
        is_dot = similarity == "dot"

        def loss_of(answers: Answers) -> Function:
            n_threads = effective_n_jobs(self.n_jobs) if len(answers) == len(record) else 1
            return self._loss_of(answers, similarity, n_threads)

        def judge(answers: Answers, points: Points) -> NDArray[np.float64]:
            return self._judge(answers, np.maximum(points, 0) if is_dot else points, similarity)

        return PriorFits(
            record, rows, self.n_components, loss_of, judge, seed=seed, max_iter=self.max_iter,
            tol=self.tol, n_jobs=self.n_jobs, starts_of=self._random_starts if is_dot else None,
        )  # fmt: skip

    def _loss_of(self, answers: Answers, similarity: str, n_threads: int) -> Function:
        """Return the loss of answers as a function of coordinates."""
        if similarity == "dot":
            products = ChoiceObjective(answers, similarity="dot", n_threads=n_threads)

            def nonnegative(points: Points) -> tuple[float, Points]:
                loadings = np.maximum(points, 0)
                value, gradient = products(loadings)
                value += _SIZE / 2 * float(np.square(loadings).sum())
                return value, (gradient + _SIZE * loadings) * (points > 0)

            return nonnegative
        if isinstance(answers, Trials):
            return ChoiceObjective(answers, n_threads=n_threads)
        loss = likelihood(self.loss, self.n_components)
        return make_objective(answers, *loss, device=self.device, n_threads=n_threads)

    def _judge(self, answers: Answers, points: Points, similarity: str) -> NDArray[np.float64]:
        """Return of each answer whether it is wrong, and its loss at several sizes."""
        if _is_collapsed(points):
            return np.full((len(answers), 1 + len(SIZES)), np.inf)
        judged = judge_choices(answers, points, similarity)
        if self.loss != "STE":
            loss, parameters = likelihood(self.loss, self.n_components)
            squares = -alike(points, pairs_of(answers), similarity).T
            judged[:, 1:] = np.array([loss(*s**2 * squares, *parameters)[0] for s in SIZES]).T
        return judged

    def _random_starts(self, prior: Prior, rng: np.random.Generator) -> list[Points]:
        """Return starts where nearly all coordinates are well above zero.

        With many coordinates all minima are about as good; with few, a kind of objects may find
        none of its own: the best of several starts counts.
        """
        starts = []
        for _ in range(max(1, min(_MOST_STARTS, _STARTED // self.n_components))):
            rank = prior.factor.shape[1]
            weights = _SPREAD * rng.standard_normal((rank, self.n_components))
            weights[-1] = _LIFT  # of the constant
            told = prior.factor @ weights * (prior.share > 0)
            free = _LIFT + _SPREAD * rng.standard_normal(told.shape)
            starts.append(prior.whiten(weights, np.where(told == 0, free, 0)))
        return starts

    def _check_parameters(self, record: Answers) -> None:
        check_choice("loss", self.loss, tuple(LIKELIHOODS))
        check_choice("similarity", self.similarity, (*SIMILARITIES, "auto"))
        self._check_prior()
        may_be_dot = self.similarity != "euclidean"
        if self.loss != "STE" and (may_be_dot or isinstance(record, Trials)):
            what = "Dot products" if may_be_dot else "Whole trials"
            raise InputError(f"{what} need {argument('loss', 'STE')}; got {self.loss!r}.")
        check_integer("n_init", self.n_init, minimum=1)
        if self.n_init > 1 and not may_be_dot:
            raise InputError(
                f"n_init must be 1 without {argument('similarity', 'dot')}, since only dot"
                f" products are averaged; got {self.n_init}."
            )
        check_integer("folds", self.folds, minimum=2)
        self._check_steps()
        if len(record) == 0:
            raise InputError(NO_ROWS)

    def _check_prior(self) -> None:
        """Refuse a prior that is none."""
        given = self.prior
        if isinstance(given, str):
            if given != "auto":
                raise InputError(f"prior must be 'auto' or a dict; got {given!r}.")
            return
        unknown = sorted(set(given) - set(PriorChoice._fields))
        if unknown:
            raise InputError(
                f"prior has {', '.join(PriorChoice._fields)}; got {unknown[0]!r}. Leave it out."
            )
        choice = PriorChoice(**given)
        check_choice("prior['kernel']", choice.kernel, KERNELS)
        check_real("prior['share']", choice.share, minimum=0, maximum=1)
        check_real("prior['variance']", choice.variance, minimum=0, open_minimum=True)
        check_real("prior['trust']", choice.trust, minimum=0)
        if self.similarity == "auto":
            raise InputError(
                f"{argument('similarity', 'auto')} is chosen together with the prior; leave prior"
                " at 'auto', or choose 'euclidean' or 'dot'."
            )

    @property
    def _is_dot(self) -> bool:
        return self.similarity_ == "dot"

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

    def _keep(
        self,
        record: Answers,
        fits: PriorFits,
        choice: PriorChoice,
        names: tuple[str, ...] | None,
    ) -> None:
        """Make the map under the prior that was chosen, and what is told about it."""
        starts = [fits.fit(choice, start) for start in range(self.n_init if self._is_dot else 1)]
        self._prior, best = min(starts, key=lambda fit: fit[1].value)
        self._kernel: FeatureKernel = fits.kernel(choice)
        self.prior_ = choice._asdict()
        root = len(starts) ** 0.5
        self._weights = np.hstack([prior.weights(fit.points) / root for prior, fit in starts])
        points = np.hstack([prior.color(fit.points) / root for prior, fit in starts])
        feature_part = self._prior.factor @ self._weights
        if self._is_dot:
            points, feature_part = np.maximum(points, 0), np.maximum(feature_part, 0)
        judged = self._judge(record, points, self.similarity_)
        weights = np.ones(len(record)) if record.weights is None else record.weights
        self.loss_ = float(weights @ judged[:, 1 + int(np.flatnonzero(SIZES == 1)[0])])
        self._shift = -points.mean(axis=0) * (not self._is_dot)
        self.embedding_: Points = points + self._shift
        self.names_ = names
        both = self.placed_by_ == "both"
        parts = (feature_part[both], (points - feature_part)[both])
        self.residuals_ = np.linalg.norm(points - feature_part, axis=1)
        self.residuals_[~both] = np.nan
        variances = [float(np.square(a - a.mean(axis=0)).sum()) for a in parts]
        self.explained_ = variances[0] / max(sum(variances), 1e-300)
        self.history_, self.converged_ = best.history, best.converged
        self.n_iter_ = len(best.history) - 1
        if _is_collapsed(points):
            warnings.warn(
                "All objects are in one place, as the prior outweighs the answers; raise its"
                " variance.",
                stacklevel=3,
            )
        warn_unless_converged(type(self).__name__, self.converged_, self.n_iter_, self.max_iter)

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
            Also return how uncertain each place is; not of dot products.

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
        if return_std and self._is_dot:
            raise InputError("Dot products have no return_std; leave it out.")
        rows = check_points("features", X)
        if rows.shape[1] != self.n_features_in_:
            raise InputError(
                f"features has {rows.shape[1]} columns; the fit had {self.n_features_in_}."
            )
        told = self._kernel(rows)
        placed = told @ self._weights
        placed = np.maximum(placed, 0) if self._is_dot else placed + self._shift
        if not return_std:
            return placed
        asked = self.placed_by_ != "features"
        return placed, np.sqrt(self._prior.variances(told, self._kernel.diagonal(rows), asked))

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
        answers, points = given
        if isinstance(answers, Trials) or self._is_dot:
            right = choices_right(answers, points, self.similarity_)
            return weighted_mean(right, answers.weights)
        return share_that_holds(answers, points)

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


def _is_collapsed(points: Points) -> bool:
    """Tell whether all objects are in one place, which predicts nothing."""
    spread = np.square(points - points.mean(axis=0)).sum(axis=1).mean()
    return bool(spread < _LEAST_SPREAD)


def parts_to_hold_out(
    answers: Answers, featured: NDArray[np.bool_], folds: int, rng: np.random.Generator
) -> tuple[list[NDArray[np.bool_]], list[NDArray[np.bool_]]]:
    """Deal answers into folds, and objects with features into as many; of many answers, fewer."""
    question = answers.question_groups()
    n_questions = int(question.max()) + 1
    answer_fold = (rng.permutation(n_questions) % folds)[question]
    object_fold = np.full(answers.n_objects, -1)
    object_fold[featured] = rng.permutation(int(featured.sum())) % folds
    n_comparisons = len(answers) * (2 if isinstance(answers, Trials) else 1)
    used = range(int(np.clip(_FITTED // n_comparisons, 1, folds)))
    rows = object_fold[answers.rows]
    by_answers = [answer_fold == number for number in used]
    by_objects = [(rows == number).any(axis=1) for number in used]
    usable = [
        [part for part in by if part.any() and not part.all()] for by in (by_answers, by_objects)
    ]
    if not usable[0]:
        raise InputError(
            f"{n_questions} question{'s' * (n_questions != 1)} cannot be held out in {folds} parts"
            " to choose the prior; collect more answers, or give it."
        )
    return usable[0], usable[1]


def _more_probable(fits: Mapping[str, PriorFits], held_out: Sequence[NDArray[np.bool_]]) -> str:
    """Return the similarity by which the usual prior predicts held-out answers better."""
    if len(fits) == 1:
        return next(iter(fits))
    usual = PriorChoice("linear", share=0.8, variance=0.1)
    found = {kind: one.hold_out([usual], held_out[:1])[0] for kind, one in fits.items()}
    return min(found, key=lambda kind: float(at_best_size(found[kind]).mean()))


def _table_of_priors(
    fits: PriorFits, best: PriorChoice, objects: Sequence[NDArray[np.bool_]]
) -> dict[str, NDArray[Any]]:
    """Return the priors tried as columns, the chosen one first; hold objects out from it."""
    tried = sorted(fits.results, key=lambda choice: choice != best)
    columns = dict(zip(PriorChoice._fields, map(np.array, zip(*tried, strict=True)), strict=True))
    unseen = np.full((len(tried), 2), np.nan)
    if objects:
        found = fits.hold_out([best], objects)[0]
        unseen[0] = at_best_size(found).mean(), found[:, 0].mean()
    return columns | {
        "answers_loss": np.array([fits.loss(choice) for choice in tried]),
        "answers_error": np.array([fits.error(choice) for choice in tried]),
        "objects_loss": unseen[:, 0],
        "objects_error": unseen[:, 1],
    }


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
    called = [names[at] if names else at for at in numbers]
    return f"object{'s' * (len(numbers) > 1)} {some_of(called, _LISTED)}"
