"""Whether judges differ, and groups of judges with a ranking each."""

import numpy as np
import pytest

import ordinate as od
from ordinate.scales.judges import GUESSES, audit_judges, dependence, judges_differ

QUALITY = np.linspace(1.5, -1.5, 8)


def answers(seed, *, n_judges=12, each=60, others=0, tie_habits=False):
    """Answers of judges with unlike slopes, of whom the last see the items the other way round."""
    rng = np.random.default_rng([seed])
    judge = np.repeat(np.arange(n_judges), each)
    rows = np.argsort(rng.random((len(judge), 8)), axis=1)[:, :2]
    slope = np.exp(rng.normal(0, 0.4, n_judges))
    slope[n_judges - others :] *= -1
    ahead = slope[judge] * (QUALITY[rows[:, 0]] - QUALITY[rows[:, 1]]) + rng.logistic(
        size=len(rows)
    )
    bar = np.where(judge % 2, 1.5, 0.0) if tie_habits else np.zeros(len(judge))
    outcomes = np.select([ahead > bar, ahead < -bar], [1, -1], 0)
    return od.Pairs(rows, outcomes, groups={"participant": judge})


@pytest.mark.parametrize(
    ("settings", "differ"),
    [
        ({}, False),
        ({"tie_habits": True}, False),
        ({"others": 5}, True),
        ({"others": 1, "each": 120}, True),
    ],
)
def test_judges_differ_in_what_they_prefer_not_in_slopes_or_ties(settings, differ):
    pairs = answers(3, **settings)
    model = od.Ranking(side=False, random_state=0).fit(pairs)
    # one judge of twelve is found by most simulations, not by all
    p_value = judges_differ(pairs, model, np.random.default_rng([0]))
    assert p_value <= 0.05 if differ else p_value > 0.1


def test_it_takes_several_answers_of_known_judges_to_say_whether_they_differ():
    pairs = answers(0, n_judges=4)
    for record in (
        od.Pairs(pairs.rows, pairs.outcomes),
        od.Pairs(pairs.rows, pairs.outcomes, groups={"participant": np.arange(len(pairs))}),
        od.Pairs(pairs.rows, pairs.outcomes, groups={"participant": np.zeros(len(pairs), int)}),
    ):
        check = od.check_scale(record, n_simulations=5, random_state=0)
        assert np.isnan(check.p_judges)
        assert "Judges differ" not in str(check)


def test_groups_of_judges_are_found_with_their_rankings():
    pairs = answers(1, others=5, tie_habits=True)
    model = od.JudgeGroups(n_init=4, random_state=0).fit(pairs)
    assert model.n_groups_ == 2
    assert model.groups_.tolist() == [0] * 7 + [1] * 5, "the largest group is the first"
    for ranking, sign in zip(model.rankings_, (1, -1), strict=True):
        assert np.corrcoef(ranking.scores_, sign * QUALITY)[0, 1] > 0.9
    assert model.held_out_[1] == pytest.approx(model.held_out_.max(), abs=1e-6)
    assert model.log_loss(pairs) < model.pooled_.log_loss(pairs) - 0.05
    stranger = od.Pairs([[0, 7]], groups={"participant": [99]})
    np.testing.assert_allclose(model.predict_proba(stranger).sum(), 1.0)


def test_judges_who_differ_in_reliability_alone_are_one_group():
    model = od.JudgeGroups(n_init=3, random_state=0).fit(answers(2, tie_habits=True))
    assert model.n_groups_ == 1
    assert len(model.held_out_) == 3, "two more groups were tried in vain"


def test_one_judge_is_not_a_group():
    with pytest.raises(od.InputError, match="at least two judges"):
        od.JudgeGroups().fit(answers(0, n_judges=1))
    with pytest.raises(od.InputError, match="All answers are by one judge"):
        od.rank(answers(0, n_judges=1), by="participant")


def audited(seed, change=None, **settings):
    """Audit judges of unlike slopes, one of whom answers in another way."""
    pairs = answers(seed, **settings)
    names = [f"judge {number}" for number in range(8)]
    outcomes = pairs.outcomes if change is None else change(pairs)
    who = np.array([f"judge {number}" for number in pairs.groups["participant"]])
    pairs = od.Pairs(pairs.rows, outcomes, groups={"participant": who}, names=names)
    model = od.Ranking(random_state=0).fit(pairs)
    audit = audit_judges(pairs, model, random_state=0)
    return audit, {name: column.tolist() for name, column in audit.table.items()}


