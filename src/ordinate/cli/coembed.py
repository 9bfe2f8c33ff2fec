"""`ordinate coembed`: from a file of ratings to one map of users and items."""

from __future__ import annotations

import json as json_format
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from ordinate._checks import InputError
from ordinate.cli._fitting import SHARED_OPTIONS, read_settings, settings_option
from ordinate.cli._options import Appearance, Json, MapDimension, Running, header_opt, split_list
from ordinate.cli._results import Written, check_outputs, make_folder, plot_opt, report_opt
from ordinate.cli._typer import arg, fitting_opt, opt, picture_opt
from ordinate.io.atomic import atomic_path

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
    report: Path | None = report_opt()

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
        read = [ratings, self.objects]
        check_outputs(read, maps=[self.plot], pages=[self.report], others=files)


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
    from ordinate.ratings.record import read_ratings
    from ordinate.verbs.coembed import check_recommendable, coembed, users_called

    given = {name: getattr(source, name) for name in _READ_BY}
    ratings = read_ratings(source.ratings, **given)
    fewest = {"min_per_user": source.min_per_user, "min_per_item": source.min_per_item}
    if set(fewest.values()) != {1}:
        ratings = ratings.filter(**fewest)
    # three tables on one screen, one of them long, help nobody: files have it
    recommend = results.recommend if results.output or results.report else 0
    if recommend:
        check_recommendable(ratings, results.min_ratings)
    users = users_called(split_list(results.highlight) or [], ratings)
    display = Appearance(results.objects, results.color).look_up(ratings.item_names)
    settings = read_settings("COE", fitting.settings, _OPTIONS)
    results.check(source.ratings)  # last, as it makes the folder
    result = coembed(
        ratings,
        fitting.dim,
        normalize=fitting.normalize,
        objective=fitting.objective,
        test_size=test_size,
        recommend=recommend,
        min_ratings=results.min_ratings,
        **running.running,
        **settings,
    )
    named = replace(result.provenance, name=source.ratings.name, files=[source.ratings])
    result = replace(result, highlight=users, display=display, provenance=named)
    tables = result.tables()
    written = Written(unwritten={} if results.output else tables)
    if results.output:
        for name, table in tables.items():
            written.write_table(results.output / f"{name}.csv", table)
    written.write_page(results.report, result)
    written.draw(results.plot, result.draw)
    if results.output:
        figures = {"files": list(map(str, written.files))} | result.to_dict()
        with atomic_path(results.output / "report.json") as temporary:
            temporary.write_text(json_format.dumps(figures, indent=2) + "\n")
    written.show(result, json=json)


_READ_BY = ("user", "item", "value", "header", "on_duplicate")
"""Options that say where in a file the ratings are."""
_OPTIONS = SHARED_OPTIONS | {"normalize": "--normalize", "objective": "--objective"}
"""Parameters of COE that have options of their own."""
