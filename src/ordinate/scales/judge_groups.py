"""Groups of judges, each with a ranking of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Floats
from ordinate._checks import InputError, check_choice, check_integer
from ordinate._estimator import BaseEstimator, check_is_fitted
from ordinate._random import RandomState, as_generator, as_seed
from ordinate.comparisons.pairs import Pairs
from ordinate.scales.outcomes import LINKS
from ordinate.scales.predictions import PredictsPairs, as_pairs
from ordinate.scales.ranking import Ranking
from ordinate.solvers.mixture import HEATS, Mixture, best_mixture
from ordinate.solvers.respondents import trials_of

_SPLITS, _HELD_OUT = 3, 0.2
"""How often, and which share of, the answers are held out to choose the number of groups."""
_MOST_ROUNDS, _TOL, _STEPS = 200, 1e-6, 2
"""Rounds of the fit, their tolerance, and steps of Newton's method in each."""
_SLOPES = np.array([0.1, 0.4, 0.8, 1.3, 2.0])
"""How strongly a judge's answers may follow the scores of their group."""


@dataclass(eq=False, repr=False)
class JudgeGroups(PredictsPairs, BaseEstimator):
    """Groups of judges with a ranking each; who belongs where is learned, with probabilities.

    A mixture: a judge belongs to group g with probability π_g, and gives all answers by the scores
    of their group, which they follow more or less strongly. Groups therefore differ in what they
    prefer, not in how reliable their judges are. Ties are left out when the groups are found.
    Fitted by expectation and maximization from several starts.

    Parameters
    ----------
    model : {"bradley-terry", "thurstone"}, default="bradley-terry"
        As in `Ranking`, like `ties` and `side`; what is left open is chosen for all judges at once.
    n_groups : int or "auto", default="auto"
        Number of groups; "auto" tries 1, 2, … and takes another group if it predicts held-out
        answers of the same judges better, by more than a standard error.
    max_groups : int, default=6
        Most groups that "auto" tries.
    ties : {"auto", "davidson", "rao-kupper", "half"}, default="auto"
        How ties come about.
    side : bool or "auto", default="auto"
        Whether the item shown first has an advantage.
    prior : float, "auto" or None, default="auto"
        As in `Ranking`.
    judges : str, default="participant"
        The group of the record that says who answered.
    n_init : int, default=10
        Starts, of which the likeliest after a few rounds is followed.
    random_state : int, Generator or None, default=None
        Seed of the starts and of what is held out.

    Attributes
    ----------
    rankings_ : list of Ranking
        A ranking per group, the largest first, fitted to the answers of the judges whose most
        probable group it is. Its intervals take these memberships as known.
    pooled_ : Ranking
        The ranking of all judges together.
    judges_ : ndarray of shape (n_judges,)
        Labels of the judges, sorted.
    memberships_ : ndarray of shape (n_judges, n_groups)
        How probable it is that each judge belongs to each group.
    groups_ : ndarray of int, shape (n_judges,)
        The most probable group, from 0.
    n_groups_ : int
        Number of groups.
    shares_ : ndarray of shape (n_groups,)
        π, how large the groups are.
    held_out_ : ndarray of shape (n_tried,) or None
        If `n_groups` is "auto": mean log-likelihood of held-out answers for 1, 2, … groups.
    names_ : tuple or None
        Names of the items.

    See Also
    --------
    Ranking : One ranking for all, in which judges may differ in reliability.
    GroupMaps : The same for maps.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> rng = np.random.default_rng(0)
    >>> judge = np.repeat(range(8), 40)
    >>> rows = np.argsort(rng.random((320, 6)), axis=1)[:, :2]
    >>> ahead = (rows[:, 1] - rows[:, 0]) * np.where(judge % 2, 1, -1)  # odd ones prefer 0
    >>> outcomes = np.where(ahead + rng.logistic(size=320) > 0, 1, -1)
    >>> answers = od.Pairs(rows, outcomes, groups={"participant": judge})
    >>> model = od.JudgeGroups(n_groups=2, random_state=0).fit(answers)
    >>> model.groups_[::2].tolist() in ([0] * 4, [1] * 4)
    True
    """

    model: str = "bradley-terry"
    _: KW_ONLY
    n_groups: int | str = "auto"
    max_groups: int = 6
    ties: str = "auto"
    side: bool | str = "auto"
    prior: float | str | None = "auto"
    judges: str = "participant"
    n_init: int = 10
    random_state: RandomState = None

    def fit(
        self,
        X: Pairs | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Find the groups and their scores.

        Parameters
        ----------
        X : Pairs
            The answers, which say who gave them.
        y, sample_weight
            As in `Ranking.fit`.

        Returns
        -------
        self
            The fitted estimator.
        """
        pairs = as_pairs(X, y, sample_weight)
        check_integer("n_init", self.n_init, minimum=1)
        check_integer("max_groups", self.max_groups, minimum=1)
        pairs.group_codes(self.judges)  # says which groups there are
        self.judges_, judge = np.unique(pairs.groups[self.judges], return_inverse=True)
        if len(self.judges_) < 2:
            raise InputError(f"Groups need at least two judges in {self.judges!r}; there is one.")
        seed = as_seed(self.random_state)
        rng = as_generator(seed)
        self.names_, self.n_objects_ = pairs.names, pairs.n_objects
        self.pooled_ = Ranking(
            self.model, ties=self.ties, side=self.side, prior=self.prior, judges=self.judges,
            random_state=seed,
        ).fit(pairs)  # fmt: skip
        self._has_ties = self.pooled_.answer_model.has_ties
        answers = partial(_JudgedAnswers, self.pooled_, n_judges=len(self.judges_))
        number = self._number(answers, pairs, judge, rng)
        found = self._mixture(answers(pairs, judge), number, rng)
        member, shares = found.by_group()
        # a group that is nobody's most probable one has no ranking
        filled = np.unique(np.argmax(member, axis=1))
        self.memberships_ = member[:, filled] / member[:, filled].sum(axis=1, keepdims=True)
        self.shares_ = shares[filled] / shares[filled].sum()
        self.groups_, self.n_groups_ = np.argmax(self.memberships_, axis=1), len(filled)
        parts = [pairs[self.groups_[judge] == group] for group in range(self.n_groups_)]
        # a small group may lack ties, or answers for one side
        self.rankings_ = [self.pooled_.with_choices(p, errors="auto").fit(p) for p in parts]
        return self

    def _number(
        self,
        answers: Callable[..., _JudgedAnswers],
        pairs: Pairs,
        judge: NDArray[np.intp],
        rng: np.random.Generator,
    ) -> int:
        """Return how many groups there are to be: as asked, or chosen by held-out answers."""
        self.held_out_: Floats | None = None
        if not isinstance(self.n_groups, str):
            return check_integer("n_groups", self.n_groups, minimum=1, maximum=len(self.judges_))
        check_choice("n_groups", self.n_groups, ("auto",))
        unit = trials_of(pairs)  # pairs of one ranking are held out together
        splits = []
        for _ in range(_SPLITS):
            out = (rng.permutation(int(unit.max()) + 1) < _HELD_OUT * (unit.max() + 1))[unit]
            splits.append([answers(pairs[part], judge[part]) for part in (~out, out)])
        chosen, tried = 1, []
        for number in range(1, min(self.max_groups, len(self.judges_)) + 1):
            losses = sum(self._mixture(rest, number, rng).losses_of(test) for rest, test in splits)
            tried.append(np.asarray(losses))
            gain = tried[chosen - 1] - tried[-1]
            if gain.sum() > np.sqrt(gain.var() * len(gain)):
                chosen = number
            if number > chosen + 1:
                break
        total = sum(test.total for _, test in splits)
        self.held_out_ = np.array([-losses.sum() / total for losses in tried])
        return chosen

    def _mixture(
        self, answers: _JudgedAnswers, n_groups: int, rng: np.random.Generator
    ) -> _ScaleMixture:
        """Begin with judges assigned to groups at random, several times, and keep the best."""
        starts = []
        for _ in range(self.n_init if n_groups > 1 else 1):
            start = _ScaleMixture(answers, n_groups)
            group = rng.permutation(answers.n_judges) % n_groups
            start.move(np.eye(n_groups)[group].repeat(len(_SLOPES), axis=1) / len(_SLOPES))
            starts.append(start)
        heats = HEATS if n_groups > 1 else ()
        return best_mixture(starts, max_rounds=_MOST_ROUNDS, tol=_TOL, heats=heats)

    def predict_proba(self, X: Pairs | ArrayLike) -> NDArray[np.float64]:
        """Return how likely the first item wins, ties and loses.

        Parameters
        ----------
        X : Pairs or array-like of shape (n_pairs, 2)
            Pairs of items of the fit; matched by label where both have labels. Judges of the fit
            answer by the scores of the groups they may belong to, others by the groups' shares.

        Returns
        -------
        ndarray of shape (n_pairs, 3)
            Chances of win, tie and loss.
        """
        check_is_fitted(self)
        pairs = as_pairs(X)
        member = np.broadcast_to(self.shares_, (len(pairs), self.n_groups_))
        if self.judges in pairs.groups:
            labels = pairs.groups[self.judges]
            place = np.searchsorted(self.judges_, labels).clip(max=len(self.judges_) - 1)
            known = self.judges_[place] == labels
            member = np.where(known[:, None], self.memberships_[place], member)
        chances = [ranking.predict_proba(pairs) for ranking in self.rankings_]
        return np.asarray(sum(m[:, None] * c for m, c in zip(member.T, chances, strict=True)))


class _JudgedAnswers:
    """Decided answers by judge and pair, and the likelihood of a group's scores."""

    def __init__(
        self, pooled: Ranking, pairs: Pairs, judge: NDArray[np.intp], *, n_judges: int
    ) -> None:
        self.link, self.prior = LINKS[pooled.model], pooled._spread or 10.0
        self.start, self.n_judges = pooled.scores_, n_judges
        self.side = pooled.side_ or 0.0
        judged = pairs.counts(judge)
        if pooled.side_ is None:
            judged = judged.without_order()
        assert judged.judge is not None
        self.judge = judged.judge
        self.won, self.lost = judged.counts[0], judged.counts[2]
        codes = judged.first.astype(np.int64) * pairs.n_objects + judged.second
        codes, self.row = np.unique(codes, return_inverse=True)
        self.first, self.second = np.divmod(codes, pairs.n_objects)

    @property
    def total(self) -> float:
        """How many answers there are."""
        return float(self.won.sum() + self.lost.sum())

    def ahead(self, scores: Floats) -> Floats:
        """Return how far the first item is ahead, shape (n_slopes, n_rows)."""
        gap = scores[self.first] - scores[self.second]
        return np.asarray(_SLOPES[:, None] * gap + self.side)

    def losses(self, scores: Floats) -> Floats:
        """Return minus the log likelihood of each judge with each slope, (n_judges, n_slopes)."""
        ahead = self.ahead(scores)
        won, lost = self.link.log_chance(ahead), self.link.log_chance(-ahead)
        rows = self.won * won[:, self.row] + self.lost * lost[:, self.row]
        sums = [np.bincount(self.judge, -row, self.n_judges) for row in rows]
        return np.array(sums, dtype=np.float64).T

    def fitted(self, weights: Floats, scores: Floats) -> Floats:
        """Return better scores for judges with these weights, (n_judges, n_slopes), by Newton."""
        n, n_rows = len(scores), len(self.first)
        won, lost = (
            np.array([np.bincount(self.row, c * w[self.judge], n_rows) for w in weights.T])
            for c in (self.won, self.lost)
        )
        slopes = _SLOPES[:, None]
        for _ in range(_STEPS):
            ahead, up = self.ahead(scores), self.link.hazard
            push = (slopes * (won * up(ahead) - lost * up(-ahead))).sum(axis=0)
            bend = self.link.hazard_slope
            curve = -(slopes**2 * (won * bend(ahead) + lost * bend(-ahead))).sum(axis=0)
            gradient = np.bincount(self.first, push, n) - np.bincount(self.second, push, n)
            between = np.bincount(self.first * n + self.second, curve, n * n).reshape(n, n)
            between = between + between.T
            precision = np.diag(between.sum(axis=1) + self.prior**-2) - between
            step = np.linalg.solve(precision, gradient - scores / self.prior**2)
            scores = scores + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        return scores


class _ScaleMixture(Mixture):
    """Scores of groups, shares of groups and slopes, and what the answers of judges say about them.

    A judge belongs to a group and has one of a few slopes; ties are left out. So groups differ in
    what they prefer, not in how reliable their judges are or how often they call a tie.
    """

    def __init__(self, answers: _JudgedAnswers, n_groups: int) -> None:
        super().__init__(n_groups * len(_SLOPES))
        self.answers = answers
        self.scores = [answers.start] * n_groups

    def costs(self) -> Floats:
        """Return minus the log likelihood of each judge's answers by each group and slope."""
        return np.hstack([self.answers.losses(scores) for scores in self.scores])

    def move(self, probabilities: Floats) -> None:
        """Fit the scores of the groups to the answers, weighted by who belongs to them."""
        weights = np.split(probabilities, len(self.scores), axis=1)
        pairs = zip(weights, self.scores, strict=True)
        self.scores = [self.answers.fitted(weight, scores) for weight, scores in pairs]

    def by_group(self) -> tuple[Floats, Floats]:
        """Return memberships of judges and shares of groups, the largest group first."""
        member = np.add.reduceat(self.memberships(), self._begins, axis=1)
        shares = np.add.reduceat(self.shares, self._begins)
        order = np.argsort(-shares, kind="stable")
        return member[:, order], shares[order]

    @property
    def _begins(self) -> NDArray[np.intp]:
        return np.arange(len(self.scores)) * len(_SLOPES)

    def losses_of(self, test: _JudgedAnswers) -> Floats:
        """Return minus the log likelihood of other answers of the same judges, by judge."""
        with np.errstate(divide="ignore"):
            member = np.log(self.memberships())
        joint = member - np.hstack([test.losses(scores) for scores in self.scores])
        return np.asarray(-np.logaddexp.reduce(joint, axis=1))
