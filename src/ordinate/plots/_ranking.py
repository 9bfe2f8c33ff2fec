"""Draw a ranking: scores with their intervals and groups, judges, and who beat whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ordinate._checks import InputError
from ordinate.plots._colors import COLORS, INK, QUIET, SCALE
from ordinate.plots._figures import start_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.scales.difference_scale import DifferenceScale
    from ordinate.scales.judge_groups import JudgeGroups
    from ordinate.scales.ranking import Ranking

_MOST_BARS = 12
"""So many groups are drawn as bars beside the scores; more are only in the table."""
_MOST_LABELS, _MOST_IN_MATRIX = 150, 80
"""Rows up to which each is named, in a list and in a matrix."""
_MOST_JUDGES = 40
"""Judges that are drawn; the table has all."""
_TICKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Reliabilities at the axis of a picture of judges."""
MOST_CELLS = 1_000
"""Items up to which a matrix of wins can be seen."""
_AXES = {"logit": "score", "elo": "Elo rating", "probability": "chance to beat the average item"}


def plot_ranking(
    model: Ranking | JudgeGroups,
    ax: Axes | None = None,
    *,
    level: float = 0.95,
    scale: str = "logit",
) -> Axes:
    """Draw scores with intervals, best on top; bars join items that cannot be distinguished.

    Parameters
    ----------
    model : Ranking or JudgeGroups
        A fitted model; groups of judges stand beside one another in colours, in the order of all
        judges together.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    level : float, default=0.95
        Level of the intervals, and family-wise of the groups.
    scale : {"logit", "elo", "probability"}, default="logit"
        Scale of the scores.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    Examples
    --------
    >>> import ordinate as od
    >>> model = od.Ranking(random_state=0).fit([["tea", "milk"], ["milk", "wine"]] * 5)
    >>> ax = od.plots.plot_ranking(model)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['tea', 'milk', 'wine']
    """
    from ordinate.scales.ranking import Ranking

    each = [model] if isinstance(model, Ranking) else model.rankings_
    table = (model if isinstance(model, Ranking) else model.pooled_).columns(level, scale)
    n = len(table["rank"])
    row_of = {name: row for row, name in enumerate(table["object"].tolist())}
    ax = start_chart(ax, 3.6, min(max(2.0, 0.8 + 0.26 * n * (0.5 + 0.5 * len(each))), 40.0))
    for number, ranking in enumerate(each):
        own = ranking.columns(level, scale)
        places = np.array([row_of[name] for name in own["object"].tolist()], dtype=float)
        places += 0.7 * ((number + 0.5) / len(each) - 0.5)
        color = COLORS[number % len(COLORS)]
        ax.hlines(places, own["lower"], own["upper"], color=color, linewidth=1.5)
        ax.plot(own["score"], places, "o", color=color, markersize=4, label=f"group {number + 1}")
    if isinstance(model, Ranking):
        right = float(table["upper"].max())
        _draw_groups(ax, table.get("groups"), right, right - float(table["lower"].min()))
    else:
        ax.legend(frameon=False, loc="lower right")  # where the best on top leave room
    ax.set_xlabel(f"{_AXES[scale]}, {level:.0%} intervals")
    _name_rows(ax, table["object"].tolist())
    return ax


def _name_rows(ax: Axes, names: Sequence[object]) -> None:
    """Give each row of a chart its name, the first on top."""
    n = len(names)
    if n <= _MOST_LABELS:
        ax.set_yticks(range(n), list(map(str, names)), fontsize=9, color=INK)
    ax.set_ylim(n - 0.5, -0.5)
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)


def _draw_groups(ax: Axes, groups: np.ndarray | None, right: float, width: float) -> None:
    """Draw a bar beside the scores for each group of two items or more."""
    if groups is None:
        return
    members: dict[str, list[int]] = {}
    for place, text in enumerate(groups.tolist()):
        head, *rest = text.split(" ")
        for letter in [*head, *rest]:
            members.setdefault(letter, []).append(place)
    shown = [places for places in members.values() if len(places) > 1]
    if not 0 < len(shown) <= _MOST_BARS:
        return
    lowest: list[int] = []  # where the last bar of each column ends
    for places in shown:
        free = [column for column, end in enumerate(lowest) if end < min(places)]
        column = free[0] if free else len(lowest)
        lowest[column : column + 1] = [max(places)]
        at = right + width * (0.04 + 0.025 * column)
        ax.plot([at, at], [min(places), max(places)], color=QUIET, linewidth=1)
        ax.plot([at] * len(places), places, "s", color=QUIET, markersize=3)
    ax.set_title("grey bars join items that cannot be distinguished", fontsize=9, color=QUIET)


