"""Dimensions that people can name: which objects stand for them, and what they predict."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ordinate._notebooks import ShownAsTable
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.trials import Ceiling, Trials
from ordinate.dimensions.answers import answers_of, record_of
from ordinate.dimensions.sparse_dimensions import SparseDimensions
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
                "reproducibility": None if again != again else float(again),
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
            "penalty": model.penalty_,
            "held_out_accuracy": None if model.search_ is None else model.search_.best_accuracy,
            "accuracy": model.score(self.answers),
            "chance": answers.chance,
            "ceiling": None if self.ceiling is None else vars(self.ceiling),
            "dimensions": self.dimensions(),
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        found = self.to_dict()
        yield (
            f"{found['n_dimensions']} dimensions of {found['n_objects']:,} objects from"
            f" {found['n_answers']:,} {found['answers']}, {self.seconds:.1f} s"
        )
        judged = f"{found['accuracy']:.1%} of the {found['answers']} they were fitted to"
        if found["held_out_accuracy"] is not None:
            judged = f"{found['held_out_accuracy']:.1%} of held-out {found['answers']}"
        agree = ""
        if self.ceiling is not None:
            agree = (
                f", and people agree with each other in {self.ceiling.lower:.1%} to"
                f" {self.ceiling.upper:.1%} of {self.ceiling.n_questions:,} repeated questions"
            )
        yield f"They predict {judged}; chance is {found['chance']:.1%}{agree}"
        for number, dimension in enumerate(found["dimensions"], 1):
            again = dimension["reproducibility"]
            repeated = "" if again is None else f"  found again by {again:4.0%}"
            top = ", ".join(dimension["top"])
            yield f"  {number:3d}  {dimension['share']:5.1%}{repeated}  {top}"

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
    return DimensionStudy(answers, model.fit(answers), time.perf_counter() - start)
