"""Sparse dimensions: other people's trials, planted dimensions, speed.

    python benchmarks/dimensions.py people ceiling planted speed gpu > rows.jsonl
    python benchmarks/dimensions.py --trials-of-steps trials.npz
    python benchmarks/published_steps.py trials.npz >> rows.jsonl
    python benchmarks/dimensions.py --publish rows.jsonl

A part prints a row of JSON as soon as it is measured; `people:0/0.05` is one row of a part, so that
rows can be measured side by side. `--publish` puts the rows into docs/results/dimensions.json, in
place of older ones, and writes the page from it.

Needs the folder `things` of the data folder (ORDINATE_DATA): trials of people about 1,854 objects,
and the 49 published dimensions. Penalties are chosen within the trials fitted.
"""

import argparse
import datetime
import json
import os
import time
from pathlib import Path

import numpy as np

import ordinate as od
from ordinate.dimensions.answers import answers_of
from ordinate.dimensions.objective import TrialObjective
from ordinate.dimensions.sparse_fit import (
    Penalty,
    _judged,
    carrying,
    fit_loadings,
    partners,
    random_loadings,
)
from ordinate.engine.choices import choices_right
from ordinate.solvers.intervals import held_out_mean

THINGS = Path(os.environ.get("ORDINATE_DATA", "data")) / "things"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "dimensions.rst"
MEASURED = PAGE.with_suffix(".json")
SPLITS, SHARES = (0, 1, 2), (0.05, 0.2, 1.0)
SEED = 0


def real_trials():
    """Return people's trials."""
    names = (THINGS / "object_names.txt").read_text().split()
    return od.read_trials(THINGS / "odd_one_out_half.txt", names=names)


def published():
    """Return the published dimensions, for planting."""
    return np.maximum(np.load(THINGS / "spose49.npy").astype(float), 0)


def people_held_out(split, share=1.0):
    """Return trials to fit, a share of those of four fifths of the people, and the others'."""
    train, test = real_trials().train_test_split(0.2, by="participant", random_state=split)
    order = np.random.default_rng([split, 40]).permutation(len(train))
    return train[order[: round(share * len(train))]], test


def judged(loadings, trials):
    """Return the loss of a trial, similarities scaled as the trials ask, and the accuracy."""
    found = _judged([loadings], [answers_of(trials._record, are_trials=True)])
    return round(found.mean, 5), round(found.accuracy, 4)


def score(loadings, trials):
    """Return the accuracy, ties counted by their share."""
    return judged(loadings, trials)[1]


# ---- other people ----


def write_trials(path):
    """Write the trials of all splits and shares, for published_steps.py."""
    found = {}
    for split in SPLITS:
        for share in SHARES:
            trials, test = people_held_out(split, share)
            found[f"{split}/{share}/fitted"] = trials.rows.astype(np.int16)
            found[f"{split}/test"] = test.rows.astype(np.int16)
    np.savez(path, **found)


