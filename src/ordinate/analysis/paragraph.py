"""What a paper quotes: the methods paragraph and its references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import getdoc
from typing import TYPE_CHECKING

from ordinate._versions import versions
from ordinate.comparisons.pairs import counted
from ordinate.methods import METHODS
from ordinate.selection._method_table import MIN_RELATIVE_GAIN, MethodTable
from ordinate.triplets.probabilistic import penalty_for

if TYPE_CHECKING:
    from ordinate.analysis.analysis import Analysis
    from ordinate.io.rows import Reading

_TASKS = {
    "triplet": "which of two objects is closer to an anchor",
    "odd_one_out": "which of the objects shown is the odd one out",
    "most_central": "which of three objects is the most central",
    "choose_k": "which of the objects shown are closest to an anchor",
    "pair_against_pair": "in which of two pairs the objects are closer to each other",
    "ranking": "in which order objects are close to an anchor",
}
"""What people were asked, by the name of the question."""


def methods_paragraph(analysis: Analysis, readings: Sequence[Reading] = ()) -> str:
    """Describe the analysis as a paper does."""
    table, sure = analysis.comparison(), analysis.last_uncertainty
    references = references_of(analysis)
    numbers = list(dict.fromkeys(references.values()))
    cited = {name: f"{name} [{numbers.index(paper) + 1}]" for name, paper in references.items()}
    methods = [cited[name] for name in dict.fromkeys(row.method for row in table.rows)]
    dimensions = sorted({row.dimension for row in table.rows})
    sentences = [
        *_data(analysis, readings),
        f"Ordinal embeddings by {_listed(methods)} in {_listed(dimensions)}"
        f" {'dimensions' if dimensions != [1] else 'dimension'} were computed with"
        f" {cited['Ordinate']} (version {versions()['ordinate']}).",
        *_penalties(analysis),
        *_validation(analysis, cited["cross-validation"]),
    ]
    if sure is not None:
        sentences.append(
            f"Uncertainty of the map was estimated from {len(sure.draws_)} bootstrap resamples"
            f" of {sure.drawn_}."
        )
    structure, studied = analysis.kept("structure"), analysis.kept("people")
    if structure is not None:
        n_permutations = len(structure.random_errors)
        sentences.append(
            f"Structure was tested against {n_permutations} sets of random responses to the same"
            f" questions (p = {structure.p_value:.2g})."
        )
    if studied is not None:
        people = studied.comparison
        sentences.append(
            "Whether participants see the same map was tested by a score test against"
            f" {people.n_draws} sets of answers drawn from one map for all, allowing each person"
            f" their own noise and lapse rate (p = {people.p_value:.2g})."
        )
    return " ".join([*sentences, f"The random seed was {analysis.plan.seed}."])


def _data(analysis: Analysis, readings: Sequence[Reading]) -> Iterator[str]:
    """Say what was asked, how often and of whom, and what was left out."""
    described = analysis.description
    asked = dict.fromkeys(_TASKS[reading.question] for reading in readings)
    if asked:
        yield f"Each trial asked {_listed(list(asked))}."
    n_rows = sum(reading.n_rows for reading in readings)
    n_left_out = sum(sum(reading.left_out.values()) for reading in readings)
    who = described.groups.get("participant")
    trials = f"{n_rows - n_left_out:,} trials" if n_rows else f"{described.n_rows:,} answers"
    yield (
        f"The data were {trials}{f' by {who:,} participants' if who else ''}, which give"
        f" {described.n_rows:,} {described.kind}s about {described.n_objects:,} objects."
    )
    if n_left_out:
        yield _exclusions(readings)
    elif readings:
        yield "No trial was excluded."
    if analysis.noise().deviating_groups:
        named = _listed([one.label for one in analysis.noise().deviating_groups])
        yield (
            f"We kept the answers of {named}, who disagree with the other participants (false"
            " discovery rate 5 %)."
        )


def _exclusions(readings: Sequence[Reading]) -> str:
    """Say how many rows of which kind were left out."""
    people, kinds, n_people, n_rows, n_empty = set[str](), dict[str, None](), 0, 0, 0
    for reading in readings:
        for reason, n in reading.left_out.items():
            column = next((name for name in reading.columns if reason.startswith(f"{name} ")), "")
            entries = reason.removeprefix(f"{column} ")
            if reason == "without an answer":
                n_empty += n
            elif reading.columns.get(column) == "the group 'participant'":
                people |= set(entries.split(", "))
                n_people += n
            else:
                is_named = bool(column) and not entries.startswith("other than")
                n_rows += n
                kinds |= dict.fromkeys(entries.split(", ") if is_named else ["other"])
    parts = [f"{n_rows:,} {_listed([*kinds])} rows"] if n_rows else []
    who = f"{counted(len(people), 'participant')} ({counted(n_people, 'trial')})"
    parts += [who] if people else []
    excluded = [f"We excluded {_listed(parts)}"] if parts else []
    excluded += [f"{counted(n_empty, 'trial')} had no response"] if n_empty else []
    return "; ".join(excluded) + "."


def _penalties(analysis: Analysis) -> Iterator[str]:
    """Say which methods differ from their papers by a penalty that their name does not show."""
    n_objects = analysis.description.n_objects
    weights = {
        row.method: penalty_for(row.estimator.penalty, len(analysis.answers) / n_objects)
        for row in analysis.comparison().rows
        if METHODS.get(row.method) and row.estimator.get_params().get("penalty")
    }
    if weights:
        listed = _listed([f"{weight:.3g}" for weight in weights.values()])
        yield f"{_listed(list(weights))} had an L2 penalty ({listed})."


def _validation(analysis: Analysis, how: str) -> list[str]:
    table, error = analysis.comparison(), analysis.noise().held_out
    share, low, high = (100 * (1 - one) for one in (error.error, error.high, error.low))
    together = f", and answers of the same {table.by}," if table.by else ""
    repeats = f", split {table.repeats} times," if table.repeats > 1 else ""
    several = len(table.rows) > 1
    same = (
        " It was measured on the answers by which method and dimension were chosen."
        if several
        else ""
    )
    return [
        f"They were judged by {table.folds}-fold {how}{repeats} in which answers to the same"
        f" question{together} were held out together.{_choice_in_words(table) if several else ''}",
        f"Held-out accuracy was {share:.1f} % (90 % CI {low:.1f} to {high:.1f};"
        f" {error.folds}-fold; chance 50 %).{same}",
    ]


def _choice_in_words(table: MethodTable) -> str:
    score = "on held-out answers (Brier score plus half of the error)"
    luck = ""
    if table.set_aside:
        luck = (
            f" Lower scores of {_listed(table.set_aside)} were disregarded, because with so few"
            " answers they are a matter of luck."
        )
    if table.choice is table.smallest:
        return (
            f" We chose {table.choice}: the lowest dimension whose score {score} was close to the"
            " best, and there the method with the lowest score. A score is close if it loses at"
            f" most {100 * MIN_RELATIVE_GAIN:.0f}\u00a0% of the best map's gain over guessing"
            f" (a score of 0.5).{luck}"
        )
    well = f" We chose {table.choice}, a map in two dimensions, because no other had surely a lower"
    few = ", and this method because it predicts well from few answers"
    return (
        f"{well} Brier score on held-out answers (99\u00a0% interval of the difference)"
        f"{few if table.choice is table.fallback else ''}.{luck}"
    )


def references_of(analysis: Analysis) -> dict[str, str]:
    """Return the paper behind each method that was tried, then those behind the figures."""
    found = {}
    for row in analysis.comparison().rows:
        described = getdoc(type(row.estimator)) or ""
        _, _, cited = described.partition("References\n----------\n")
        papers = [" ".join(paper.split()) for paper in cited.split("\n\n")]
        # the second paper of STE is about lapses, which are fitted only on request
        lapses = row.estimator.get_params().get("lapse_rate")
        found[row.method] = " ".join(papers[: 2 if lapses else 1])
    return found | {
        "cross-validation": "Bayle, Bayle, Janson & Mackey, Cross-validation Confidence Intervals"
        " for Test Error, NeurIPS 2020.",
        "Ordinate": f"Ordinate: coordinates from comparisons, version {versions()['ordinate']}.",
    }


def _listed(values: Sequence[object]) -> str:
    """Return such as "a, b and c"."""
    texts = [str(value) for value in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