def mine(pairs, judge=3):
    return pairs.groups["participant"] == judge


CHANGES = {
    GUESSES: lambda pairs: np.where(
        mine(pairs), np.random.default_rng(0).choice([1, -1], len(pairs)), pairs.outcomes
    ),
    "answers the other way round": lambda pairs: np.where(
        mine(pairs), -pairs.outcomes, pairs.outcomes
    ),
    "leans more than the others to the side shown second": lambda pairs: np.where(
        mine(pairs) & (np.random.default_rng(0).random(len(pairs)) < 0.7), -1, pairs.outcomes
    ),
    "calls more ties than the others": lambda pairs: np.where(
        np.random.default_rng(0).random(len(pairs)) < np.where(mine(pairs), 0.6, 0.1),
        0,
        pairs.outcomes,
    ),
    "favours items of the same name": lambda pairs: np.where(
        mine(pairs) & (pairs.rows == 3).any(axis=1),
        np.where(pairs.rows[:, 0] == 3, 1, -1),
        pairs.outcomes,
    ),
}


@pytest.mark.usual_data
@pytest.mark.parametrize("verdict", CHANGES)
def test_a_judge_who_is_not_like_the_others_is_named(verdict):
    audit, table = audited(5, CHANGES[verdict], each=150)
    said = dict(zip(table["judge"], table["verdict"], strict=True))
    assert verdict in said["judge 3"]
    assert {name for who in audit.named.values() for name in who} == {"judge 3"}, "and nobody else"
    assert list(audit.named) == said["judge 3"].split("; ")


def test_judges_who_are_alike_are_seldom_named():
    """The level is 5 % for all judges and all verdicts together; docs/nulls.rst has more."""
    named = sum(bool(audited(seed, each=40)[0].named) for seed in range(24))
    assert named <= 4


@pytest.mark.parametrize("guessers", [0, 1, 2])
def test_guessing_is_no_slope_at_all_and_not_less_than_the_average(guessers):
    """Judges are up to three times as reliable as others; guessers do not hide each other."""
    found = wrong = 0
    for seed in range(12):
        rng = np.random.default_rng([seed, guessers])
        rows = rng.random((1_200, 10)).argsort(axis=1)[:, :2]
        slopes = np.append(np.zeros(guessers), rng.uniform(0.7, 2, 12 - guessers))
        quality = rng.normal(size=10)
        felt = np.repeat(slopes, 100) * (quality[rows[:, 0]] - quality[rows[:, 1]])
        won = rng.random(1_200) < 1 / (1 + np.exp(-felt))
        who = {"participant": np.repeat(np.arange(12), 100)}
        pairs = od.Pairs(rows, np.where(won, 1, -1), groups=who)
        model = od.Ranking(random_state=0).fit(pairs)
        table = audit_judges(pairs, model, random_state=0).table
        guesses = [GUESSES in verdict for verdict in table["verdict"][np.argsort(table["judge"])]]
        found += any(guesses[:guessers])
        wrong += any(guesses[guessers:])
    assert wrong <= 2
    assert found >= 6 or not guessers


def test_the_average_judge_is_the_average():
    audit, table = audited(0, CHANGES[GUESSES])
    assert np.mean(table["reliability"]) == pytest.approx(1.0)
    slopes = audit.weighted.slopes_
    np.testing.assert_allclose(audit.scores, audit.weighted.scores_ * slopes.mean())
    ax = od.plots.plot_judges(audit.weighted)
    drawn = ax.lines[1].get_xdata()
    assert np.mean(drawn) == pytest.approx(1.0)


def test_agreement_is_with_the_others_alone():
    """A judge who decides alone about an item does not agree with themselves."""
    rows = [[0, 1], [1, 2], [0, 2]] * 20 + [[3, 0]] * 10
    who = ["Ann", "Bob"] * 30 + ["Cem"] * 10
    pairs = od.Pairs(rows, groups={"participant": who})
    model = od.Ranking(random_state=0, side=False).fit(pairs)
    table = audit_judges(pairs, model, random_state=0).table
    assert table["agreement"][table["judge"] == "Cem"].item() < 1


