"""How many answers a rule saves: those it needs for the error of random questions at 20 n answers.

    python benchmarks/questions.py [--seeds 20] [--only NAME] [--rules A,B] [--jobs 2] [--output F]
    python benchmarks/questions.py --summary [--output FILE] [--publish] [--plot curves.png]
    python benchmarks/questions.py --timing

Simulated observers answer what `ordinate.Questions` asks. Truth: points N(0, I) unless the setting
says otherwise; an observer says "b is nearer" with probability (1 − ℓ) σ(s m) + ℓ/2, where
m = |a − c|² − |a − b|², s is the sharpness and ℓ the lapse rate. After every batch the map of all
answers is judged by the sign of the true margin of 20,000 random questions. All rules begin with
n balanced questions, fit the same model and ask 10 % random questions; "random" asks nothing else.
The replays (data folder: ORDINATE_DATA) choose among questions that people did answer. CKL in five
dimensions with a penalty of 0.5 is fitted to all answers so far, and judged by people's answers to
other questions: each of them counts, or each object as an anchor, whatever the number of its
answers. "balanced" are random questions about the objects that were asked about least, and with
"balanced start" only the first n are, as those of the adaptive rules.
`--until 3 --output results/questions_start.csv` looks at the first answers alone.

Rows are appended as they come, one per run: a run that was stopped goes on where it was.
"""

import argparse
import csv
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pages import conditions, list_table, put_tables, write_table  # the script beside this one

import ordinate as od
from ordinate.questions.budget import logistic_observer, play
from ordinate.questions.prepare import Snapshot, prepare
from ordinate.tasks import make_task

PAGE = Path(__file__).parents[1] / "docs/results/questions.rst"
RULE_NAMES = ("random", "balanced", "posterior", "ckl")
TRIPLETS = make_task("triplet")
_JUDGED_EVERY = 4
RANDOM_SHARE = 0.1


@dataclass(frozen=True)
class Setting:
    """Simulated objects and observers."""

    n_objects: int = 40
    dimension: int = 2
    batch: int = 40
    sharpness: float = 1.0
    lapses: float = 0.0
    fitted: int | None = None
    shape: str = "normal"
    observers: int = 1

    def points(self, rng):
        """Draw the truth."""
        if self.shape == "clusters":  # a few large ones, many small ones, some outliers
            sizes = rng.pareto(1.0, size=12) + 0.2
            of = rng.choice(12, self.n_objects, p=sizes / sizes.sum())
            spread = 0.15 * rng.standard_t(2, (self.n_objects, self.dimension))
            points = rng.standard_normal((12, self.dimension))[of] + spread
            return points / points.std()
        return rng.standard_normal((self.n_objects, self.dimension))


SETTINGS = {
    "15 % wrong": Setting(),
    "4 % wrong": Setting(sharpness=4.6),
    "20 % lapses": Setting(lapses=0.2),
    "batches of 200": Setting(batch=200),
    "100 objects": Setting(n_objects=100, batch=100),
    "60 objects, 4-D": Setting(n_objects=60, dimension=4, batch=60),
    "batches of 20": Setting(batch=20),
    "batches of 1": Setting(batch=1),
    "4-D, fitted in 2-D": Setting(dimension=4, fitted=2),
    "2-D, fitted in 4-D": Setting(dimension=2, fitted=4),
    "heavy-tailed clusters": Setting(shape="clusters"),
    "observers that differ": Setting(observers=10),
    "4-D, fitted in 2-D, 20 % lapses": Setting(dimension=4, fitted=2, lapses=0.2),
}
"""The first six are those of the reference; then other batches, then models that are wrong."""
REPLAYS = {"food100": 50, "cars60": 50, "music400": 200}
"""Data sets of people's answers: answers per batch."""
PER_OBJECT = (2, 3, 4, 6, 8, 10)
"""Answers per object at which replays are judged."""
JUDGE = od.CKL(5, penalty=0.5, random_state=0, n_jobs=1)
QUICK = {"tiny": Setting(n_objects=12, batch=24)}


