"""The estimator behind every method that places objects by a loss on comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import chain, islice
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import orthogonal_procrustes

from ordinate import losses
from ordinate._arguments import argument
from ordinate._arrays import Points
from ordinate._checks import (
    NO_ROWS,
    InputError,
    check_choice,
    check_dimension,
    check_integer,
    check_start,
)
from ordinate._estimator import BaseEstimator, EmbeddingMixin, Iterates, check_is_fitted, sharing
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.answers import PredictsAnswers, answer_classes, in_fit, numbers_in_fit
from ordinate.comparisons.inputs import (
    Record,
    as_comparisons,
    as_record,
    in_memory,
    kept,
    record_to_fit,
)
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import record_distances, share_that_holds
from ordinate.engine.objective import Objective, make_objective, resolve_device
from ordinate.losses import Loss
from ordinate.solvers.bounded_size import penalized
from ordinate.solvers.lbfgs import lbfgs_from
from ordinate.solvers.new_objects import PlacesNewObjects
from ordinate.solvers.stopping import Callback, Function, Result, warn_of_fit, warn_unless_converged
from ordinate.triplets.initialization import (
    at_best_scale,
    draw_comparisons,
    random_start,
    spectral_start,
)

_SCALE_ROWS = 20_000
"""Comparisons that are enough to find the scale of a start."""
_STARTS_AT_ONCE = 256
"""Starts that are in memory together, enough to fill a GPU."""
_COLLAPSED = 0.99
"""From this share of the loss of a map without extent, the fit has collapsed to one point."""
_FEW_PER_OBJECT = 5
"""With more answers per object it is their contradictions that leave a map without extent."""

SHARED_PARAMETERS = """
    init : {"spectral", "random"} or array-like (n_objects, n_components), default="spectral"
        Where to begin: from the signed graph of the comparisons, at random, or at given
        coordinates.
    n_init : int or "auto", default="auto"
        Number of starts, of which the best is kept. All but the first are random. "auto" runs a
        few iterations from up to nine starts on up to sixty comparisons per object: the first,
        and projections of maps with three dimensions more. It follows the first and up to four of
        the best, fits all comparisons from the one that leads furthest down (from all of them, if
        there are more comparisons than these), makes a detour through one more dimension from the
        minimum, and keeps what is lower. How many depends on the numbers of comparisons, objects
        and dimensions alone: where answers are so many that each run takes long, three starts are
        compared and one is followed, without a detour.
    max_iter : int, default=1000
        Most iterations of the solver, for each start.
    tol : float, default=1e-4
        The fit has converged when its last ten iterations, or its last tenth if that is more,
        together lower the loss by less than `tol` times itself, or when the loss is below `tol`
        times that of a map without extent.
    random_state : int, Generator or None, default=None
        Seed of the starts. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    device : str, default="cpu"
        Where to compute: "cpu", "cuda" (or "cuda:1", …), "mps", or "auto" for a GPU if there is
        one. On a GPU distances are float32, and all starts run as one batch.
    verbose : bool, default=False
        Show a progress bar.
    callback : callable, optional
        Called after each iteration with its number, the loss and the coordinates; a fit ends
        when it returns True.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The coordinates, centred.
    names_ : tuple of str or None
        The objects' names, if the comparisons had any.
    loss_ : float
        The loss there, summed over the comparisons, and the penalty if there is one.
    n_iter_ : int
        Iterations of the best start.
    history_ : ndarray of shape (n_iterations + 1,)
        The loss at the best start and after each of its iterations.
    converged_ : bool
        Whether the fit converged; if not, it has warned.
    n_init_ : int
        Number of starts that were compared.
    answers_ : Comparisons or None
        The answers of all fits so far, without groups, for `partial_fit`; None if they are not in
        memory.
    classes_ : ndarray of shape (2,)
        Labels of false and of true rows: False and True, or -1 and +1 if the
        answers given to `fit` were.
