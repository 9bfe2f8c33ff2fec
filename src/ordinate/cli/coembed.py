"""`ordinate coembed`: from a file of ratings to one map of users and items."""

from __future__ import annotations

import json as json_format
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordinate._checks import InputError
from ordinate._progress import Stages
from ordinate.analysis.look import Look
from ordinate.cli._appearance import Appearance
from ordinate.cli._fitting import Settings, build
from ordinate.cli._options import Header, Jobs, Json, MapDimension, Seed, split_list, threads
from ordinate.cli._results import Plot, Written, check_outputs, make_folder
from ordinate.cli._typer import arg, fitting_opt, opt, picture_opt
from ordinate.io.atomic import atomic_path

if TYPE_CHECKING:
    from ordinate.io.coordinates import Columns
    from ordinate.metrics._coe_report import CoembeddingReport
    from ordinate.ratings.coe import COE
    from ordinate.ratings.description import RatingsDescription
    from ordinate.ratings.record import Ratings

Normalize = Literal["zscore", "share", "none"]
OnDuplicate = Literal["refuse", "mean", "last"]
Goal = Literal["map", "predict", "published"]
Probability = Literal["sigmoid", "gompertz"]


_READING = "Reading the ratings"


@dataclass(frozen=True)
class RatingFile:
    """A file of ratings or counts, and where in it they are."""

    ratings: Path = arg("CSV, TSV or Parquet file, a row per rating.")
    user: str = opt("Column of the users.", "COLUMN", default="user", panel=_READING)
    item: str = opt("Column of the items.", "COLUMN", default="item", panel=_READING)
    value: str = opt("Column of the ratings or counts.", "COLUMN", default="rating", panel=_READING)
    header: Header = None
    on_duplicate: OnDuplicate = opt(
        "Different values of a user for one item: refuse, take their mean or the last.",
        default="refuse",
        panel=_READING,
    )
    min_per_user: int = opt(
        "Leave out users with fewer ratings.", "N", default=1, panel=_READING, min=1
    )
    min_per_item: int = opt(
        "Leave out items with fewer ratings.", "N", default=1, panel=_READING, min=1
    )

    def read(self) -> Ratings:
        """Read the file into one validated record."""
        from ordinate.ratings.record import read_ratings

        ratings = read_ratings(
            self.ratings,
            user=self.user,
            item=self.item,
            value=self.value,
            header=self.header,
            on_duplicate=self.on_duplicate,
        )
        if self.min_per_user == self.min_per_item == 1:
            return ratings
        return ratings.filter(min_per_user=self.min_per_user, min_per_item=self.min_per_item)


@dataclass(frozen=True)
class CoeFitting:
    """How COE is run."""

    dim: MapDimension = 2
    probability: Probability = fitting_opt(
        "How probabilities depend on distances.", default="sigmoid"
    )
    normalize: Normalize = fitting_opt(
        "Compare users by standard scores (ratings) or shares of their total (counts).",
        default="zscore",
    )
    objective: Goal = fitting_opt(
        "map: preserve everyone's preferences. predict: order unseen ratings, for "
        "recommendations. published: as in the paper.",
        default="map",
    )
    settings: Settings = None
    draws: int = fitting_opt("Triples drawn per user and item.", "N", default=16_000, min=1)
    seed: Seed = 0
    jobs: Jobs = None

    def fit(self, ratings: Ratings) -> COE:
        """Return the fitted estimator."""
        model: COE = build(
            "COE",
            self.settings,
            n_components=self.dim,
            probability=self.probability,
            normalize=self.normalize,
            objective=self.objective,
            draws_per_object=self.draws,
            random_state=self.seed,
            n_jobs=threads(self.jobs),
        )
        return model.fit(ratings)