def observers(setting, points, rng):
    """Return who answers: each question goes to one of the observers."""
    weights = np.ones((1, setting.dimension))
    if setting.observers > 1:
        weights = np.exp(0.7 * rng.standard_normal((setting.observers, setting.dimension)))
    people = [
        logistic_observer(np.sqrt(own) * points, setting.sharpness, rng, lapses=setting.lapses)
        for own in weights
    ]

    def answer(items):
        who = rng.integers(len(people), size=len(items))
        told = np.array([person(items) for person in people])
        return told[who, np.arange(len(items))]

    return answer


def simulate(setting, rule, seed):
    """Return numbers of answers, and the error of the map after each."""
    rng = np.random.default_rng([seed, zlib.crc32(repr(setting).encode())])
    points = setting.points(rng)
    questions = od.Questions(
        setting.n_objects,
        setting.fitted or setting.dimension,
        rule="posterior" if rule == "random" else rule,
        random_share=1.0 if rule == "random" else RANDOM_SHARE,
        random_state=seed,
    )
    n = setting.n_objects
    sizes = [*range(2 * n, 20 * n, max(setting.batch, n)), 20 * n]
    if rule == "random":  # its fits only judge, so fewer of them do
        sizes = [*sizes[:1], *sizes[-1:0:-_JUDGED_EVERY][::-1]]
    observer = observers(setting, points, rng)
    errors = list(play(questions, observer, points, sizes, setting.batch, wait=rule != "random"))
    return list(zip(sizes, errors, strict=True))


def replay(name, rule, seed, until=np.inf):
    """Choose among the questions that people answered; judge by a quarter of the questions.

    Return numbers of answers, the error after each, and that error if all anchors count the same.
    """
    answers = getattr(od.datasets, f"load_{name}")().comparisons
    train, test = answers.train_test_split(test_size=0.25, random_state=seed)
    anchors = test.rows[:, 0]
    even = od.Comparisons(
        test.rows, weights=1 / np.bincount(anchors)[anchors], n_objects=test.n_objects
    )
    study = Replay(train, rule, seed)
    curve = []
    for per_object in PER_OBJECT:
        n_answered = per_object * answers.n_objects
        if per_object <= until and n_answered <= 0.6 * len(study.answers):
            study.go_on(n_answered, REPLAYS[name])
            found = JUDGE.fit(study.known).embedding_
            errors = (float(od.metrics.triplet_error(each, found)) for each in (test, even))
            curve.append((len(study.told), *errors))
    return curve


class Replay:
    """A study that can ask what people answered, one answer to each question."""

    def __init__(self, answers, rule, seed, n_components=3, features=None):
        self.answers = answers[np.unique(answers.question_groups(), return_index=True)[1]]
        self.rule, self.seed, self.n_components = rule, seed, n_components
        self.features = features
        self.rng = np.random.default_rng([seed, zlib.crc32(rule.encode())])
        self.left = np.random.default_rng(seed).permutation(len(self.answers))
        self.told, self.is_random = np.empty(0, dtype=np.intp), np.empty(0, dtype=bool)
        self.fit = None

    @property
    def known(self):
        """The answers so far."""
        return self.answers[self.told]

    def go_on(self, size, batch):
        """Ask until there are so many answers."""
        n = self.answers.n_objects
        while len(self.told) < size:
            number = min(batch, size - len(self.told))
            if self.rule == "random" or (self.rule == "balanced start" and len(self.told) >= n):
                self._ask(self.left[:number], is_random=True)
            elif self.rule == "balanced" or len(self.told) < n:
                number = min(number, max(n - len(self.told), batch))
                chosen = least_used(self.answers.rows, self.told, self.left, number, self.rng)
                self._ask(chosen, is_random=True)
            else:
                n_random = round(RANDOM_SHARE * number)
                self._ask(self.left[:n_random], is_random=True)
                self._ask(self._chosen(number - n_random), is_random=False)

    def _ask(self, numbers, *, is_random):
        self.told = np.concatenate([self.told, numbers])
        self.is_random = np.append(self.is_random, np.full(len(numbers), is_random))
        self.left = self.left[~np.isin(self.left, numbers)]

    def _chosen(self, number):
        """Return what the package chooses among the questions that are left."""
        among = self.left
        rows = self.answers.rows[among]
        version = 1 if self.fit is None else self.fit.version + 1
        snapshot = Snapshot(
            TRIPLETS,
            self.n_components,
            self.rule,
            self.known,
            rows[:0],
            (),
            number,
            (self.seed, version),
            version,
            len(self.told),
            self.fit,
            rows,
            self.features,
        )
        prepared = prepare(snapshot)
        self.fit = prepared.fit
        number_of = {tuple(row): at for row, at in zip(rows.tolist(), among, strict=True)}
        return np.array([number_of[tuple(row)] for row in prepared.items.tolist()])


