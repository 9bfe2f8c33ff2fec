"""Users and items on one map: how well it predicts ratings, and what it recommends to whom."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from ordinate._arguments import argument, parameter
from ordinate._checks import InputError
from ordinate._notebooks import ShownAsTable, in_dimensions
from ordinate._progress import Stages
from ordinate.analysis.object_display import ObjectDisplay
from ordinate.io.coordinates import Columns, coordinate_columns
from ordinate.metrics._coe_report import CoembeddingReport, coe_report
from ordinate.plots import plot_coembedding, plot_interactive_map, save_figure
from ordinate.plots._saving import PAGE
from ordinate.plots._user_item_map import spokes_of
from ordinate.ratings.coe import COE
from ordinate.ratings.description import RatingsDescription
from ordinate.ratings.record import Ratings


@dataclass(frozen=True, eq=False)
class RatingStudy(ShownAsTable):
    """The model of all ratings, and how well such a map predicts; prints as a report."""

    model: COE
    description: RatingsDescription
    accuracy: CoembeddingReport
    seconds: float

    def tables(self, recommend: int = 0, min_ratings: int = 0) -> dict[str, Columns]:
        """Return the places of users and items, and what users might like."""
        model, ratings = self.model, self.model.ratings_
        users = coordinate_columns(model.user_embedding_, ratings.user_names)
        items = coordinate_columns(model.item_embedding_, ratings.item_names)
        if model.objective == "predict":
            users["offset"], items["offset"] = np.split(model.offsets_, [ratings.n_users])
        tables: dict[str, Columns] = {"users": users, "items": items}
        if recommend:
            found = model.recommend(k=recommend, min_ratings=min_ratings)
            tables["recommendations"] = found.to_columns()
        return tables

    def draw(self, path: Path, users: Sequence[Hashable], look: ObjectDisplay) -> None:
        """Draw users and items; on paper only items, which people recognise, are named."""
        model, ratings = self.model, self.model.ratings_
        if path.suffix.lower() != PAGE:
            labels = look.columns[look.color] if look.color else None
            places = model.user_embedding_, model.item_embedding_
            save_figure(plot_coembedding(*places, ratings, users, labels), path)
            return
        names = [f"user {name}" for name in ratings.user_names]
        names += [str(name) for name in ratings.item_names]
        columns: dict[str, Any] = {"type": model.types_}
        for name, column in look.columns.items():  # which know nothing of users
            columns[name] = ["user"] * ratings.n_users + [str(entry) for entry in column]
        spokes = spokes_of(ratings, users)
        color = look.color or "type"
        plot_interactive_map(model.embedding_, names, columns, color=color, spokes=spokes).save(
            path
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "dimension": self.model.n_components,
            "seed": self.model.random_state,
            "seconds": self.seconds,
            "ratings": self.description.to_dict(),
            "verdict": self.accuracy.verdict,
            **self.accuracy.to_dict(),
        }

    def __str__(self) -> str:
        lines = [
            f"COE in {in_dimensions(self.model.n_components)} in {self.seconds:.1f} s",
            str(self.description),
            str(self.accuracy),
            self.accuracy.verdict,
        ]
        if self.description.users_without_triples and not self.description.one_value:
            fewest = argument("min_per_user", 2)
            lines.append(f"→ Some users gave one value only, or all the same: try {fewest}.")
        top, popular = self.accuracy.top, self.accuracy.popular
        if top and popular and top.ndcg < popular.ndcg:
            better = {"objective": "predict", "unrated": 0.9, "n_components": 16}
            lines.append(
                "→ Popular items are the better recommendations: to recommend, use"
                f" {' '.join(argument(name, value) for name, value in better.items())}."
            )
        return "\n".join(lines)


def study_ratings(
    ratings: Ratings, model: COE, *, test_size: float, min_ratings: int
) -> RatingStudy:
    """Measure prediction on ratings held out from a first fit, then fit to all ratings."""
    start = time.perf_counter()
    stages = Stages(2 if test_size else 1)
    accuracy = None
    if test_size:
        train, test = ratings.train_test_split(test_size, random_state=model.random_state)
        with stages.next():
            first = clone(model).fit(train)
            accuracy = coe_report(first, test, normalize=model.normalize, min_ratings=min_ratings)
    with stages.next():
        model.fit(ratings)
    accuracy = accuracy or coe_report(model, normalize=model.normalize)
    description = ratings.describe(normalize=model.normalize)
    return RatingStudy(model, description, accuracy, time.perf_counter() - start)


def check_recommendable(ratings: Ratings, min_ratings: int) -> None:
    """Refuse recommendations of items that nobody knows well enough, before the fit."""
    most = int(np.bincount(ratings.items).max())
    if most < min_ratings:
        raise InputError(
            f"Recommendations take items with {min_ratings} ratings or more, and the most"
            f" that one has is {most}. Lower {parameter('min_ratings')}, or recommend none."
        )


def users_called(names: Sequence[str], ratings: Ratings) -> list[Hashable]:
    """Find users by their names as text."""
    known = {str(name): name for name in ratings.user_names}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"There is no user {unknown[0]!r} to highlight among {len(known):,}.")
    return [known[name] for name in names]