@dataclass(frozen=True)
class CoembedResults:
    """Where the results go, and what the picture shows."""

    output: Path | None = opt(
        "Folder for users.csv, items.csv, recommendations.csv and report.json."
        " Default: print tables.",
        "FOLDER",
        "-o",
    )
    recommend: int = opt("Items recommended to each user; 0 for none.", "N", default=10, min=0)
    min_ratings: int = opt("Recommend only items with at least N ratings.", "N", default=5, min=0)
    plot: Plot = None
    highlight: str | None = picture_opt(
        "Users whose ratings the picture shows, separated by commas.", "USERS"
    )
    objects: Path | None = picture_opt(
        "Table about the items, named in its column 'object' or the first one.", "FILE"
    )
    color: str | None = picture_opt("Column of --objects that colours the items.", "COLUMN")

    def check(self, ratings: Path) -> None:
        """Refuse files that cannot be written, before anything is computed."""
        files: list[Path] = []
        if self.output:
            if self.output.exists() and not self.output.is_dir():
                raise InputError(
                    f"Cannot write into {self.output}: it is a file; --output takes a folder."
                )
            make_folder(self.output)
            files = [self.output / name for name in _FILES]
        check_outputs([ratings, self.objects], maps=[self.plot], others=files)

    def check_ratings(self, ratings: Ratings) -> None:
        """Refuse recommendations of items that nobody knows well enough, before the fit."""
        import numpy as np

        most = int(np.bincount(ratings.items).max())
        if self.output and self.recommend and most < self.min_ratings:
            raise InputError(
                f"Recommendations take items with {self.min_ratings} ratings or more, and the most"
                f" that one has is {most}. Lower --min-ratings, or give --recommend 0."
            )

    def look_up(self, ratings: Ratings) -> Look:
        """Find what there is to show of the items."""
        return Appearance(self.objects, self.color).look_up(ratings.item_names)

    def tables(self, model: COE) -> dict[str, Columns]:
        """Return the places of users and items, and what users might like."""
        import numpy as np

        from ordinate.io.coordinates import coordinate_columns

        ratings = model.ratings_
        users = coordinate_columns(model.user_embedding_, ratings.user_names)
        items = coordinate_columns(model.item_embedding_, ratings.item_names)
        if model.objective == "predict":
            users["offset"], items["offset"] = np.split(model.offsets_, [ratings.n_users])
        tables: dict[str, Columns] = {"users": users, "items": items}
        # three tables on one screen, one of them long, help nobody: files have it
        if self.output and self.recommend:
            tables["recommendations"] = model.recommend(
                k=self.recommend, min_ratings=self.min_ratings
            ).to_columns()
        return tables


_FILES = ("users.csv", "items.csv", "recommendations.csv", "report.json")


@dataclass(frozen=True)
class CoembedReport:
    """Figures of one run of `ordinate coembed`."""

    description: RatingsDescription
    accuracy: CoembeddingReport
    dimension: int
    seed: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "dimension": self.dimension,
            "seed": self.seed,
            "seconds": self.seconds,
            "ratings": self.description.to_dict(),
            "verdict": self.accuracy.verdict,
            **self.accuracy.to_dict(),
        }

    def __str__(self) -> str:
        from ordinate.selection._method_table import in_dimensions

        lines = [
            f"COE in {in_dimensions(self.dimension)} in {self.seconds:.1f} s",
            str(self.description),
            str(self.accuracy),
            self.accuracy.verdict,
        ]
        if self.description.users_without_triples and not self.description.one_value:
            lines.append("→ Some users gave one value only, or all the same: try --min-per-user 2.")
        top, popular = self.accuracy.top, self.accuracy.popular
        if top and popular and top.ndcg < popular.ndcg:
            lines.append(
                "→ Popular items are the better recommendations: to recommend, use --objective"
                " predict --set unrated=0.9 --dim 16."
            )
        return "\n".join(lines)