def least_used(rows, told, left, number, rng):
    """Take questions whose anchors, and then whose other objects, were asked about least."""
    n = rows.max() + 1
    anchors = np.bincount(rows[told, 0], minlength=n).astype(float)
    others = np.bincount(rows[told, 1:].ravel(), minlength=n).astype(float)
    among = rng.choice(left, min(3000, len(left)), replace=False)
    asked = rows[among]
    free = rng.random(len(among))
    chosen = []
    for _ in range(number):
        worth = 1e3 * anchors[asked[:, 0]] + others[asked[:, 1:]].sum(axis=1) + free
        best = int(np.argmin(worth))
        chosen.append(among[best])
        anchors[asked[best, 0]] += 1
        others[asked[best, 1:]] += 1
        free[best] = np.inf
    return np.array(chosen)


def run(settings, replays, n_seeds, path, rules=RULE_NAMES, n_jobs=1, until=np.inf):
    """Run what is not in the file yet, several at a time; all settings of a seed first."""
    done = {(row["setting"], row["rule"], row["seed"]) for row in read(path)}
    kinds = [*settings.items(), *((name, None) for name in replays)]
    todo = [
        (name, setting, rule, seed, until)
        for seed in range(n_seeds)
        for name, setting in kinds
        for rule in rules
        if (name, rule, seed) not in done and not (setting and rule == "balanced")
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="") as file, ProcessPoolExecutor(n_jobs) as pool:
        found = pool.map(measure, todo) if n_jobs > 1 else map(measure, todo)
        for (name, _, rule, seed, _), (curve, seconds) in zip(todo, found, strict=True):
            points = ";".join(":".join(f"{figure:.5g}" for figure in point) for point in curve)
            csv.writer(file).writerow([name, rule, seed, round(seconds, 2), points])
            file.flush()
            print(f"{name:32} {rule:12} {seed:2}  {curve[-1][1]:.3f}  {seconds:.1f} s", flush=True)


def measure(job):
    """Return the curve of one run, and its processor seconds."""
    name, setting, rule, seed, until = job
    start = time.process_time()
    curve = replay(name, rule, seed, until) if setting is None else simulate(setting, rule, seed)
    return curve, time.process_time() - start


def read(path):
    """Return the rows of a file, with curves as arrays; none if there is no file."""
    if not path.exists():
        return []
    rows = []
    with path.open(newline="") as file:
        for name, rule, seed, seconds, points in csv.reader(file):
            curve = np.array([point.split(":") for point in points.split(";")], dtype=float)
            rows.append(
                {"setting": name, "rule": rule, "seed": int(seed), "seconds": float(seconds)}
                | {"curve": curve}
            )
    return rows


def mean_curve(curves):
    """Return the mean error of several runs, at the numbers of answers of the first."""
    at = max(curves, key=len)[:, 0]
    return at, np.mean([np.interp(at, *curve.T[:2]) for curve in curves], axis=0)


def needed(at, errors, level):
    """Return how many answers bring the error down to a level for good; inf if none do."""
    above = np.flatnonzero(errors > level)
    if len(above) == 0:
        return at[0]
    last = above[-1]
    if last == len(at) - 1:
        return np.inf
    share = (errors[last] - level) / (errors[last] - errors[last + 1])
    return at[last] + share * (at[last + 1] - at[last])


def saving(random, other, rng, n_bootstrap=1000):
    """Return the share of random's answers that another rule needs, and a 90 % interval."""

    def share(chosen):
        at, errors = mean_curve([random[seed] for seed in chosen])
        return needed(*mean_curve([other[seed] for seed in chosen]), errors[-1]) / at[-1]

    seeds = sorted(set(random) & set(other))
    drawn = [share(rng.choice(seeds, len(seeds))) for _ in range(n_bootstrap)]
    low, high = np.quantile(drawn, [0.05, 0.95], method="inverted_cdf")  # some are infinite
    return share(seeds), low, high, len(seeds)


