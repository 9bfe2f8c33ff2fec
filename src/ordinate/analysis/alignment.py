"""How well features of models predict people's answers, as they are and aligned with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate._notebooks import ShownAsTable
from ordinate.comparisons.choices import Answers
from ordinate.features.feature_embedding import FeatureEmbedding
from ordinate.io.coordinates import coordinate_columns
from ordinate.selection._alignment import AlignmentScores, aligning_estimator, score_alignment
from ordinate.selection._feature_scores import FeatureScores, score_features

_MAP_DIMENSIONS = (2, 5, 10)
"""Dimensions that are tried for a map of the answers."""
_ALIKE_BY = {
    "dot": "Two objects are the more alike, the larger the dot product of their aligned features.",
    "euclidean": "Two objects are the more alike, the smaller the distance of their aligned"
    " features.",
}


@dataclass(frozen=True, eq=False)
class AlignmentStudy(ShownAsTable):
    """Scores of tables of features, and the best of them aligned; prints as tables."""

    answers: Answers
    scores: FeatureScores
    aligned: str | None = None
    """Which table was aligned, if one was."""
    alignment: AlignmentScores | None = None
    model: FeatureEmbedding | None = None

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the table of aligned features."""
        if self.model is None:
            raise InputError("No table was aligned.")
        return coordinate_columns(self.model.embedding_, self.answers.names)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return self.scores.to_dict() | {
            "aligned": self.aligned,
            "alignment": self.alignment.to_dict() if self.alignment else None,
            "aligned_by": self.model.similarity_ if self.model else None,
        }

    def __str__(self) -> str:
        if self.model is None:
            return str(self.scores)
        lines = [f"Aligned with the answers: {self.aligned}", str(self.alignment)]
        return "\n".join([str(self.scores), *lines, _ALIKE_BY[self.model.similarity_]])


def study_alignment(
    answers: Answers,
    tables: Mapping[str, NDArray[np.float64]],
    similarity: str,
    *,
    map_dimensions: Sequence[int] | None = None,
    align: bool,
    rank: int,
    random_state: int,
    n_jobs: int | None,
    verbose: bool,
) -> AlignmentStudy:
    """Score tables of features, and align the one that predicts best if that is asked for."""
    if map_dimensions is None:
        map_dimensions = [one for one in _MAP_DIMENSIONS if one < answers.n_objects]
    scores = score_features(
        answers, tables, similarity, map_dimensions=map_dimensions, random_state=random_state
    )
    if not align:
        return AlignmentStudy(answers, scores)
    best = next(row.name for row in scores.rows if row.name in tables)
    rows = tables[best]
    alignment = score_alignment(
        answers,
        rows,
        aligning_estimator(rows, rank),
        similarity=similarity,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    # penalties are chosen once, by 80 % of the people, as a search takes most of a fit's time
    judged = alignment.model
    chosen = judged.similarity_
    model = aligning_estimator(rows, rank).set_params(
        similarity=chosen, ridge=judged.ridge_, penalty=judged.penalty_,
        random_state=random_state, n_jobs=n_jobs, verbose=verbose,
    )  # fmt: skip
    if chosen != "dot":
        model.set_params(n_starts=1)
    return AlignmentStudy(answers, scores, best, alignment, model.fit(answers, features=rows))