def plot_judges(model: Ranking, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Draw how reliable each judge is, the least reliable on top; of many judges these alone.

    The reliability is the slope of the judge, how strongly the answers follow the common scores,
    over the mean of all slopes: the average judge has 1. The axis is logarithmic: half is as far
    from 1 as twice.

    Parameters
    ----------
    model : Ranking
        Fitted with ``slopes=True``.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    level : float, default=0.95
        Level of the intervals.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    Examples
    --------
    >>> import ordinate as od
    >>> judges = {"participant": ["Ann", "Bob"] * 6}
    >>> answers = od.Pairs([["tea", "milk"], ["milk", "wine"], ["wine", "tea"]] * 4, groups=judges)
    >>> model = od.Ranking(slopes=True, side=False, errors="answers").fit(answers)
    >>> od.plots.plot_judges(model).get_xlabel()
    'reliability, 95% intervals'
    """
    from ordinate.scales.rank_intervals import quantile

    if model.slopes_ is None or model.judges_ is None or model.log_slope_errors_ is None:
        raise InputError(
            "plot_judges needs a ranking with a slope per judge: Ranking(slopes=True)."
        )
    order = np.argsort(model.slopes_, kind="stable")[:_MOST_JUDGES]
    slopes, n = model.slopes_[order] / model.slopes_.mean(), len(order)
    factor = np.exp(quantile(level, np.inf) * model.log_slope_errors_[order])
    ax = start_chart(ax, 3.6, max(2.0, 0.8 + 0.26 * n))
    ax.axvline(1.0, color=QUIET, linewidth=1)
    ax.hlines(np.arange(n), slopes / factor, slopes * factor, color=COLORS[0], linewidth=1.5)
    ax.plot(slopes, np.arange(n), "o", color=COLORS[0], markersize=4)
    ax.set_xscale("log")
    reach = float((slopes / factor).min()), float((slopes * factor).max())
    ticks = [tick for tick in _TICKS if reach[0] <= tick <= reach[1] or tick in (0.5, 1.0, 2.0)]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlabel(f"reliability, {level:.0%} intervals")
    n_judges = len(model.slopes_)
    some = f"the {n} least reliable of {n_judges:,} judges; " if n < n_judges else ""
    ax.set_title(f"{some}1: the average judge", fontsize=9, color=QUIET)
    _name_rows(ax, np.asarray(model.judges_)[order].tolist())
    return ax


def plot_difference_scale(model: DifferenceScale, ax: Axes | None = None) -> Axes:
    """Draw a perceptual scale over the physical values, with its intervals.

    Parameters
    ----------
    model : DifferenceScale
        A fitted model.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> answers = od.sources.random_triplets(np.arange(5.0)[:, None], 200, random_state=0)
    >>> model = od.DifferenceScale(n_simulations=20, random_state=0).fit(answers)
    >>> od.plots.plot_difference_scale(model).get_ylabel()
    'scale, 95% intervals'
    """
    table = model.columns()
    ax = start_chart(ax, 5, 3.8)
    ax.vlines(table["value"], table["lower"], table["upper"], color=COLORS[0], linewidth=1.5)
    ax.plot(table["value"], table["scale"], "o-", color=COLORS[0], markersize=4, linewidth=1)
    ax.set_xlabel("physical value")
    ax.set_ylabel("scale, 95% intervals")
    ax.grid(color="0.92")
    ax.set_axisbelow(True)
    return ax


def plot_wins(model: Ranking, ax: Axes | None = None) -> Axes:
    """Draw the share of answers in which the item of the row beat that of the column.

    Items are in the order of their scores, so that one scale shows as one direction. More than 80
    are called by their ranks. Two items without a decided answer leave their cell white.

    Parameters
    ----------
    model : Ranking
        A fitted model.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    Examples
    --------
    >>> import ordinate as od
    >>> model = od.Ranking(random_state=0).fit([["tea", "milk"], ["milk", "wine"]] * 5)
    >>> od.plots.plot_wins(model).get_xlabel()
    'against'
    """
    if model.n_objects_ > MOST_CELLS:
        raise InputError(
            f"plot_wins draws up to {MOST_CELLS:,} items; there are {model.n_objects_:,}. Draw"
            " their scores with plot_ranking."
        )
    order = np.argsort(-model.scores_, kind="stable")
    wins = model.counts_.wins()[np.ix_(order, order)]
    total = wins + wins.T
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(total > 0, wins / total, np.nan)
    n = len(order)
    size = min(max(3.6, 1.5 + 0.15 * n), 11.0)
    ax = start_chart(ax, size + 0.5, size)
    edges = (0.5, n + 0.5, n + 0.5, 0.5)  # places count from 1, as ranks do
    picture = ax.imshow(share, cmap=SCALE, vmin=0, vmax=1, extent=edges)
    if n <= _MOST_IN_MATRIX:
        names = [str(item if model.names_ is None else model.names_[item]) for item in order]
        ax.set_yticks(range(1, n + 1), names, fontsize=8)
        ax.set_xticks(range(1, n + 1), names, fontsize=8, rotation=90)
    ax.set_xlabel("against")
    ax.set_ylabel("item, best on top" if n <= _MOST_IN_MATRIX else "rank of the item")
    ax.figure.colorbar(picture, ax=ax, label="share of wins", shrink=0.7)
    return ax