def coembed(
    source: RatingFile,
    fitting: CoeFitting,
    results: CoembedResults,
    test_size: float = opt(
        "Share of each user's ratings held out to measure prediction; 0 for none.",
        "SHARE",
        default=0.2,
        min=0,
        max=0.9,
    ),
    json: Json = False,
) -> None:
    """Put users and items on one map, from ratings or counts.

    Users are near the items they prefer: the nearest that they have not rated are recommended.
    Prediction is measured on ratings held out from a first fit; the coordinates come from a
    second fit to all ratings.

    Example: ordinate coembed ratings.csv --user user --item item --value rating -o map/
    """
    start = time.perf_counter()
    results.check(source.ratings)
    ratings = source.read()
    results.check_ratings(ratings)
    users = _users_called(split_list(results.highlight) or [], ratings)
    look = results.look_up(ratings)
    stages = Stages(2 if test_size else 1)
    with stages.next(test_size > 0):
        accuracy = (
            _held_out_accuracy(ratings, fitting, test_size, results.min_ratings)
            if test_size
            else None
        )
    with stages.next():
        model = fitting.fit(ratings)
    tables = results.tables(model)
    written = Written(unwritten={} if results.output else tables)
    if results.output:
        written.files += _write_tables(results.output, tables)
    written.draw(results.plot, lambda path: _save_picture(path, model, users, look))
    report = CoembedReport(
        description=ratings.describe(normalize=fitting.normalize),
        accuracy=accuracy or _accuracy(model),
        dimension=fitting.dim,
        seed=fitting.seed,
        seconds=time.perf_counter() - start,
    )
    if results.output:
        _write_figures(results.output, report, written.files)
    written.show(report, json=json)


def _users_called(names: Sequence[str], ratings: Ratings) -> list[Hashable]:
    """Find users by what the shell can write of their names."""
    known = {str(name): name for name in ratings.user_names}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"There is no user {unknown[0]!r} to highlight among {len(known):,}.")
    return [known[name] for name in names]


def _held_out_accuracy(
    ratings: Ratings, fitting: CoeFitting, test_size: float, min_ratings: int
) -> CoembeddingReport:
    """Fit to a part of each user's ratings and measure the map with the others."""
    train, test = ratings.train_test_split(test_size, random_state=fitting.seed)
    return _accuracy(fitting.fit(train), test, min_ratings)


def _accuracy(
    model: COE, held_out: Ratings | None = None, min_ratings: int = 0
) -> CoembeddingReport:
    from ordinate.metrics._coe_report import coe_report

    return coe_report(model, held_out, normalize=model.normalize, min_ratings=min_ratings)


def _save_picture(path: Path, model: COE, users: Sequence[Hashable], look: Look) -> None:
    """Draw users and items; on paper only items, which people recognise, are named."""
    from ordinate.plots import plot_coembedding, plot_interactive_map, save_figure
    from ordinate.plots._saving import PAGE
    from ordinate.plots._user_item_map import spokes_of

    ratings = model.ratings_
    if path.suffix.lower() == PAGE:
        names = [f"user {name}" for name in ratings.user_names]
        names += [str(name) for name in ratings.item_names]
        columns: dict[str, Any] = {"type": model.types_}
        for name, column in look.columns.items():  # which know nothing of users
            columns[name] = ["user"] * ratings.n_users + [str(entry) for entry in column]
        plot_interactive_map(
            model.embedding_,
            names,
            columns,
            color=look.color or "type",
            spokes=spokes_of(ratings, users),
        ).save(path)
    else:
        labels = look.columns[look.color] if look.color else None
        places = model.user_embedding_, model.item_embedding_
        save_figure(plot_coembedding(*places, ratings, users, labels), path)


def _write_tables(folder: Path, tables: Mapping[str, Columns]) -> list[Path]:
    from ordinate.io.coordinates import write_table

    files = [folder / f"{name}.csv" for name in tables]
    for path, columns in zip(files, tables.values(), strict=True):
        write_table(path, columns)
    return files


def _write_figures(folder: Path, report: CoembedReport, files: Sequence[Path]) -> None:
    figures = {"files": list(map(str, files))} | report.to_dict()
    with atomic_path(folder / "report.json") as temporary:
        temporary.write_text(json_format.dumps(figures, indent=2) + "\n")
