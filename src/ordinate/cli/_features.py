"""A table of features beside the answers: how verbs read it, fit with it and speak of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.cli._fitting import ChosenMethod, Fitting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons

METHOD = "FeatureEmbedding"


@dataclass(frozen=True)
class ChosenWithFeatures(ChosenMethod):
    """FeatureEmbedding with a table of features, a row per object."""

    def fit(self, answers: Comparisons, *, verbose: bool = True) -> Any:
        """Fit to the answers; maps that only serve to measure do not say what is missing."""
        with warnings.catch_warnings():
            if not verbose:
                warnings.simplefilter("ignore", UserWarning)
            return self.estimator(verbose=verbose).fit(answers, self.features)

    def _settings(self) -> dict[str, Any]:
        given = super()._settings()
        loss = self.options.method
        return given if loss is None else given | {"loss": loss}


def choose_with_features(
    answers: Comparisons, path: Path, fitting: Fitting
) -> tuple[Comparisons, ChosenWithFeatures]:
    """Read a table of features and match it with the answers.

    Parameters
    ----------
    answers : Comparisons
        The answers.
    path : Path
        A table that `read_named_features` reads.
    fitting : Fitting
        What was asked for; a method is taken for its loss.

    Returns
    -------
    answers : Comparisons
        The same answers, about all objects that have answers or features.
    chosen : ChosenWithFeatures
        What is fitted to them.
    """
    from ordinate.comparisons.record import Comparisons
    from ordinate.features.alignment import align_by_name
    from ordinate.solvers.coordinates import LIKELIHOODS

    if fitting.method not in (None, *LIKELIHOODS):
        raise InputError(
            f"With --features, --method names a loss, one of {', '.join(LIKELIHOODS)}; got"
            f" {fitting.method}."
        )
    labels, rows = read_named_features(path)
    known = answers.names or tuple(map(str, range(answers.n_objects)))
    rows, names = align_by_name(known, labels, rows)
    record = Comparisons(
        answers.rows, n_objects=len(names), weights=answers.weights, groups=answers.groups,
        names=names,
    )  # fmt: skip
    return record, ChosenWithFeatures(METHOD, fitting.dim or 2, fitting, rows)


def read_named_features(path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """Read features whose rows have names.

    Parameters
    ----------
    path : Path
        A table with a column of names that all differ, such as ``object``.

    Returns
    -------
    labels : list of str
        What the rows are called.
    rows : ndarray of shape (n_rows, n_features)
        The columns of numbers.
    """
    from ordinate.features.files import read_features

    read = read_features(path)
    if read.names is None:
        raise InputError(
            f"{path}: No column says which object a row is about; add one called 'object' with the"
            " names that the answers use, each once (in .npz, an array beside the matrix)."
        )
    if "" in read.names:
        row = read.names.index("") + 1
        raise InputError(
            f"{path}: The name of object {row} is empty; give it one, or leave it out."
        )
    return [str(name) for name in read.names], read.points


@dataclass(frozen=True)
class FeatureFigures:
    """What features contributed to a map."""

    explained: float
    ridge: float | None
    penalty: float | None
    unseen_error: float | None
    placed_by: dict[str, int]

    @classmethod
    def of(cls, model: Any) -> FeatureFigures:
        """Take the figures from a fitted FeatureEmbedding."""
        import numpy as np

        table, unseen = model.cv_results_, None
        if table is not None:
            chosen = (table["ridge"] == model.ridge_) & (table["penalty"] == model.penalty_)
            error = float(table["objects_error"][chosen][0])
            unseen = None if np.isnan(error) or np.isinf(model.ridge_) else error
        words, counts = np.unique(model.placed_by_, return_counts=True)
        return cls(
            explained=float(model.explained_),
            ridge=float(model.ridge_) if np.isfinite(model.ridge_) else None,
            penalty=float(model.penalty_) if np.isfinite(model.penalty_) else None,
            unseen_error=unseen,
            placed_by=dict(zip(words.tolist(), counts.tolist(), strict=True)),
        )

    def __str__(self) -> str:
        unseen = "not measured" if self.unseen_error is None else f"{self.unseen_error:.1%}"
        placed = ", ".join(f"{count:,} by {word}" for word, count in self.placed_by.items())
        return (
            f"  features           explain {self.explained:.0%} of the map; error for objects that"
            f" have features alone: {unseen}\n"
            f"  placed             {placed.replace('by both', 'by answers and features')}"
        )