@pytest.mark.usual_data
def test_plain_rank_names_who_guesses_and_lists_nobody():
    pairs = answers(5, each=150)
    pairs = od.Pairs(pairs.rows, CHANGES[GUESSES](pairs), groups=pairs.groups)
    plain, listed = od.rank(pairs), od.rank(pairs, by="participant")
    assert f"→ Judge 3 {GUESSES}." in str(plain)
    assert "Judges:" not in str(plain)
    assert "weighted" in str(plain), "the ranking weighted by reliability stands beside"
    assert "Judges:" in str(listed)
    assert plain.p_judges == listed.p_judges
    assert plain.model.side_ == listed.model.side_
    assert next(iter(listed.tables())) == "judges"
    assert next(iter(plain.tables())) == "scores"


def test_groups_are_drawn_in_colours():
    pytest.importorskip("matplotlib")
    model = od.JudgeGroups(n_groups=2, n_init=2, random_state=0).fit(answers(1, others=5))
    ax = od.plots.plot_ranking(model)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["group 1", "group 2"]
    assert len(ax.get_yticklabels()) == 8


@pytest.mark.parametrize("bias", [0.0, 2.0])
def test_who_favours_their_own_item_is_named_though_they_seem_the_most_reliable(bias):
    """Four models judge each other; the bias is stronger than what they agree in."""
    rng = np.random.default_rng(1)
    names, quality = ["a", "b", "c", "d"], np.array([1.0, 0.8, 0.2, 0.0])
    rows = rng.random((1_200, 4)).argsort(axis=1)[:, :2]
    judge = rng.integers(4, size=1_200)
    own = (judge == 2) * ((rows[:, 0] == 2) * 1.0 - (rows[:, 1] == 2))
    felt = quality[rows[:, 0]] - quality[rows[:, 1]] + bias * own
    won = felt + rng.logistic(size=1_200) > 0
    who = {"participant": np.array(names)[judge]}
    pairs = od.Pairs(rows, np.where(won, 1, -1), groups=who, names=names, ordered=False)
    audit = audit_judges(pairs, od.Ranking(random_state=0).fit(pairs), random_state=0)
    named = {"favours items of the same name": ["c"]} if bias else {}
    assert audit.named == named
    row = audit.table["judge"].tolist().index("c")
    assert audit.table["self_lower"][row] <= bias <= audit.table["self_upper"][row]


def rankings_of_one_taste(spread, seed):
    rng = np.random.default_rng([seed])
    scores, orders = spread * rng.normal(size=8), []
    for _ in range(100):
        items = rng.permutation(8)[:5]
        orders.append(items[np.argsort(-scores[items] - rng.gumbel(size=5))].tolist())
    return od.Pairs.from_rankings(
        orders, groups={"participant": [f"j{k % 10}" for k in range(100)]}
    )


@pytest.mark.parametrize("spread", [0.0, 1.3])
def test_judges_of_rankings_are_alike_although_pairs_of_a_ranking_depend(spread):
    named, differ = 0, 0
    for seed in range(6):
        pairs = rankings_of_one_taste(spread, seed)
        found = audit_judges(pairs, od.Ranking(random_state=0).fit(pairs), random_state=0)
        assert found.weighted._rankings is not None
        named += bool(found.named)
        differ += found.p_tastes < 0.05
    assert named <= 1
    assert differ <= 1


def test_pairs_of_a_ranking_count_for_less_than_independent_ones():
    pairs = rankings_of_one_taste(0.0, 0)
    model = od.Ranking(random_state=0).fit(pairs)
    assert dependence(pairs, model) == pytest.approx(2, abs=0.7)  # (k + 1) / 3 of k items
    apart = pairs._with(groups={})
    assert dependence(apart, od.Ranking(random_state=0).fit(apart)) == 1


def test_judges_who_rank_alike_form_one_group():
    found = [
        od.JudgeGroups(n_groups="auto", random_state=0).fit(rankings_of_one_taste(1.3, seed))
        for seed in range(5)
    ]
    assert sum(groups.n_groups_ > 1 for groups in found) <= 1


def test_ties_that_count_as_halves_are_no_habit_of_all_judges():
    rows = np.random.default_rng(0).random((400, 6)).argsort(axis=1)[:, :2]
    outcomes = np.where(np.arange(400) % 10, 1, 0)
    pairs = od.Pairs(np.sort(rows), outcomes, groups={"participant": np.arange(400) % 8})
    found = audit_judges(pairs, od.Ranking(ties="half", random_state=0).fit(pairs), random_state=0)
    assert "ties" in found.table
    assert not any("ties" in verdict for verdict in found.named)