"""


document_parameters = sharing(SHARED_PARAMETERS)


class Problem(NamedTuple):
    """What a solver is given besides where to begin."""

    comparisons: Record
    objective: Objective
    callback: Callback | None


@dataclass(eq=False, repr=False)
class EmbeddingEstimator(
    PredictsAnswers, PlacesNewObjects, EmbeddingMixin, Iterates, BaseEstimator
):
    """What the estimators of this package have in common; see `OrdinalEmbedding`."""

    n_components: int = 2
    _: KW_ONLY
    init: str | ArrayLike = "spectral"
    n_init: int | str = "auto"
    device: str = "cpu"
    callback: Callback | None = None

    def _loss(self) -> tuple[Loss, Sequence[float]]:
        """Return the loss and its parameters, checked."""
        raise NotImplementedError

    def _first_loss(self) -> tuple[Loss, Sequence[float]]:
        """Return the loss that a fit begins with, by which its starts are judged."""
        return self._loss()

    def _posterior_likelihood(self) -> tuple[Loss, Sequence[float]]:
        """Return −log of an answer's probability, lapses left out, that posterior draws are of."""
        return losses.ste, ()

    def _largest_radius(self) -> float:
        """Return how large a map may become; losses with a scale of their own need no bound."""
        return np.inf

    def _why_it_may_not_converge(self, points: Points) -> str:
        """Return what a centred map that a fit left says about its end."""
        return ""

    def _coordinate_penalty(self) -> float:
        """Return the weight of the sum of squared coordinates in what is minimised."""
        return 0.0

    @property
    def _is_unpenalized(self) -> bool:
        """Whether nothing keeps a map from satisfying wrong answers if it can."""
        return not getattr(self, "penalty", 0)

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Place the objects so that the comparisons hold as far as possible.

        Parameters
        ----------
        X : Comparisons, PartitionedComparisons, Dask array or array-like, 3 or 4 columns
            Triplets (anchor, near, far) or quadruplets (i, j, k, l). A Dask data frame will do,
            too. Comparisons in partitions stay where they are.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written; by default all do.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.

        Returns
        -------
        self
            The fitted estimator.
        """
        record = _record_of(X, y, weights=sample_weight)
        if isinstance(record, Comparisons):
            record = record_to_fit(record)
        with kept(record) as comparisons:
            self._check_parameters(comparisons)
            rng = as_generator(self.random_state)
            return self._fit_from(self._starts(comparisons, rng), comparisons, y, rng)

    def partial_fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add answers to those of the fit and go on from the present map.

        Only the new answers are given: those of earlier fits are kept in `answers_`. Objects that
        are new begin in the middle of the map. Each time the answers have doubled, other starts
        are tried as in `fit`; the map that comes out is turned to lie as the present one does.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`, in memory: the new comparisons. Objects are matched by name; without
            names by number, new ones being those from ``len(embedding_)`` on.

        Returns
        -------
        self
            The fitted estimator.
        """
        if not hasattr(self, "embedding_"):
            return self.fit(X, y, sample_weight)
        new = as_comparisons(in_memory(X), y, weights=sample_weight)
        if self.answers_ is None:
            raise InputError(
                "partial_fit adds to answers in memory, and this map was fitted to others. Fit all"
                " of them, from the map as init."
            )
        new = self._with_known_first(new)
        known = np.arange(new.n_objects, dtype=np.int32)
        earlier = self.answers_.renumbered(known, new.n_objects, new.names)
        record = record_to_fit(Comparisons.concatenate([earlier, new]))
        self._check_parameters(record)
        before, rng = self.embedding_, as_generator(self.random_state)
        start = 0.1 * before.std() * random_start(record.n_objects, self.n_components, rng)
        start[: len(before), : before.shape[1]] = before
        if len(record) < 2 * self._n_searched or not isinstance(self.init, str):
            self.n_init_ = 1
            return self._fit_from([start], record, y)
        # the map of few answers may be far from the best of many
        self._fit_from(chain([start], self._starts(record, rng)), record, y, rng)
        if self.embedding_.shape[1] == before.shape[1]:
            self.embedding_ @= orthogonal_procrustes(self.embedding_[: len(before)], before)[0]
        return self

    def _with_known_first(self, comparisons: Comparisons) -> Comparisons:
        """Return a record in which objects of the fit keep their numbers and new ones follow."""
        if comparisons._n_objects_inferred:
            n_objects = max(comparisons.n_objects, len(self.embedding_))
            comparisons = comparisons._with(n_objects=n_objects)
        numbers = numbers_in_fit(comparisons, len(self.embedding_), self.names_)
        n_objects = max(len(self.embedding_), int(numbers.max()) + 1)
        known = tuple(map(str, self.names_ or ()))
        given = comparisons.names or tuple(map(str, range(n_objects)))
        if not known or comparisons.names is None:  # positions: names of those that have one
            names = (*known, *given[len(known) :]) if known or comparisons.names else None
        else:
            names = tuple(dict.fromkeys((*known, *given)))
        return comparisons.renumbered(numbers, n_objects, names)

    def _check_parameters(self, comparisons: Record) -> None:
        check_dimension("n_components", self.n_components, comparisons.n_objects)
        if isinstance(self.n_init, str):
            check_choice("n_init", self.n_init, ("auto",))
        else:
            check_integer("n_init", self.n_init, minimum=1)
        self._check_steps()
        if isinstance(self.init, str):
            check_choice("init", self.init, ("spectral", "random"))
        if len(comparisons) == 0:
            raise InputError(NO_ROWS)

    def _starts(self, comparisons: Record, rng: np.random.Generator) -> Iterable[Points]:
        """Return where to begin: `n_init` times, drawn when needed, or the best of several."""
        self.n_init_ = 1 if isinstance(self.n_init, str) else int(self.n_init)
        drawn = draw_comparisons(comparisons, rng)
        loss, parameters = self._first_loss()
        judged = make_objective(drawn[:_SCALE_ROWS], loss, parameters)

        def scaled(start: Points, like: Points | None = None) -> Points:
            return at_best_scale(start, lambda points: judged(points)[0], like=like)

        if isinstance(self.init, str):
            first = scaled(self._drawn_start(comparisons, drawn, rng))
            if self.n_init == "auto":
                from ordinate.triplets.tournament import number_of_entrants

                self.n_init_ = number_of_entrants(len(drawn), len(comparisons), self.n_components)
                return self._best_starts(first, drawn, len(comparisons), scaled, rng)
        else:
            first = check_start(self.init, comparisons.n_objects, self.n_components)
        shape = (comparisons.n_objects, self.n_components)
        others = (scaled(random_start(*shape, rng)) for _ in range(1, self.n_init_))
        return chain([first], others)

    def _best_starts(
        self,
        first: Points,
        drawn: Comparisons,
        n_comparisons: int,
        scaled: Callable[[Points, Points], Points],
        rng: np.random.Generator,
    ) -> list[Points]:
        """Return what a tournament among the first start and others made from it leaves."""
        from ordinate.triplets.tournament import (
            Tournament,
            can_afford_another_run,
            number_of_finalists,
            starts_from_higher_dimension,
        )

        if self.n_init_ == 1:
            return [first]
        n_threads = effective_n_jobs(self.n_jobs)
        lifted = starts_from_higher_dimension(
            drawn, first, self.n_init_ - 1, rng, n_threads=n_threads
        )
        tournament = Tournament(
            drawn,
            *self._first_loss(),
            tol=self.tol,
            radius=self._largest_radius(),
            penalty=self._coordinate_penalty() * len(drawn) / n_comparisons,
            n_threads=n_threads,
        )
        n_followed = number_of_finalists(n_comparisons, self.n_components)
        best = tournament.best([first, *(scaled(start, first) for start in lifted)], n_followed)
        # a part of the comparisons cannot distinguish minima that are nearly as low
        follow_all = can_afford_another_run(n_comparisons, self.n_components)
        return best if len(drawn) < n_comparisons and follow_all else [tournament.final(best)]

    def _drawn_start(
        self, comparisons: Record, drawn: Comparisons, rng: np.random.Generator
    ) -> Points:
        if self.init == "random":
            return random_start(comparisons.n_objects, self.n_components, rng)
        if isinstance(comparisons, PartitionedComparisons):
            return spectral_start(drawn, self.n_components, rng)
        device = resolve_device(self.device)
        looked_at = drawn if device == "cpu" else comparisons  # a GPU has time for all of them
        return spectral_start(looked_at, self.n_components, rng, device=device)

    def _fit_from(
        self,
        starts: Iterable[Points],
        comparisons: Record,
        y: ArrayLike | None,
        rng: np.random.Generator | None = None,
    ) -> Self:
        """Run the solver from each start and keep the best result, or what a detour finds."""
        total = (len(starts) if isinstance(starts, list) else self.n_init_) * self.max_iter
        with progress(type(self).__name__, total=total, enabled=self.verbose) as advance:
            asked_to_end = False

            def after(number: int, value: float, points: Points) -> object:
                nonlocal asked_to_end
                advance(1, note=f"loss {value:.6g}")
                if self.callback is not None:
                    asked_to_end = self.callback(number, value, points) is True
                return asked_to_end

            watched = after if self.verbose or self.callback is not None else None
            problem = Problem(comparisons, self._objective(comparisons), watched)
            waiting = iter(starts)
            leading: list[Result] = []
            while some := list(islice(waiting, _STARTS_AT_ONCE)):
                found = self._solve(problem, some)
                leading = [min([*leading, *found], key=lambda result: result.value)]
            (best,) = leading
            drawn = self.n_init == "auto" and isinstance(self.init, str)
            if rng is not None and drawn and not asked_to_end:
                best = self._after_detour(best, problem, rng)
            if not asked_to_end:
                best = self._with_learned_parameters(best, problem)
        self.converged_ = best.converged
        self.embedding_: Points = best.points - best.points.mean(axis=0)
        detail = self._why_it_may_not_converge(self.embedding_)
        warn_unless_converged(
            type(self).__name__, best.converged, best.n_iter, self.max_iter, detail=detail
        )
        self._warn_if_in_one_place(best, problem)
        self.names_ = comparisons.names
        self.answers_: Comparisons | None = None
        if isinstance(comparisons, Comparisons):
            self.answers_ = comparisons._with(groups={})
        if rng is not None:
            self._n_searched: int = len(comparisons)
        self.loss_ = best.value
        self.n_iter_ = best.n_iter
        self.history_ = best.history
        self.classes_ = answer_classes(y)
        return self

    def _warn_if_in_one_place(self, best: Result, problem: Problem) -> None:
        """Warn if the penalty outweighs answers that are few."""
        penalty, answers = self._coordinate_penalty(), problem.comparisons
        if penalty == 0 or len(answers) >= _FEW_PER_OBJECT * answers.n_objects:
            return
        without_extent = problem.objective(np.zeros_like(best.points))[0]
        if best.value > _COLLAPSED * without_extent:
            warn_of_fit(
                f"{type(self).__name__} put all objects in nearly one place, because answers are"
                f" too few for {argument('penalty', penalty)}; collect more than these"
                f" {len(answers):,} about {answers.n_objects:,} objects, or try"
                f" {argument('penalty', penalty / 4)}."
            )

    def _objective(self, comparisons: Record) -> Objective:
        """Return the sum of the loss over the comparisons, where it is best computed."""
        loss, parameters = self._loss()
        n_threads = effective_n_jobs(self.n_jobs)
        return make_objective(
            comparisons, loss, parameters, device=self.device, n_threads=n_threads
        )

    def _after_detour(self, best: Result, problem: Problem, rng: np.random.Generator) -> Result:
        """Leave the minimum by a detour, if the work allows one, and keep what is lower."""
        from ordinate.triplets.tournament import can_afford_another_run, detour, stop_if_unpromising

        comparisons, objective, callback = problem
        in_memory = not isinstance(comparisons, PartitionedComparisons)
        here = in_memory and resolve_device(self.device) == "cpu"
        affordable = can_afford_another_run(len(comparisons), self.n_components)
        if not (here and affordable and best.value > self._floor(objective, best.points)):
            return best
        unseen = problem._replace(callback=None)

        def minimize(start: Points, n_iter: int) -> Points:
            return self._lbfgs(unseen, [start], n_iter)[0].points

        start = detour(best.points, minimize, rng)
        gives_up = stop_if_unpromising(best.value)

        def after(number: int, value: float, points: Points) -> bool:
            asked = callback is not None and callback(number, value, points) is True
            return gives_up(value) or asked

        (found,) = self._solve(problem._replace(callback=after), [start])
        return min(best, found, key=lambda result: result.value)

    def _floor(self, objective: Objective, like: Points) -> float:
        """Return the loss that is as good as none, beside that of a map without extent."""
        return self.tol * objective(np.zeros_like(like))[0]

    def _with_learned_parameters(self, best: Result, problem: Problem) -> Result:
        """Go on from the best map; methods that learn a parameter of their loss extend this."""
        return best

    def _solve(self, problem: Problem, starts: Sequence[Points]) -> list[Result]:
        """Minimise from every start; methods with solvers of their own extend this."""
        return self._lbfgs(problem, starts)

    def _lbfgs(
        self,
        problem: Problem,
        starts: Sequence[Points],
        max_iter: int | None = None,
        penalty: float | None = None,
    ) -> list[Result]:
        return lbfgs_from(
            problem.objective,
            starts,
            max_iter=self.max_iter if max_iter is None else max_iter,
            tol=self.tol,
            floor=self._floor(problem.objective, starts[0]),
            radius=self._largest_radius(),
            penalty=self._coordinate_penalty() if penalty is None else penalty,
            callback=problem.callback,
        )

    def _loss_of_new(self, comparisons: Comparisons) -> Function:
        loss, parameters = self._loss()
        n_threads = effective_n_jobs(self.n_jobs)
        objective = make_objective(comparisons, loss, parameters, n_threads=n_threads)
        return penalized(self._coordinate_penalty(), objective)

    def _matched(self, X: Any, y: Any = None, sample_weight: Any = None) -> Record:
        check_is_fitted(self)
        record = _record_of(X, y, weights=sample_weight)
        return in_fit(record, len(self.embedding_), self.names_)

    def _margins(self, record: Record) -> NDArray[np.float64]:
        near2, far2 = record_distances(record, self.embedding_)
        margins: NDArray[np.float64] = np.sqrt(far2) - np.sqrt(near2)
        return margins

    def _share_right(self, record: Record) -> float:
        return share_that_holds(record, self.embedding_)


def _record_of(X: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None) -> Record:
    """Return what a method was given as a record; arrays and frames of Dask stay where they are."""
    if hasattr(X, "__dask_graph__"):
        from ordinate.io.dask_data import from_dask

        X = from_dask(X)
    return as_record(X, y, weights=weights)
