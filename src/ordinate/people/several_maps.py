"""What estimators with several maps have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from ordinate._arrays import Floats, Indices, Points
from ordinate._checks import check_choice, check_integer
from ordinate._estimator import BaseEstimator, EmbeddingMixin, Iterates, check_is_fitted, clone
from ordinate._progress import Advance
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.answers import PredictsAnswers
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.engine.likelihoods import likelihood
from ordinate.losses import Loss
from ordinate.people.mixture import MapMixture
from ordinate.people.objective import PeopleObjective
from ordinate.people.participants import POOLED, WITH_PROBABILITIES
from ordinate.solvers.new_objects import with_new_objects
from ordinate.solvers.stopping import Function, warn_unless_converged, without_convergence_warnings
from ordinate.triplets.embedding import EmbeddingEstimator

_GUESSES = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.4])
_SPLITS = 3
"""Times that a fifth of the answers is held out to choose the number of maps."""


@dataclass(eq=False, repr=False)
class SeveralMaps(PredictsAnswers, EmbeddingMixin, Iterates, BaseEstimator):
    """Predicts by several maps, of which each has a probability for each answer."""

    n_components: int = 2
    _: KW_ONLY
    loss: str = "STE"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-5

    def _map_probabilities(self, comparisons: Comparisons) -> Floats:
        """Return how probable each map is for each answer, of shape (n_comparisons, n_maps)."""
        raise NotImplementedError

    def _check_several(self) -> None:
        check_integer("n_components", self.n_components, minimum=1)
        check_choice("loss", self.loss, WITH_PROBABILITIES)
        check_integer("n_init", self.n_init, minimum=1)
        self._check_steps()

    def _number_of_maps(
        self,
        comparisons: Comparisons,
        parameter: str,
        most: int,
        rng: np.random.Generator,
        advance: Advance,
        *,
        maximum: int | None = None,
    ) -> int:
        """Return how many maps there are to be: as `parameter` says, or chosen by held-out answers.

        Numbers up to `most` are tried until the likelihood of held-out answers falls twice.
        """
        wanted = getattr(self, parameter)
        self.held_out_: Floats | None = None
        if not isinstance(wanted, str):
            return check_integer(parameter, wanted, minimum=1, maximum=maximum)
        check_choice(parameter, wanted, ("auto",))
        splits = [comparisons.train_test_split(0.2, random_state=rng) for _ in range(_SPLITS)]
        values: list[float] = []
        for number in range(1, most + 1):
            model = clone(self).set_params(
                **{parameter: number}, random_state=rng, verbose=False, tol=10 * self.tol
            )
            with without_convergence_warnings():
                found = [
                    model.fit(train)._log_likelihood_with_guesses(test) for train, test in splits
                ]
            values.append(float(np.mean(found)))
            advance(1, note=f"{number} maps")
            if max(values) not in values[-2:]:
                break
        self.held_out_ = np.array(values)
        return int(np.argmax(values)) + 1

    def _keep(self, mixture: MapMixture, comparisons: Comparisons) -> None:
        """Keep what a mixture has found."""
        warn_unless_converged(
            type(self).__name__, mixture.converged, mixture.n_rounds, self.max_iter
        )
        self.memberships_ = mixture.memberships()
        self.shares_ = mixture.shares
        maps = np.array(mixture.maps)
        self.embeddings_: Points = maps - maps.mean(axis=1, keepdims=True)
        self.embedding_ = self.embeddings_[0]
        self.names_ = comparisons.names
        self.converged_, self.n_iter_ = mixture.converged, mixture.n_rounds

    def pooled_method(self) -> EmbeddingEstimator:
        """Return the method, not fitted, that makes one map of all answers."""
        return POOLED[self.loss](
            self.n_components, random_state=self.random_state, n_jobs=self.n_jobs
        )

    def _likelihood(self) -> tuple[Loss, Sequence[float]]:
        return likelihood(self.loss, self.n_components)

    def predict_proba(self, X: Comparisons | ArrayLike) -> Floats:
        """Return the probabilities that each row is false and that it is true.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects.

        Returns
        -------
        ndarray of shape (n_comparisons, 2)
            Probabilities of `classes_`.
        """
        holds = 0.5 + 0.5 * self.decision_function(X)
        return np.column_stack([1.0 - holds, holds])

    def _margins(self, comparisons: Comparisons) -> Floats:
        """Return by how much it is more probable that a row holds than that it does not."""
        loss, parameters = self._likelihood()
        on_maps = np.column_stack(
            [
                np.exp(-loss(*squared_distances(points, comparisons.rows), *parameters)[0])
                for points in self.embeddings_
            ]
        )
        # a tie on all maps is exactly 0, whatever their probabilities add up to
        differences = self._map_probabilities(comparisons) * (2.0 * on_maps - 1.0)
        summed: Floats = differences.sum(axis=1)
        return summed

    def log_likelihood(self, X: Comparisons | ArrayLike) -> float:
        """Return the mean logarithm of the answers' probabilities.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects, usually held out from the fit.

        Returns
        -------
        float
            At most 0; −0.69 for guessing.
        """
        comparisons = self._matched(X)
        holds = self.predict_proba(comparisons)[:, 1]
        return float(np.average(np.log(np.maximum(holds, 1e-300)), weights=comparisons.weights))

    def transform(self, X: Comparisons | ArrayLike, y: ArrayLike | None = None) -> Points:
        """Find coordinates on every map for objects that were not in the fit; the maps stay.

        An answer that follows another map is random on this one.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of new objects with fitted ones, as in the methods for one map.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written.

        Returns
        -------
        ndarray of shape (n_maps, X.n_objects, n_components)
            One row per object of `X` on each map: those of `embeddings_`, and the places found.
        """
        check_is_fitted(self)
        comparisons = as_comparisons(X, y)

        def on_map(number: int) -> Points:
            def sum_over(record: Comparisons) -> Function:
                loss, parameters = self._likelihood()
                each = np.arange(len(record))
                objective = PeopleObjective(record, each, loss, parameters, lapses=True)
                alike = np.zeros((len(record), self.n_components))
                by_coin = logit(1.0 - self._map_probabilities(record)[:, number])

                def value_and_gradient(points: Points) -> tuple[float, Points]:
                    value, gradient = objective(points, alike, by_coin)
                    return value, gradient.points

                return value_and_gradient

            return with_new_objects(
                self.embeddings_[number],
                self.names_,
                comparisons,
                sum_over,
                as_generator(self.random_state),
                max_iter=self.max_iter,
                tol=self.tol,
            )

        return np.array([on_map(number) for number in range(len(self.embeddings_))])

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Points:
        """Fit, and return the coordinates on every map.

        Parameters
        ----------
        X, y
            As for `fit`.
        **fit_params
            Further parameters of `fit`, such as `sample_weight`.

        Returns
        -------
        ndarray of shape (n_maps, n_objects, n_components)
            A copy of `embeddings_`, which may be written to.
        """
        super().fit_transform(X, y, **fit_params)
        return self.embeddings_.copy()

    def _log_likelihood_with_guesses(self, comparisons: Comparisons) -> float:
        """Return the same if a share of answers is guessed, for the best of a few such shares.

        Maps of few answers are too sure of themselves, and a few clear mistakes would decide.
        """
        holds = self.predict_proba(comparisons)[:, 1:]
        values = np.log(0.5 * _GUESSES + (1.0 - _GUESSES) * holds)
        return float(np.average(values, axis=0, weights=comparisons.weights).max())

    def _begun(
        self, kind: type[MapMixture], answers: Comparisons, units: Indices, space: Any, maps: Any
    ) -> MapMixture:
        """Return a mixture of maps before its first round; answers of one unit are of one map."""
        n_threads = effective_n_jobs(self.n_jobs)
        return kind(answers, units, *self._likelihood(), maps, space, n_threads)