def by_setting(rows):
    """Return the curves by setting, rule and seed."""
    found = {}
    for row in rows:
        rules = found.setdefault(row["setting"], {})
        rules.setdefault(row["rule"], {})[row["seed"]] = row["curve"]
    return found


def summarize(rows):
    """Print for each setting the answers that each rule needs, in per cent of random's."""
    rng = np.random.default_rng(0)
    print(f"{'setting':32} {'rule':12} seeds  error at the end  answers needed (90 % interval)")
    for name, rules in by_setting(rows).items():
        for rule, curves in rules.items():
            error = np.mean([curve[-1, 1] for curve in curves.values()])
            text = f"{name:32} {rule:12} {len(curves):5} {error:17.3f}"
            if rule != "random" and set(curves) & set(rules.get("random", ())):
                middle, low, high, _ = saving(rules["random"], curves, rng)
                text += f"  {middle:6.0%} ({low:.0%} – {high:.0%})"
            print(text)


def simulated_table(rows):
    """Return errors at the end and answers needed, in per cent, as a table for the page."""
    rng = np.random.default_rng(0)
    found = by_setting(rows)
    order = [name for name in [*SETTINGS, *QUICK] if "random" in found.get(name, ())]
    rules = [rule for rule in RULE_NAMES if any(rule in found[name] for name in order)]
    cells = []
    for name in order:
        n_seeds = max(map(len, found[name].values()))
        cells.append([name, n_seeds, *(_cell(found[name], rule, n_seeds, rng) for rule in rules)])
    return list_table(["setting", "seeds", *rules], cells)


def _cell(rules, rule, n_seeds, rng):
    if rule not in rules:
        return ""
    curves = rules[rule]
    text = f"{100 * np.mean([curve[-1, 1] for curve in curves.values()]):.1f}"
    if rule != "random":
        *shares, common = saving(rules["random"], curves, rng)
        middle, low, high = map(_per_cent, shares)
        text += f"; **{middle}**" + (f" ({low} – {high})" if common > 2 else "")
    return text if len(curves) == n_seeds else f"{text} [{len(curves)}]"


def _per_cent(share):
    return f"{100 * share:.0f}" if np.isfinite(share) else "> 100"


def replay_tables(rows):
    """Return mean errors of replays with standard errors, and the answers needed, as tables."""
    found = by_setting(rows)
    errors, saved = [], []
    for name in REPLAYS:
        rules = found.get(name, {})
        for rule, curves in rules.items():
            each = 100 * np.array([curve[:, 1] for curve in curves.values()])
            cells = [_mean_and_error(at) for at in each.T]
            cells += [""] * (len(PER_OBJECT) - len(cells))
            errors.append([name, rule, len(each), *cells])
            for base in ("random", "balanced"):
                if rule not in ("random", base) and base in rules:
                    saved.append([name, rule, base, *_compared(rules[base], curves)])
    return "\n\n".join(
        [
            list_table(["data", "questions", "seeds", *map(str, PER_OBJECT)], errors),
            list_table(["data", "questions", "against", "last, %", "mean, %", "worst"], saved),
        ]
    )


def start_table(rows):
    """Return errors of the first answers minus those of random questions, counted in two ways."""
    found = by_setting(rows)
    cells = []
    for name in REPLAYS:
        rules = found.get(name, {})
        for rule in rules:
            common = sorted(set(rules[rule]) & set(rules.get("random", ())))
            if rule == "random" or not common:
                continue
            more = [rules[rule][seed] - rules["random"][seed] for seed in common]
            for column, counted in ((1, "answer"), (2, "anchor")):
                each = 100 * np.array([curve[:, column] for curve in more])
                cells.append([name, rule, len(common), counted, *map(_mean_and_error, each.T)])
    sizes = [str(size) for size in PER_OBJECT[: len(cells[0]) - 4]]
    return list_table(["data", "questions", "seeds", "counted by", *sizes], cells)


def _mean_and_error(values):
    """Return the mean with its standard error, if there is more than one value."""
    error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.1f}" if len(values) > 1 else ""
    return f"{np.mean(values):.1f}{error}"


