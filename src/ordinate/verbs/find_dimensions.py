"""`ordinate.find_dimensions`: dimensions that people can name, and what they predict."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ordinate._random import RandomState
from ordinate.comparisons.choices import Answers
from ordinate.comparisons.trials import Ceiling, Trials
from ordinate.dimensions.answers import answers_of, record_of
from ordinate.dimensions.sparse_dimensions import SparseDimensions, count_dimensions
from ordinate.io.coordinates import object_column
from ordinate.plots import DimensionCards, plot_dimension_cards, plot_kernel
from ordinate.results.finding import Finding
from ordinate.results.object_display import ObjectDisplay, read_display
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result
from ordinate.verbs.answers import LayoutLike, read_choices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns

_N_TOP = 5
"""Objects that are named for each dimension."""


@dataclass(frozen=True, eq=False)
class DimensionsResult(Result):
    """Dimensions of answers, with the objects they are about.

    Attributes
    ----------
    answers : Comparisons or Trials
        The answers.
    model : SparseDimensions
        The estimator, fitted to them.
    seconds : float
        How long the fit took.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> loadings = 3 * np.repeat(np.eye(2), 4, axis=0)
    >>> trials = od.sources.random_trials(loadings, 400, random_state=0)
    >>> od.find_dimensions(trials, max_dimensions=4, penalty=(3, 1), n_init=1).to_frame().shape
    (8, 6)
    """

    heading: ClassVar[str] = "Dimensions of"

    answers: Answers
    model: SparseDimensions
    seconds: float
    provenance: Provenance = field(default_factory=Provenance, repr=False)
    display: ObjectDisplay = field(default_factory=ObjectDisplay, repr=False)

    @cached_property
    def ceiling(self) -> Ceiling | None:
        """How far people agree, if enough questions were asked more than once."""
        if not isinstance(self.answers, Trials):
            return None
        found = self.answers.ceiling(random_state=self.model.random_state)
        return found if found.is_known else None

    def dimensions(self) -> list[dict[str, Any]]:
        """Return of each dimension its share, its reproducibility and the objects it is about.

        Returns
        -------
        list of dict
            With ``share``, ``reproducibility`` and ``top``, five labels.
        """
        model = self.model
        names = model.names_ or [str(number) for number in range(self.answers.n_objects)]
        tops = (-model.embedding_).argsort(axis=0, kind="stable")[:_N_TOP].T
        return [
            {
                "share": float(share),
                "reproducibility": float(again),
                "top": [names[number] for number in top],
            }
            for share, again, top in zip(model.shares_, model.reproducibility_, tops, strict=True)
        ]

    def tables(self) -> dict[str, Columns]:
        """Return the table of loadings, x1, x2, …, and after them the ends of their intervals."""
        model = self.model
        table: dict[str, Any] = {"object": object_column(self.answers.n_objects, model.names_)}
        table |= {f"x{at}": loadings for at, loadings in enumerate(model.embedding_.T, 1)}
        for at, ends in enumerate(np.moveaxis(model.intervals_, 2, 0), 1):
            table |= {f"x{at}_low": ends[0], f"x{at}_high": ends[1]}
        return {"loadings": table}

    def listings(self) -> dict[str, list[list[str]]]:
        """Return the dimensions with the objects they are about."""
        cells = [["dimension", "share", "found again", "objects with the highest loadings"]]
        for number, one in enumerate(self.dimensions(), 1):
            again = f"r = {one['reproducibility']:.2f}"
            cells.append([str(number), f"{one['share']:.1%}", again, ", ".join(one["top"])])
        return {"dimensions": cells if len(cells) > 1 else []}

    def frames(self) -> dict[str, Callable[[], Any]]:
        """Return what shows a card per dimension."""
        return {"cards": self._cards} if self.model.n_dimensions_ else {}

    captions: ClassVar[dict[str, str]] = {
        "similarity": "Each card lists the objects with the highest loadings on a dimension. On"
        " paper, this page shows how alike the objects are instead."
    }

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws how alike the objects are."""
        model = self.model
        shared = model.embedding_ @ model.embedding_.T
        names = None if model.names_ is None else [str(name) for name in model.names_]
        found = {"similarity": lambda: plot_kernel(shared, names=names)}
        return found if model.n_dimensions_ else {}

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Save the cards as a page, or the similarities as a picture."""
        if os.fspath(path).lower().endswith(".html"):
            self._cards().save(path)
        else:
            super().draw(path)

    def _cards(self) -> DimensionCards:
        """Return a page with a card per dimension."""
        model = self.model
        return plot_dimension_cards(
            model.embedding_,
            None if model.names_ is None else [str(name) for name in model.names_],
            reproducibility=model.reproducibility_,
            shares=model.shares_,
            images=self.display.images,
        )

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        model, answers = self.model, answers_of(*record_of(self.answers))
        found = count_dimensions(model.n_dimensions_) if model.n_dimensions_ else "No dimension"
        yield Finding(
            "n_dimensions",
            model.n_dimensions_,
            f"{found} of {self.answers.n_objects:,} objects from {len(answers):,} {answers.kind}.",
        )
        low, high = model.held_out_interval_
        text = ""
        if model.n_dimensions_:
            text = (
                f"Fitted to one half of the {model._halves_of}, dimensions predict"
                f" {model.held_out_accuracy_:.1%} ({low:.1%} to {high:.1%}) of the other half;"
                f" chance is {answers.chance:.1%}."
            )
        yield Finding("held_out_accuracy", model.held_out_accuracy_, text, section="trust")
        yield Finding("held_out_interval", [low, high])
        ceiling = self.ceiling
        said = str(ceiling) if ceiling and model.n_dimensions_ else ""
        yield Finding("ceiling", ceiling and vars(ceiling), said, section="trust")
        left_out = ""
        if model.n_dimensions_ and model.n_left_out_:
            left_out = (
                f"Left out: {count_dimensions(model.n_left_out_)} that the halves do not both find."
            )
        yield Finding("n_left_out", model.n_left_out_, left_out)
        if model._advice:
            yield Finding("advice", text=model._advice, kind="advice")
        yield Finding("advice", model._advice)
        yield Finding("answers", answers.kind)
        yield Finding("n_answers", len(answers))
        yield Finding("n_objects", self.answers.n_objects)
        yield Finding("penalty", model.penalty_)
        yield Finding("halves_of", model._halves_of)
        yield Finding("p_value", model.p_value_)
        yield Finding("accuracy", model.score(self.answers))
        yield Finding("chance", answers.chance)
        yield Finding("dimensions", self.dimensions())
        yield Finding("seconds", self.seconds, unit="seconds")


def find_dimensions(
    source: Any,
    *,
    max_dimensions: int = 100,
    penalty: str | Sequence[float] = "auto",
    n_init: int = 5,
    objects: Any = None,
    images: str | os.PathLike[str] | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    layout: LayoutLike = None,
    **reading: Any,
) -> DimensionsResult:
    """Find dimensions that people can name, such as "animal" or "metallic".

    Each object gets loadings that are zero or positive, most of them zero; two objects are alike
    if they share dimensions. A dimension is listed if fits to two halves of the answers both find
    it. Numbers in a text file without a header are trials as THINGS publishes them.

    Parameters
    ----------
    source : path, frame, array-like, Trials or Comparisons
        Odd-one-out trials, triplets, or k objects chosen among n. Numbers in a text file without
        a header are trials as THINGS publishes them. What is no record is read as
        `read_comparisons` does.
    max_dimensions : int, default=100
        Dimensions to begin with; empty ones are left out.
    penalty : "auto" or pair of float, default="auto"
        Weights of the loadings and of their squares; by default chosen by held-out trials.
    n_init : int, default=5
        Random starts, of which the best and what they share is kept.
    objects : path or sequence of str, optional
        Labels of the objects in the order of their positions, if the answers hold positions; a
        table may have a column 'image' of files of pictures.
    images : path, optional
        Folder of pictures named after the objects.
    random_state : int, Generator or None, default=0
        Seed of the fits and of the halves.
    n_jobs : int or None, default=-1
        Number of threads, as in joblib; never changes the result.
    verbose : bool, default=False
        Show progress bars, and print how a file was read.
    layout : Layout or path, optional
        How a source that is no record is to be read, as in `read_comparisons`.
    **reading
        Further parameters of `read_comparisons`.

    Returns
    -------
    DimensionsResult
        Print it, `plot` it, `save` it as a table or a page of cards, or write a page by `report`.

    See Also
    --------
    SparseDimensions : The estimator.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> loadings = 3 * np.repeat(np.eye(2), 4, axis=0)
    >>> trials = od.sources.random_trials(loadings, 400, random_state=0)
    >>> result = od.find_dimensions(trials, max_dimensions=4, penalty=(3, 1), n_init=1)
    >>> result.model.n_dimensions_
    2
    """
    asked = locals()
    asked |= asked.pop("reading")
    answers, readings = read_choices(
        source, layout, reading, objects=objects, published=True, verbose=verbose
    )
    table = objects if isinstance(objects, str | os.PathLike) else None
    named = answers.names or range(answers.n_objects)
    display = read_display(named, table, None, images)
    given: Any = penalty if isinstance(penalty, str) else tuple(penalty)
    model = SparseDimensions(
        max_dimensions,
        penalty=given,
        n_init=n_init,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        # the result says it itself
        warnings.filterwarnings("ignore", "No dimension is supported|.* are few for ", UserWarning)
        model.fit(answers)
    seconds = time.perf_counter() - start
    provenance = provenance_of(find_dimensions, asked, readings)
    return DimensionsResult(answers, model, seconds, provenance, display)
