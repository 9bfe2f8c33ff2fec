"""Dimensions that people can name: which objects stand for them, and what they predict."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ordinate._notebooks import ShownAsTable
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.trials import Ceiling, Trials
from ordinate.dimensions.answers import answers_of, record_of
from ordinate.dimensions.sparse_dimensions import SparseDimensions, count_dimensions
from ordinate.io.coordinates import object_column
from ordinate.plots import plot_dimension_cards


@dataclass(frozen=True, eq=False)
class DimensionStudy(ShownAsTable):
    """Answers and the dimensions found in them; prints as a list of dimensions."""

    answers: Answers
    model: SparseDimensions
    seconds: float

    @cached_property
    def ceiling(self) -> Ceiling | None:
        """How far people agree, if questions were asked more than once."""
        if not isinstance(self.answers, Trials):
            return None
        found = self.answers.ceiling(random_state=self.model.random_state)
        return found if found.n_questions else None

    def dimensions(self, n_top: int = 5) -> list[dict[str, Any]]:
        """Return of each dimension its share, its reproducibility and the objects it is about."""
        model = self.model
        names = model.names_ or [str(number) for number in range(self.answers.n_objects)]
        tops = (-model.embedding_).argsort(axis=0, kind="stable")[:n_top].T
        return [
            {
                "share": float(share),
                "reproducibility": float(again),
                "top": [names[number] for number in top],
            }
            for share, again, top in zip(model.shares_, model.reproducibility_, tops, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        model = self.model
        answers = answers_of(*record_of(self.answers))
        return {
            "n_dimensions": model.n_dimensions_,
            "answers": answers.kind,
            "n_answers": len(answers),
            "n_objects": self.answers.n_objects,
            "n_left_out": model.n_left_out_,
            "penalty": model.penalty_,
            "halves_of": model._halves_of,
            "held_out_accuracy": model.held_out_accuracy_,
            "held_out_interval": list(model.held_out_interval_),
            "p_value": model.p_value_,
            "accuracy": model.score(self.answers),
            "chance": answers.chance,
            "advice": model._advice,
            "ceiling": None if self.ceiling is None else vars(self.ceiling),
            "dimensions": self.dimensions(),
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        found = self.to_dict()
        asked = (
            f"{found['n_objects']:,} objects from {found['n_answers']:,} {found['answers']},"
            f" {self.seconds:.1f} s"
        )
        if not found["n_dimensions"]:
            yield f"No dimension of {asked}"
            yield found["advice"]
            return
        low, high = found["held_out_interval"]
        yield f"{count_dimensions(found['n_dimensions'])} of {asked}"
        agree = ""
        if self.ceiling is not None:
            agree = (
                f", and people agree with each other in {self.ceiling.lower:.1%} to"
                f" {self.ceiling.upper:.1%} of {self.ceiling.n_questions:,} repeated questions"
            )
        yield (
            f"Fitted to one half of the {found['halves_of']}, dimensions predict"
            f" {found['held_out_accuracy']:.1%} ({low:.1%} to {high:.1%}) of the other half;"
            f" chance is {found['chance']:.1%}{agree}"
        )
        for number, dimension in enumerate(found["dimensions"], 1):
            again = f"found again with r = {dimension['reproducibility']:.2f}"
            top = ", ".join(dimension["top"])
            yield f"  {number:3d}  {dimension['share']:6.1%}  {again}  {top}"
        if found["n_left_out"]:
            yield (
                f"Left out: {count_dimensions(found['n_left_out'])} that the halves do not both"
                " find"
            )
        if found["advice"]:
            yield found["advice"]

    def columns(self) -> dict[str, Any]:
        """Return the table of loadings, x1, x2, …, and after them the ends of their intervals."""
        model = self.model
        table: dict[str, Any] = {"object": object_column(self.answers.n_objects, model.names_)}
        table |= {f"x{at}": loadings for at, loadings in enumerate(model.embedding_.T, 1)}
        for at, ends in enumerate(np.moveaxis(model.intervals_, 2, 0), 1):
            table |= {f"x{at}_low": ends[0], f"x{at}_high": ends[1]}
        return table

    def draw(self, path: Path, images: Any) -> None:
        """Save a page with a card per dimension."""
        model = self.model
        plot_dimension_cards(
            model.embedding_,
            None if model.names_ is None else [str(name) for name in model.names_],
            reproducibility=model.reproducibility_,
            shares=model.shares_,
            images=images,
        ).save(path)


def study_dimensions(answers: Answers, model: SparseDimensions) -> DimensionStudy:
    """Find dimensions in answers."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        # the study says it itself
        warnings.filterwarnings("ignore", "No dimension is supported|.* are few for ", UserWarning)
        model.fit(answers)
    return DimensionStudy(answers, model, time.perf_counter() - start)