def _compared(base, curves):
    """Return answers needed at the last size, on the mean of sizes from the third, and the worst.

    The worst is how far the mean error lies above the other at any size but the first, in points.
    """
    common = sorted(set(base) & set(curves))
    at, levels = mean_curve([base[seed] for seed in common])
    own = mean_curve([curves[seed] for seed in common])
    shares = [needed(*own, level) / n for n, level in zip(at[2:], levels[2:], strict=True)]
    worst = 100 * np.max((own[1] - levels)[1:])
    return _per_cent(shares[-1]), _per_cent(np.mean(shares)), f"{worst:+.1f}"


def plot(rows, path):
    """Draw the mean curves of all settings."""
    import matplotlib.pyplot as plt

    found = by_setting(rows)
    found = {name: found[name] for name in [*SETTINGS, *REPLAYS, *QUICK] if name in found}
    n_rows = -(-len(found) // 4)
    figure, axes = plt.subplots(n_rows, 4, figsize=(13, 2.9 * n_rows), layout="constrained")
    colors = dict(
        zip(RULE_NAMES, ("#555555", "#999999", "#0072b2", "#d98a00", "#cc79a7"), strict=True)
    )
    for axis, (name, rules) in zip(axes.flat, found.items(), strict=False):
        for rule, curves in rules.items():
            axis.plot(*mean_curve(list(curves.values())), label=rule, color=colors[rule])
        axis.set(title=name, yscale="log")
        axis.set_yticks([0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4], minor=False)
        axis.set_yticks([], minor=True)
        axis.set_ylim(0.9 * min(c[:, 1].min() for r in rules.values() for c in r.values()), 0.5)
        axis.yaxis.set_major_formatter(lambda error, _: f"{error:.0%}")
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(found) :]:
        axis.set_axis_off()
    axes.flat[0].legend(frameon=False)
    figure.supxlabel("answers")
    figure.supylabel("error")
    figure.savefig(path, dpi=110)


def timing():
    """Yield processor seconds of ask(20) with a new fit, at 20 n answers or 40,000."""
    for n_objects in (100, 1000, 10_000):
        rng = np.random.default_rng(0)
        points = rng.standard_normal((n_objects, 2))
        n_answers = min(20 * n_objects, 40_000)
        given = od.sources.random_triplets(points, n_answers, random_state=0)
        questions = od.Questions(n_objects, given=given, random_state=0)
        seconds = []
        for _ in range(3):
            start = time.process_time()
            batch = questions.ask(20)
            seconds.append(time.process_time() - start)
            items = np.array([row.items for row in batch], dtype=np.int32)
            questions.tell(batch.id, logistic_observer(points, 1.0, rng)(items))
            questions.update()
        start = time.process_time()
        questions.ask(20, wait=False)
        queued = time.process_time() - start
        row = {"objects": f"{n_objects:,}", "with a fit": seconds[0], "from the queue": queued}
        print(row, flush=True)
        yield row


def main():
    """Run, or print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", action="append", help="name of a setting; may be given again")
    parser.add_argument("--rules", default=",".join(RULE_NAMES))
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--timing", action="store_true")
    parser.add_argument("--publish", action="store_true", help="tables into the results page")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--until", type=int, metavar="N", help="replays end at N per object")
    parser.add_argument("--output", type=Path, default=Path("results/questions.csv"))
    options = parser.parse_args()
    if options.timing:
        rows = list(timing())
        if options.publish:
            command = "python benchmarks/questions.py --timing"
            write_table("questions-time", "processor seconds of ask(20)", rows, command)
        return
    if not options.summary:
        settings, replays = (QUICK, {}) if options.quick else (SETTINGS, REPLAYS)
        if options.only:
            settings = {name: settings[name] for name in options.only if name in settings}
            replays = {name: REPLAYS[name] for name in options.only if name in REPLAYS}
        rules = options.rules.split(",")
        until = options.until or np.inf
        run(settings, replays, options.seeds, options.output, rules, options.jobs, until)
    rows = read(options.output)
    summarize(rows)
    if options.publish:
        made, found = conditions("ordinate"), by_setting(rows)
        makers = {"replays": (replay_tables, REPLAYS), "simulated": (simulated_table, SETTINGS)}
        if options.until:
            makers = {"start": (start_table, REPLAYS)}
        tables = {name: make(rows) for name, (make, own) in makers.items() if found.keys() & own}
        put_tables(PAGE, {name: f"*{made}.*\n\n{table}" for name, table in tables.items()})
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