def people(split, share):
    """Hold a fifth of the people out and fit a share of the others' trials."""
    split, share = int(split), float(share)
    fitted, test = people_held_out(split, share)
    start = time.process_time()
    model = od.SparseDimensions(50, n_init=1, n_jobs=1, random_state=SEED).fit(fitted)
    seconds = time.process_time() - start
    right = choices_right(test, model.embedding_, "dot")
    person = np.unique(test.groups["participant"], return_inverse=True)[1]
    mean = held_out_mean(right, person, None)
    low, high = mean.share_interval()
    features = {"clip": np.load(THINGS / "clip_vit_b32.npy").astype(float)}
    of_features = od.score_features(test, features, random_state=0).rows[0].accuracy
    return {
        "split": split,
        "share": share,
        "fitted": len(fitted),
        "people": int(person.max()) + 1,
        "trials": len(test),
        "accuracy": round(mean.mean, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "dimensions": model.n_dimensions_,
        "penalty": model.penalty_,
        "tried": len(model.search_.penalties),
        "published": score(published(), test),
        "features": round(of_features, 4),
        "CPU seconds": round(seconds, 1),
    }


def ceiling():
    """Bound what any model can predict, by questions that were asked more than once."""
    return vars(real_trials().ceiling(random_state=SEED))


# ---- planted dimensions ----


def planted_objective(rows):
    """Return the cost of trials, on a GPU if there is one."""
    try:
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
    except ImportError:
        device = "cpu"
    n_objects = len(published())
    record = od.Comparisons(rows, n_objects=n_objects)
    return answers_of(record, are_trials=True).objective(device, os.cpu_count()), device


PLANTED = {
    10**6: ((4.0, 6.0, 8.0), ((3.0, 5.0), (4.5, 5.0), (4.5, 10.0), (6.0, 5.0))),
    4 * 10**6: ((9.0, 12.0), ((6.0, 10.0), (6.0, 20.0), (4.5, 20.0))),
}
"""By the number of trials: weights of L1 alone, and of L1 with the half normal."""


def planted(n_trials):
    """Plant the published dimensions and find them again; settings by a tenth of the trials."""
    n_trials = int(n_trials)
    truth = published()
    test = od.sources.random_trials(truth, 10**6, random_state=2)
    whole = od.sources.random_trials(truth, n_trials, random_state=1)
    held_out, inner = whole[: n_trials // 10], whole[n_trials // 10 :]
    objective, device = planted_objective(inner.rows)

    def row(method, setting, loadings, start):
        loadings = loadings[:, carrying(loadings)]
        together = partners(truth, loadings)
        loss, accuracy = judged(loadings, held_out)
        return f"{n_trials}/{method}/{setting}", {
            "trials": n_trials,
            "method": method,
            "setting": setting,
            "held-out loss": loss,
            "held-out accuracy": accuracy,
            "accuracy": score(loadings, test),
            "of truth": score(truth, test),
            "dimensions": loadings.shape[1],
            "above .8": int((together >= 0.8).sum()),
            "above .9": int((together >= 0.9).sum()),
            "planted": truth.shape[1],
            "nonzero": round(float((loadings > 1e-3).mean()), 3),
            "device": device,
            "seconds": round(time.perf_counter() - start, 1),
        }

    begin = random_loadings(len(truth), 80, np.random.default_rng(SEED))

    def fit(penalty):
        return fit_loadings(objective, penalty, begin, max_iter=300, tol=1e-4).points

    of_l1, of_both = PLANTED[n_trials]
    found = {}
    for setting in of_both:
        start = time.perf_counter()
        loadings = fit(Penalty(*setting))
        found[setting] = judged(loadings, held_out)[0]
        yield row("L1 and half normal", setting, loadings, start)
    best = min(found, key=found.get)
    start = time.perf_counter()
    model = od.SparseDimensions(
        80, penalty=best, n_init=3, max_iter=300, random_state=SEED, device=device
    )
    yield row("SparseDimensions, 3 seeds, all trials", best, model.fit(whole).embedding_, start)
    for weight in of_l1:
        start = time.perf_counter()
        yield row("L1", weight, fit(Penalty(weight, 0)), start)


# ---- speed ----


def speed(n_trials=10**6):
    """Time the cost and its gradient at 100 dimensions, one thread."""
    trials = od.sources.random_trials(published(), n_trials, random_state=1)
    x = random_loadings(trials.n_objects, 100, np.random.default_rng(SEED))
    objective = TrialObjective(trials.rows, None)
    objective(x)
    times = []
    for _ in range(5):
        start = time.process_time()
        objective(x)
        times.append(time.process_time() - start)
    start = time.process_time()
    found = fit_loadings(objective, Penalty(3.0, 10.0), x, max_iter=200, tol=1e-4)
    return {
        "trials": n_trials,
        "dimensions": 100,
        "trials per CPU-second": round(n_trials / float(np.median(times))),
        "of steps": steps_a_second(trials[:20_000]),
        "fit seconds": round(time.process_time() - start, 1),
        "iterations": found.n_iter,
    }


def steps_a_second(trials):
    """Return the trials that published steps take in a CPU second, one setting at a time."""
    import published_steps
    import torch

    torch.set_num_threads(1)
    found = {}
    for method in (published_steps.SPoSE, published_steps.VICE):
        rows = [trials.rows]
        method.settings = method.settings[:1]
        published_steps.fit(method, [rows[0][:512]], [rows[0][:128]], 1, "cpu")
        start = time.process_time()
        published_steps.fit(method, rows, [rows[0][:128]], 1, "cpu")
        found[method.__name__] = round(len(trials) / (time.process_time() - start))
    return found


def gpu(n_trials):
    """Time a fit of SparseDimensions from 100 dimensions on a GPU."""
    import torch

    trials = od.sources.random_trials(published(), int(n_trials), random_state=1)
    model = od.SparseDimensions(
        100, penalty=(6.0, 20.0), n_init=1, random_state=SEED, device="cuda"
    )
    torch.zeros(1, device="cuda")  # starts the card
    start = time.perf_counter()
    model.fit(trials)
    return {
        "card": torch.cuda.get_device_name(),
        "trials": len(trials),
        "fit": round(time.perf_counter() - start, 1),
        "iterations": model.n_iter_,
        "dimensions": model.n_dimensions_,
    }


# ---- the page ----


def table(title, header, rows):
    """Return a table in reStructuredText."""
    lines = [f".. list-table:: {title}", "   :header-rows: 1", ""]
    for row in [header, *rows]:
        lines += [f"   {'*' if at == 0 else ' '} - {cell}" for at, cell in enumerate(row)]
    return "\n".join([*lines, ""])


def mean_and_spread(values):
    """Return the mean over splits with its standard deviation."""
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}"


def people_section(rows, steps, ceilings):
    """Return what is predicted of other people's trials, beside published steps."""
    rows = sorted(rows, key=lambda row: row["split"])
    by_share = {share: [row for row in rows if row["share"] == share] for share in SHARES}
    whole_rows = by_share[1.0]
    (ceiling,) = ceilings
    low, high = ceiling["lower_interval"][0], ceiling["upper_interval"][1]

    def of_steps(method, share, key):
        accuracies = [r[key] for r in steps if r["method"] == method and r["share"] == share]
        return mean_and_spread(accuracies)

    return [
        "Other people's trials",
        "---------------------",
        "",
        f"A fifth of the people is held out, in {len(SPLITS)} random splits. All methods fit the"
        " same trials of the others: all of them, or a random share. Penalties are chosen inside"
        " the trials fitted.",
        "",
        "SPoSE (L1) and VICE (variational, spike and slab) are written in plain torch from the"
        " formulas of their papers, with their published step, batch and number of dimensions."
        " These are not runs of their programs. A tenth of the trials chooses among six (SPoSE) and"
        " five (VICE) strengths of the prior; the second column"
        " of each also chooses the number of epochs, which their papers do not.",
        "",
        table(
            "Accuracy on trials of people held out: mean ± standard deviation over splits",
            [
                *("trials fitted", "SPoSE's steps", "epochs chosen", "VICE's steps"),
                *("epochs chosen", "SparseDimensions", "its dimensions"),
            ],
            [
                [
                    f"{np.mean([row['fitted'] for row in found]):,.0f} ({100 * share:g} %)",
                    *(
                        of_steps(method, share, key)
                        for method in ("SPoSE", "VICE")
                        for key in ("accuracy of all epochs", "accuracy")
                    ),
                    mean_and_spread([row["accuracy"] for row in found]),
                    ", ".join(str(row["dimensions"]) for row in found),
                ]
                for share, found in by_share.items()
            ],
        ),
        table(
            "SparseDimensions with all trials of the people fitted, 90 % intervals over people",
            [
                *("people", "trials", "accuracy", "interval", "published 49", "CLIP features"),
                "CPU seconds",
            ],
            [
                [
                    row["people"],
                    f"{row['trials']:,}",
                    f"**{row['accuracy']:.3f}**",
                    f"{row['low']:.3f} – {row['high']:.3f}",
                    f"{row['published']:.3f}",
                    f"{row['features']:.3f}",
                    row["CPU seconds"],
                ]
                for row in whole_rows
            ],
        ),
        "The published 49 dimensions come from millions of trials, some of them perhaps of these"
        " people. CLIP features predict by cosines.",
        "",
        f"{ceiling['n_questions']:,} questions were asked more than once, {ceiling['n_trials']:,}"
        " times in all. They bound the best model: the majority of the other answers predicts"
        f" {ceiling['lower']:.3f}, that of all answers {ceiling['upper']:.3f}. The 95 % intervals"
        f" reach from {low:.3f} to {high:.3f}.",
        "",
    ]


def in_words(setting):
    """Return one number or several."""
    numbers = setting if isinstance(setting, (list, tuple)) else [setting]
    return ", ".join(f"{number:.3g}" for number in numbers)


def planted_section(rows):
    """Return how many planted dimensions are found, by the setting chosen of each method."""
    parts = [
        "Planted dimensions",
        "------------------",
        "",
        "The 49 published dimensions answer random trials; one start of 80 dimensions looks for"
        " them. Settings are fitted to nine tenths of the trials, and the lowest loss of the other"
        " tenth chooses one per method. A million other trials judge. *Above .8* counts planted"
        " dimensions that correlate so with one found.",
        "",
        "SparseDimensions takes the setting chosen for L1 and half normal, three seeds and all"
        " trials.",
        "",
    ]
    for n_trials in sorted({row["trials"] for row in rows}):
        by_method = {}
        for row in rows:
            if row["trials"] == n_trials:
                by_method.setdefault(row["method"], []).append(row)
        chosen = [
            (min(found, key=lambda row: row["held-out loss"]), len(found))
            for found in by_method.values()
        ]
        truth = chosen[0][0]["of truth"]
        parts += [
            table(
                f"{n_trials:,} trials; the truth predicts {truth:.4f}",
                [
                    *("method", "settings tried", "chosen", "accuracy", "below the truth"),
                    *("dimensions", "above .8", "seconds"),
                ],
                [
                    [
                        row["method"],
                        n_tried,
                        in_words(row["setting"]),
                        f"{row['accuracy']:.4f}",
                        f"{truth - row['accuracy']:.4f}",
                        *(row[key] for key in ("dimensions", "above .8")),
                        row["seconds"],
                    ]
                    for row, n_tried in chosen
                ],
            )
        ]
    return [
        *parts,
    ]


def speed_section(rows):
    """Return how quick the loop is."""
    (speed,) = rows
    per_second = speed["trials per CPU-second"]
    return [
        "Speed",
        "-----",
        "",
        table(
            f"Trials per CPU second at {speed['dimensions']} dimensions, one thread",
            ["what", "trials per CPU second"],
            [
                [f"SparseDimensions, {speed['trials']:,} trials", f"{per_second:,}"],
                *([f"{name}'s steps", f"{n:,}"] for name, n in speed["of steps"].items()),
            ],
        ),
        f"One fit of {speed['trials']:,} trials takes {speed['iterations']} iterations and"
        f" {speed['fit seconds']} CPU seconds. Four times the trials take"
        f" {4 * speed['fit seconds'] / 120:.1f} minutes on two cores, extrapolated.",
        "",
    ]


def gpu_section(rows):
    """Return how quick a GPU is."""
    return [
        table(
            f"A fit of SparseDimensions on a GPU ({rows[0]['card']}), from 100 dimensions",
            ["trials", "seconds by the clock", "iterations", "dimensions"],
            [[f"{r['trials']:,}", r["fit"], r["iterations"], r["dimensions"]] for r in rows],
        ),
    ]


SECTIONS = {
    people_section: ("people", "steps", "ceiling"),
    planted_section: ("planted",),
    speed_section: ("speed",),
    gpu_section: ("gpu",),
}
"""Sections of the page, and the parts that each shows."""


def uses_gpu(row):
    """Whether a row says that a GPU computed it."""
    return "card" in row or row.get("device") == "cuda"


def origins(found):
    """Return a table of where and when each part was measured."""
    rows = []
    for part, of_part in found.items():
        places = {
            (row["machine"] + " and a GPU" * uses_gpu(row["row"]), row["when"])
            for row in of_part.values()
        }
        rows += [[part, machine, when] for machine, when in sorted(places)]
    return table("What was measured where", ["part", "machine", "date"], rows)


def in_short(found):
    """Yield what a reader may quote."""
    rows = {part: [row["row"] for row in found[part].values()] for part in found}

    def mean(part, key="accuracy", **wanted):
        among = [r for r in rows[part] if all(r[name] == value for name, value in wanted.items())]
        return f"{np.mean([r[key] for r in among]):.3f}".removeprefix("0")

    few, some, every = SHARES
    yield (
        f"With all trials SparseDimensions predicts {mean('people', share=every)} of other people's"
        f" trials; SPoSE's steps {mean('steps', method='SPoSE', share=every)} and VICE's"
        f" {mean('steps', method='VICE', share=every)}, both with the number of epochs chosen. With"
        f" {100 * some:g} % it leads as well; with {100 * few:g} % nobody is far from chance."
    )
    for planted in [row for row in rows["planted"] if row["method"].startswith("SparseD")]:
        gap = planted["of truth"] - planted["accuracy"]
        yield (
            f"Of {planted['planted']} planted dimensions, {planted['trials']:,} trials recover"
            f" {planted['above .8']} with a correlation above .8; the predictions are {gap:.3f}"
            " below those of the truth."
        )
    large = max(rows["gpu"], key=lambda row: row["trials"])
    yield f"{large['trials']:,} trials take {large['fit']:.0f} s on a GPU ({large['card']})."


def page(found):
    """Write the page of results from what was measured."""
    lines = [
        "Sparse dimensions",
        "=================",
        "",
        ".. admonition:: In short",
        "",
        *(f"   - {sentence}" for sentence in in_short(found)),
        "",
        "Trials: 65,708 odd-one-out trials of 132 people about the 1,854 objects of THINGS."
        " Accuracy is the share of trials predicted, ties counted by their share; chance is .333."
        " People are held out. Other work ran on the machines.",
        "",
    ]
    for section, parts in SECTIONS.items():
        lines += section(*([row["row"] for row in found[part].values()] for part in parts))
    return "\n".join(
        [
            *lines,
            "How it was measured",
            "-------------------",
            "",
            ".. code-block:: console",
            "",
            f"   $ python benchmarks/dimensions.py {' '.join(PARTS)} > rows.jsonl",
            "   $ python benchmarks/dimensions.py --trials-of-steps trials.npz",
            "   $ python benchmarks/published_steps.py trials.npz >> rows.jsonl",
            "   $ python benchmarks/dimensions.py --publish rows.jsonl",
            "",
            origins(found),
        ]
    )


PARTS = {
    "people": (people, [f"{split}/{share}" for split in SPLITS for share in SHARES]),
    "ceiling": (ceiling, [""]),
    "planted": (planted, list(map(str, PLANTED))),
    "speed": (speed, [""]),
    "gpu": (gpu, ["1000000", "4000000"]),
}
"""What is measured, and the rows of each part."""


def machine():
    """Return what the figures were measured on."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{models[0]}, {os.cpu_count()} cores"


def measured(asked):
    """Yield the rows of a part, or one of them: people, people:0/0.05."""
    part, _, key = asked.partition(":")
    function, keys = PARTS[part]
    for one in [key] if key else keys:
        found = function(*one.split("/")) if one else function()
        rows = [(one, found)] if isinstance(found, dict) else found
        for name, row in rows:
            when = f"{datetime.date.today():%d %B %Y}"
            yield {"part": part, "key": name, "when": when, "machine": machine(), "row": row}


def publish(paths):
    """Put rows into the file beside the page, in place of older ones, and write the page."""
    found = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    for path in paths:
        for line in path.read_text().splitlines():
            if line.startswith("{"):
                row = json.loads(line)
                found.setdefault(row.pop("part"), {})[row.pop("key")] = row
    MEASURED.write_text(json.dumps(found, indent=1) + "\n")
    PAGE.write_text(page(found), encoding="utf-8")


def main():
    """Measure what is asked for, or publish what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="such as people, or people:0/0.05")
    parser.add_argument("--publish", nargs="+", type=Path, metavar="ROWS")
    parser.add_argument("--trials-of-steps", type=Path, help="write trials for published_steps.py")
    given = parser.parse_args()
    for asked in given.parts:
        for row in measured(asked):
            print(json.dumps(row), flush=True)
    if given.trials_of_steps:
        write_trials(given.trials_of_steps)
    if given.publish:
        publish(given.publish)


if __name__ == "__main__":
    main()
