"""`ordinate.coembed`: users and items on one map, how well it predicts, what it recommends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ordinate._arguments import argument, parameter
from ordinate._checks import InputError
from ordinate._estimator import clone
from ordinate._notebooks import in_dimensions
from ordinate._progress import Stages
from ordinate._random import RandomState, as_seed
from ordinate.io.coordinates import Columns, coordinate_columns
from ordinate.metrics._coe_report import CoembeddingReport, coe_report
from ordinate.plots import plot_coembedding, plot_interactive_map, save_figure
from ordinate.plots._saving import PAGE
from ordinate.plots._user_item_map import spokes_of
from ordinate.ratings.coe import COE
from ordinate.ratings.description import RatingsDescription
from ordinate.ratings.record import Ratings, read_ratings
from ordinate.results.finding import Finding
from ordinate.results.object_display import ObjectDisplay, read_display
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.results.result import Result


@dataclass(frozen=True, eq=False)
class Coembedding(Result):
    """Users and items on one map, how well it predicts, and what it recommends.

    Attributes
    ----------
    model : COE
        The estimator, fitted to all ratings.
    description : object
        What is in the ratings; prints as a table.
    accuracy : object
        How well such a map predicts ratings held out from it; prints as a table.
    seconds : float
        How long it took.
    recommended : int
        Items recommended to each user.
    min_ratings : int
        Ratings that a recommended item has at least.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = {"user": [0, 0, 1, 1], "item": [0, 1, 0, 1], "rating": [5, 3, 2, 4]}
    >>> result = od.coembed(ratings, test_size=0, min_ratings=0, random_state=0)
    >>> list(result.tables())
    ['users', 'items', 'recommendations']
    """

    heading: ClassVar[str] = "Users and items of"

    model: COE
    description: RatingsDescription
    accuracy: CoembeddingReport
    seconds: float
    recommended: int = 10
    min_ratings: int = 5
    highlight: Sequence[Hashable] = ()
    provenance: Provenance = field(default_factory=Provenance, repr=False)
    display: ObjectDisplay = field(default_factory=ObjectDisplay, repr=False)

    n_main: ClassVar[int] = 2

    def tables(self) -> dict[str, Columns]:
        """Return the places of users and items, and what users might like."""
        model, ratings = self.model, self.model.ratings_
        users = coordinate_columns(model.user_embedding_, ratings.user_names)
        items = coordinate_columns(model.item_embedding_, ratings.item_names)
        if model.objective == "predict":
            users["offset"], items["offset"] = np.split(model.offsets_, [ratings.n_users])
        tables: dict[str, Columns] = {"users": users, "items": items}
        if self.recommended:
            found = model.recommend(k=self.recommended, min_ratings=self.min_ratings)
            tables["recommendations"] = found.to_columns()
        return tables

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Return what draws the map; only items, which people recognise, are named."""

        def draw() -> Any:
            look = self.display
            labels = look.columns[look.color] if look.color else None
            places = self.model.user_embedding_, self.model.item_embedding_
            return plot_coembedding(*places, self.model.ratings_, self.highlight, labels)

        return {"users and items": draw}

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw the map into a picture, or a page to explore."""
        if Path(path).suffix.lower() != PAGE:
            save_figure(self.plot(), path)
            return
        model, ratings, look = self.model, self.model.ratings_, self.display
        names = [f"user {name}" for name in ratings.user_names]
        names += [str(name) for name in ratings.item_names]
        columns: dict[str, Any] = {"type": model.types_}
        for name, column in look.columns.items():  # which know nothing of users
            columns[name] = ["user"] * ratings.n_users + [str(entry) for entry in column]
        spokes = spokes_of(ratings, self.highlight)
        color = look.color or "type"
        plot_interactive_map(model.embedding_, names, columns, color=color, spokes=spokes).save(
            path
        )

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        dimensions = in_dimensions(self.model.n_components)
        yield Finding("verdict", self.accuracy.verdict, self.accuracy.verdict)
        yield Finding(
            "seconds",
            self.seconds,
            f"COE in {dimensions}, in {self.seconds:.1f} s.",
            section="data",
        )
        yield Finding("dimension", self.model.n_components)
        yield Finding("seed", self.model.random_state)
        yield Finding("ratings", self.description.to_dict(), str(self.description), section="data")
        for key, value in self.accuracy.to_dict().items():
            yield Finding(key, value)
        yield Finding("accuracy", self.accuracy.to_dict(), str(self.accuracy), section="trust")
        yield from self._advice()

    def _advice(self) -> Iterator[Finding]:
        if self.description.users_without_triples and not self.description.one_value:
            fewest = argument("min_per_user", 2)
            text = f"Some users gave one value only, or all the same: try {fewest}."
            yield Finding("one_value", text=text, kind="advice", section="data")
        top, popular = self.accuracy.top, self.accuracy.popular
        if top and popular and top.ndcg < popular.ndcg:
            better = {"objective": "predict", "unrated": 0.9, "n_components": 16}
            text = (
                "Popular items are the better recommendations: to recommend, use"
                f" {' '.join(argument(name, value) for name, value in better.items())}."
            )
            yield Finding("popular", text=text, kind="advice", section="trust")


def coembed(
    ratings: Any,
    n_components: int = 2,
    *,
    objective: str = "map",
    normalize: str = "zscore",
    min_per_user: int = 1,
    min_per_item: int = 1,
    test_size: float = 0.2,
    recommend: int | None = None,
    min_ratings: int = 5,
    user: str = "user",
    item: str = "item",
    value: str = "rating",
    header: bool | None = None,
    on_duplicate: str = "refuse",
    highlight: Sequence[str] = (),
    objects: str | os.PathLike[str] | None = None,
    color: str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    **parameters: Any,
) -> Coembedding:
    """Put users and items on one map, from ratings or counts.

    Users are near the items they prefer: the nearest that they have not rated are recommended.
    Prediction is measured on ratings held out from a first fit; the map is a second fit to all.

    Parameters
    ----------
    ratings : path, frame or Ratings
        A row per rating, as `read_ratings` takes them.
    n_components : int, default=2
        Dimension of the map.
    objective : {"map", "predict", "published"}, default="map"
        Preserve everyone's preferences, order unseen ratings (to recommend), or as in the paper.
    normalize : {"zscore", "share", "none"}, default="zscore"
        Compare users by standard scores (ratings) or shares of their total (counts).
    min_per_user : int, default=1
        Leave out users with fewer ratings.
    min_per_item : int, default=1
        Leave out items with fewer ratings.
    test_size : float, default=0.2
        Share of each user's ratings held out to measure prediction; 0 for none.
    recommend : int, optional
        Items recommended to each user, 0 for none; by default 10 if items have enough ratings.
    min_ratings : int, default=5
        Recommend only items with at least so many ratings.
    user : str, default="user"
        Column of the users.
    item : str, default="item"
        Column of the items.
    value : str, default="rating"
        Column of the ratings or counts.
    header : bool, optional
        Whether the first line of a file names the columns; by default unless it holds numbers.
    on_duplicate : {"refuse", "mean", "last"}, default="refuse"
        Different values of a user for one item: refuse, take their mean or the last.
    highlight : sequence of str, default=()
        Users whose ratings the picture shows.
    objects : path, optional
        Table about the items, with their names in the column 'object' or the first one.
    color : str, optional
        Column of that table that colours the items.
    random_state : int, Generator or None, default=0
        Seed of the fit.
    n_jobs : int or None, default=-1
        Number of threads, as in joblib; never changes the result.
    verbose : bool, default=False
        Show progress bars.
    **parameters
        Further parameters of `COE`, such as ``unrated``.

    Returns
    -------
    Coembedding
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    COE : The estimator.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = {"user": [0, 0, 1, 1], "item": [0, 1, 0, 1], "rating": [5, 3, 2, 4]}
    >>> od.coembed(ratings, test_size=0, recommend=0, random_state=0).model.embedding_.shape
    (4, 2)
    """
    asked = dict(locals()) | parameters
    record = ratings
    if not isinstance(ratings, Ratings):
        record = read_ratings(
            ratings, user=user, item=item, value=value, header=header, on_duplicate=on_duplicate
        )
    if (min_per_user, min_per_item) != (1, 1):
        record = record.filter(min_per_user=min_per_user, min_per_item=min_per_item)
    if recommend is None:
        recommend = 10 if _most_ratings(record) >= min_ratings else 0
    elif recommend:
        _check_recommendable(record, min_ratings)
    shown = _users_called(highlight, record)
    display = read_display(record.item_names, objects, color, None)
    model = COE(
        n_components,
        objective=objective,
        normalize=normalize,
        random_state=as_seed(random_state),
        n_jobs=n_jobs,
        verbose=verbose,
        **parameters,
    )
    start = time.perf_counter()
    stages = Stages(2 if test_size else 1)
    accuracy = None
    if test_size:
        train, test = record.train_test_split(test_size, random_state=model.random_state)
        with stages.next():
            first = clone(model).fit(train)
            accuracy = coe_report(first, test, normalize=normalize, min_ratings=min_ratings)
    with stages.next():
        model.fit(record)
    return Coembedding(
        model,
        record.describe(normalize=normalize),
        accuracy or coe_report(model, normalize=normalize),
        time.perf_counter() - start,
        recommend,
        min_ratings,
        highlight=shown,
        display=display,
        provenance=provenance_of(coembed, asked),
    )


def _most_ratings(ratings: Ratings) -> int:
    """Return how many ratings the item has that has most."""
    return int(np.bincount(ratings.items).max())


def _check_recommendable(ratings: Ratings, min_ratings: int) -> None:
    """Refuse recommendations of items that nobody knows well enough, before the fit."""
    most = _most_ratings(ratings)
    if most < min_ratings:
        raise InputError(
            f"Recommendations take items with {min_ratings} ratings or more, and the most"
            f" that one has is {most}. Lower {parameter('min_ratings')}, or recommend none."
        )


def _users_called(names: Sequence[str], ratings: Ratings) -> list[Hashable]:
    """Find users by their names as text."""
    known = {str(name): name for name in ratings.user_names}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"There is no user {unknown[0]!r} to highlight among {len(known):,}.")
    return [known[name] for name in names]
