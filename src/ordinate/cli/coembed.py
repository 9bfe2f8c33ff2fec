"""`ordinate coembed`: from a file of ratings to one map of users and items."""

from __future__ import annotations

import json as json_format
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from ordinate._checks import InputError
from ordinate.cli._fitting import build, settings_option
from ordinate.cli._options import Appearance, Json, MapDimension, Running, header_opt, split_list
from ordinate.cli._results import Written, check_outputs, make_folder, plot_opt
from ordinate.cli._typer import arg, fitting_opt, opt, picture_opt
from ordinate.io.atomic import atomic_path

if TYPE_CHECKING:
    from ordinate.ratings.coe import COE
    from ordinate.ratings.record import Ratings

Normalize = Literal["zscore", "share", "none"]
OnDuplicate = Literal["refuse", "mean", "last"]
Goal = Literal["map", "predict", "published"]


_READING = "Reading the ratings"


@dataclass(frozen=True)
class RatingFile:
    """A file of ratings or counts, and where in it they are."""

    ratings: Path = arg("CSV, TSV or Parquet file, a row per rating.")
    user: str = opt("Column of the users.", "COLUMN", default="user", panel=_READING)
    item: str = opt("Column of the items.", "COLUMN", default="item", panel=_READING)
    value: str = opt("Column of the ratings or counts.", "COLUMN", default="rating", panel=_READING)
    header: bool | None = header_opt(_READING)
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
    normalize: Normalize = fitting_opt(
        "Compare users by standard scores (ratings) or shares of their total (counts).",
        default="zscore",
    )
    objective: Goal = fitting_opt(
        "map: preserve everyone's preferences. predict: order unseen ratings, for "
        "recommendations. published: as in the paper.",
        default="map",
    )
    settings: Annotated[list[str] | None, settings_option("unrated=0.9")] = None

    def estimator(self, running: Running) -> COE:
        """Build the estimator that was asked for, not yet fitted."""
        model: COE = build(
            "COE",
            self.settings,
            n_components=self.dim,
            normalize=self.normalize,
            objective=self.objective,
            **running.running,
        )
        return model


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
    plot: Path | None = plot_opt("Map")
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


_FILES = ("users.csv", "items.csv", "recommendations.csv", "report.json")


def coembed(
    source: RatingFile,
    fitting: CoeFitting,
    running: Running,
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
    from ordinate.analysis.ratings import check_recommendable, study_ratings, users_called

    ratings = source.read()
    # three tables on one screen, one of them long, help nobody: files have it
    recommend = results.recommend if results.output else 0
    if recommend:
        check_recommendable(ratings, results.min_ratings)
    users = users_called(split_list(results.highlight) or [], ratings)
    look = Appearance(results.objects, results.color).look_up(ratings.item_names)
    model = fitting.estimator(running)
    results.check(source.ratings)  # last, as it makes the folder
    study = study_ratings(ratings, model, test_size=test_size, min_ratings=results.min_ratings)
    tables = study.tables(recommend, results.min_ratings)
    written = Written(unwritten={} if results.output else tables)
    if results.output:
        for name, table in tables.items():
            written.write_table(results.output / f"{name}.csv", table)
    written.draw(results.plot, lambda path: study.draw(path, users, look))
    if results.output:
        figures = {"files": list(map(str, written.files))} | study.to_dict()
        with atomic_path(results.output / "report.json") as temporary:
            temporary.write_text(json_format.dumps(figures, indent=2) + "\n")
    written.show(study, json=json)
