"""The table of methods and dimensions, which of them to use, and how certain that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ordinate._notebooks import ShownAsTable, aligned, in_dimensions
from ordinate.solvers.intervals import CONFIDENCE, LARGEST_FACTOR, HeldOutAnswers, HeldOutMean

GUESSING = 0.4
"""From this held-out error on, a map is hardly better than guessing (0.5)."""
MIN_RELEVANT_ERROR = 0.01
"""A difference of held-out errors that is worth something: one point."""
MIN_RELATIVE_GAIN = 0.01
"""Share of what the best map explains that is not worth another dimension."""
_GUESSED = 0.5
"""Score of a map that knows nothing: a Brier score of 0.25, and half of an error of 0.5."""
_FEW_PER_OBJECT = 6
"""With fewer answers per object, the lowest of many scores is often luck, and a map that nothing
keeps from fitting noise is one of many."""
_FALLBACK = ("CKL", 2)
"""Method and dimension that predict well from few answers, of any kind of study."""
_SURELY = 0.99
"""Confidence from which a map in other than two dimensions is surely better: the best of some
twenty rows is often better by luck."""
MOST_DIMENSIONS = 32
"""No larger dimension is tried unless asked for."""


@dataclass(frozen=True)
class MethodRow:
    """One method in one dimension.

    Attributes
    ----------
    method : str
        Name of the method, or the estimator as it was written.
    dimension : int
        Dimension of its map.
    error : float
        Share of the answers that maps which were not fitted to them got wrong.
    low, high : float
        Ends of its 90 % interval.
    brier_score : float
        Mean squared error of the probabilities that these maps, at their best sharpness, gave to
        the answers; 0.25 is guessing.
    seconds : float
        Time of one fit from one start on one core, median over the folds.
    fold_errors : tuple of float
        The error of each fold.
    estimator : estimator
        The method itself, not fitted.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> row = od.compare(answers, ["SOE"], [2], random_state=0).rows[0]
    >>> row.method, row.dimension, row.low < row.error < row.high
    ('SOE', 2, True)
    """

    method: str
    dimension: int
    error: float
    low: float
    high: float
    brier_score: float
    seconds: float
    fold_errors: tuple[float, ...]
    estimator: Any = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {name: value for name, value in vars(self).items() if name != "estimator"}

    def __str__(self) -> str:
        return f"{self.method} in {in_dimensions(self.dimension)}"


@dataclass(frozen=True, eq=False)
class MethodTable(ShownAsTable):
    """Held-out errors of methods and dimensions; prints as a table with advice.

    Attributes
    ----------
    rows : tuple of MethodRow
        In the order asked for: methods, and within each the dimensions.
    held_out : HeldOutAnswers
        Which answers each row got wrong.
    brier_scores : HeldOutAnswers
        Squared error of the probability that each row gave to each answer.
    folds, repeats : int
        Into how many folds the answers were split, and how many times.
    by : str or None
        The group that was held out whole.
    n_answers, n_objects : int
        Size of the data.
    n_never_held_out : int
        Answers that no figure rests on: objects would have become unknown without them, or the
        answers are so many that a part of the folds will do.
    searched : bool
        Whether dimensions were added while the largest predicted best; False where they were given.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> table = od.compare(answers, ["SOE"], [1, 2], random_state=0)
    >>> table.choice.dimension
    2
    """

    rows: tuple[MethodRow, ...]
    held_out: HeldOutAnswers
    brier_scores: HeldOutAnswers
    folds: int
    repeats: int
    by: str | None
    n_answers: int
    n_objects: int
    n_never_held_out: int
    searched: bool = False

    @property
    def n_folds_held_out(self) -> int:
        """How many of the folds were held out: of very many answers not all."""
        return len(self.rows[0].fold_errors) // self.repeats

    @property
    def best(self) -> MethodRow:
        """The row with the lowest score; of equal ones the lowest dimension.

        The score is the Brier score and half of the error: guessing makes a half of each. The
        Brier score tells with fewer answers which map will have the lower error, and the error
        keeps it from a map that is often just wrong. Maps that are a matter of luck do not count,
        because many others fit nearly as well: maps on a line if those of different folds disagree,
        and maps without a penalty if there are fewer than six answers per object.
        """
        return min(self._settled(), key=lambda row: (score_of(row), row.dimension))

    @property
    def choice(self) -> MethodRow:
        """The best map in two dimensions, for people to look at, unless another is surely better.

        Surely is by the 99 % interval of the difference of Brier scores. Then, or if no map in two
        dimensions was tried, it is `smallest`. With fewer than six answers per object the map in
        two dimensions is that of CKL, if it was tried, unless the score of another is lower by
        more than a standard error.
        """
        flat = [row for row in self._settled() if row.dimension == 2]
        if not flat:
            return self.smallest
        flattest = self.fallback or min(flat, key=score_of)
        worse, _ = self.difference(flattest, self.best).interval(_SURELY)
        return flattest if worse <= 0 else self.smallest

    @property
    def smallest(self) -> MethodRow:
        """The lowest dimension whose score is nearly the lowest, and there the best method.

        Nearly is within 1 % of what the best row explains, 0.5 minus its score.
        """
        lowest = score_of(self.best)
        most = lowest + MIN_RELATIVE_GAIN * max(_GUESSED - lowest, 0)
        near = [row for row in self._settled() if score_of(row) <= most]
        return min(near, key=lambda row: (row.dimension, score_of(row)))

    @property
    def fallback(self) -> MethodRow | None:
        """The flat map to use because too few answers speak for another; None if enough do."""
        if self.n_answers >= _FEW_PER_OBJECT * self.n_objects:
            return None
        rows = {(row.method, row.dimension): row for row in self.rows}
        fallback = rows.get(_FALLBACK)
        if fallback is None:
            return None
        best = min((row for row in self._settled() if row.dimension == 2), key=score_of)
        each = self.brier_scores.values + np.float32(0.5) * self.held_out.values
        scores = replace(self.held_out, values=each)
        gain = scores.difference(self.rows.index(fallback), self.rows.index(best))
        return fallback if gain.mean <= gain.standard_error else None

    def _settled(self) -> Sequence[MethodRow]:
        """Return the rows that may be chosen: all if each is a matter of luck."""
        settled: Sequence[MethodRow] = self.rows
        factors = self.held_out.factors
        if factors is not None:
            pairs = zip(self.rows, factors, strict=True)
            agreed = [row for row, factor in pairs if row.dimension > 1 or factor < LARGEST_FACTOR]
            settled = agreed or settled
        if self.n_answers < _FEW_PER_OBJECT * self.n_objects:
            held = [row for row in settled if not getattr(row.estimator, "_is_unpenalized", False)]
            settled = held or settled
        return settled

    @property
    def set_aside(self) -> list[MethodRow]:
        """The rows that scored lower than the best one, but are a matter of luck."""
        settled, lowest = self._settled(), score_of(self.best)
        return [row for row in self.rows if row not in settled and score_of(row) < lowest]

    @property
    def tied(self) -> list[MethodRow]:
        """The other rows that cannot be distinguished from the one chosen, by 90 % intervals."""
        others = self._beside_choice()
        return [row for row, (low, high) in others if low <= 0 <= high]

    @property
    def better(self) -> list[MethodRow]:
        """The rows with surely a lower Brier score than the one chosen, by 90 % intervals."""
        return [row for row, (_, high) in self._beside_choice() if high < 0]

    def _beside_choice(self) -> list[tuple[MethodRow, tuple[float, float]]]:
        """Return the other rows, with intervals of how much their Brier score is higher."""
        choice = self.choice
        others = [row for row in self.rows if row is not choice]
        return [(row, self.difference(row, choice).interval()) for row in others]

    @property
    def dimension_range(self) -> tuple[int, int]:
        """The lowest and the highest dimension that the answers do not speak against.

        They speak against a dimension if the whole 90 % interval of the difference of its Brier
        score to the best row's lies above zero, for each of its rows.
        """
        best = self.best
        likely = [
            row.dimension for row in self.rows if self.difference(row, best).interval()[0] <= 0
        ]
        return min(likely), max(likely)

    @property
    def doubt(self) -> str:
        """Which dimensions cannot be distinguished from the one chosen, in words; empty if all can.

        A dimension may be chosen although a higher one is surely, but hardly, better: that is no
        doubt.
        """
        low, high = self.dimension_range
        if low == high or not low <= self.choice.dimension <= high:
            return ""
        return f"the answers cannot tell {low} to {in_dimensions(high)} apart"

    @property
    def edge(self) -> str:
        """That the largest of several dimensions was chosen, in a sentence; empty if not so."""
        tried = {row.dimension for row in self.rows}
        chosen = min(self.choice.dimension, self.best.dimension)
        if len(tried) == 1 or chosen < max(tried) or chosen >= self.n_objects - 1:
            return ""
        begin = f"No more than {in_dimensions(chosen)} were tried"
        if self.searched and chosen < MOST_DIMENSIONS:
            return f"{begin}: there are too few answers or objects for maps in more."
        return f"{begin}: maps in more may predict better."

    @property
    def p_best(self) -> tuple[float, ...]:
        """For each row: p value of the test that the best one predicts better."""
        best = self.best
        return tuple(self.difference(row, best).p_above_zero() for row in self.rows)

    @property
    def advice(self) -> str:
        """What to use, in a sentence or two."""
        best, choice = self.best, self.choice
        if best.error >= GUESSING:
            return (
                f"No map predicts new answers (the best, {best}, gets {best.error:.1%} wrong and"
                " guessing 50%): check how the file was read."
            )
        scores = [f"{score_of(row):.4f}" for row in (choice, best)]
        if choice is best:
            text = f"Use {choice}: it predicts held-out answers best (score {scores[0]})."
            if self.set_aside:
                text = f"Use {choice}: of the maps that are more than luck it predicts best."
        elif choice is self.fallback:
            text = (
                f"Use {choice}: it predicts well from few answers, and these are too few to show"
                f" that {best} predicts better."
            )
        elif scores[0] == scores[1]:
            text = f"Use {choice}: it predicts as well as {best} (score {scores[0]})."
        elif choice is not self.smallest:
            text = (
                f"Use {choice}: it can be looked at, and the answers do not show that {best}"
                f" predicts better (scores {scores[0]} and {scores[1]}, lower is better)."
            )
        else:
            text = (
                f"Use {choice}: it predicts nearly as well as {best} (scores {scores[0]} and"
                f" {scores[1]}, lower is better)."
            )
        if self.set_aside:
            lucky = min(self.set_aside, key=score_of)
            text += f" {lucky} scored lower, but with so few answers that is luck."
        if self.doubt:
            text += f" {self.doubt.capitalize()}."
        if self.edge:
            text += f" {self.edge}"
        if choice.high >= GUESSING:
            text += " " + not_sure_to_predict(choice.high)
        return text

    def difference(self, row: MethodRow, other: MethodRow) -> HeldOutMean:
        """Return by how much one row's Brier score exceeds another's, answer by answer.

        Parameters
        ----------
        row, other : MethodRow
            Two rows of this table.

        Returns
        -------
        HeldOutMean
            Mean and standard error of the difference.
        """
        return self.brier_scores.difference(self.rows.index(row), self.rows.index(other))

    def of_method(self, method: str) -> MethodTable:
        """Return the rows of one method only, by dimension.

        Parameters
        ----------
        method : str
            As in `MethodRow.method`.

        Returns
        -------
        MethodTable
            The same figures of fewer rows.
        """
        chosen = [number for number, row in enumerate(self.rows) if row.method == method]
        chosen.sort(key=lambda number: self.rows[number].dimension)
        return replace(
            self,
            rows=tuple(self.rows[number] for number in chosen),
            held_out=self.held_out.of(chosen),
            brier_scores=self.brier_scores.of(chosen),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        answers = ("held_out", "brier_scores")
        figures = {name: value for name, value in vars(self).items() if name not in answers}
        return figures | {
            "rows": [row.to_dict() for row in self.rows],
            "best": self.best.to_dict(),
            "choice": self.choice.to_dict(),
            "tied": [str(row) for row in self.tied],
            "dimension_range": list(self.dimension_range),
            "edge_reached": bool(self.edge),
            "p_best": list(self.p_best),
            "advice": self.advice,
        }

    def __str__(self) -> str:
        return "\n".join([self.advice, self.title(), *aligned(self.cells())])

    def cells(self) -> list[list[str]]:
        """Return the rows as a person reads them, a header first."""
        cells = [
            ["method", "dim", "held-out error", f"{CONFIDENCE:.0%} interval", "Brier score",
             "p: best is better", "beside the choice", "seconds per fit"],
        ]  # fmt: skip
        verdicts = {id(row): "better" for row in self.better}
        verdicts |= {id(row): "tied" for row in self.tied}
        verdicts |= {id(row): "luck" for row in self.set_aside} | {id(self.choice): "chosen"}
        for row, p in zip(self.rows, self.p_best, strict=True):
            cells.append(
                [row.method, str(row.dimension), f"{row.error:.1%}",
                 f"{row.low:.1%} to {row.high:.1%}", f"{row.brier_score:.4f}",
                 "best" if row is self.best else f"{p:.2g}", verdicts.get(id(row), "worse"),
                 f"{row.seconds:.2f}"]
            )  # fmt: skip
        return cells

    def title(self) -> str:
        """Return what was measured: answers, objects, folds."""
        n_folds = f"{self.folds} folds"
        if self.n_folds_held_out < self.folds:
            n_folds = f"{self.n_folds_held_out} of {n_folds}"
        parts = [f"{self.n_answers:,} answers about {self.n_objects:,} objects, {n_folds}"]
        parts += [f"split {self.repeats} times"] if self.repeats > 1 else []
        parts += [f"answers of one {self.by} kept together"] if self.by else []
        if self.n_never_held_out:
            parts.append(f"{self.n_never_held_out:,} answers never held out")
        return ", ".join(parts)


def score_of(row: MethodRow) -> float:
    """Return what rows are chosen by."""
    return row.brier_score + row.error / 2


def not_sure_to_predict(highest: float) -> str:
    """Return what to say of an error whose interval reaches that of guessing."""
    return (
        f"The error may be as high as {highest:.1%} (guessing gives 50%): do not rely on the map"
        " yet."
    )
