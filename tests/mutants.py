"""Break the code on purpose, one line at a time: tests that pass all the same do not look.

Run ``python tests/mutants.py`` (``make mutants``) for all breaks, or with a number n for every
n-th of them. Each break is made in a copy of the package; the tests named with it must fail.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src" / "ordinate"
# where processes can be forked, each begins with what takes longest to load, and without Ordinate
_METHODS = multiprocessing.get_all_start_methods()
_PROCESSES = multiprocessing.get_context("forkserver" if "forkserver" in _METHODS else "spawn")
_LIBRARIES = ["pytest", "numba", "sklearn.linear_model", "scipy.optimize", "pyarrow", "matplotlib"]


class Mutant(NamedTuple):
    """A line, what it becomes, and the tests that must notice, as pytest takes them in tests/."""

    file: str
    line: str
    broken: str
    tests: str
    browser: bool = False
    """Whether only a browser can tell; without ORDINATE_BROWSER such a break is not made."""


MUTANTS = [
    # ties and weights
    Mutant("comparisons/answers.py", "holds = margins > 0", "holds = margins >= 0",
           "test_estimator.py -k tie"),
    Mutant("comparisons/answers.py", "float(weights[holds].sum()), float(",
           "float(holds.sum()), float(", "test_estimator.py -k tie"),
    Mutant("metrics/_triplets.py", "~(near < far)", "~(near <= far)",
           "metrics/test_triplets.py"),
    Mutant("gram/posterior_gram.py", "transposed @ (weights * derivative)",
           "transposed @ derivative", "gram/test_posterior_gram.py -k three"),
    Mutant("_checks.py", "counting = weights is not None and weights.any()",
           "counting = weights is not None", "test_checks.py"),
    Mutant("_checks.py", "(array > LARGEST_WEIGHT) |", "(array < 0) |", "test_checks.py"),
    # losses
    Mutant("losses.py", "violation = 1.0 + near2 - far2", "violation = near2 - far2",
           "test_losses.py"),
    Mutant("losses.py", "np.maximum(gap, 0.0) + np.log1p(small), wrong, -wrong",
           "np.maximum(gap, 0.0) + np.log1p(small), wrong, wrong", "test_losses.py"),
    Mutant("gram/hinge.py", "slope * (slack - 0.5 * width * slope)",
           "slope * (slack - width * slope)", "gram/test_hinge.py -k rounded"),
    Mutant("gram/hinge.py", "min(penalty / max(largest_eigenvalue(pull), 1e-300), 1.0)", "1.0",
           "gram/test_hinge.py"),
    Mutant("graphs/loe.py", "self.history_ = self.delta**2 * ", "self.history_ = ",
           "graphs/test_loe.py -k only_sets"),
    # splits
    Mutant("ratings/coe.py", "self._ascend(self._sampler(train, ",
           "self._ascend(self._sampler(ratings, ", "ratings/test_coe.py -k early"),
    Mutant("ratings/triples.py", "if not _contains(listed, other):", "if True:",
           "ratings/test_triples.py -k unrated"),
    # seeds
    Mutant("_random.py", "return np.random.default_rng(seed)", "return np.random.default_rng()",
           "test_random.py"),
    Mutant("triplets/embedding.py", "leading = [min([*leading, *found]", "leading = [min([*found]",
           "triplets/test_embedding.py -k drawn_when"),
    # what enters compiled code, and what leaves an estimator
    Mutant("features/objective.py", "if self._n_named > len(points):", "if False:",
           "features/test_objective.py -k unchecked"),
    Mutant("features/neighbor_search.py", "if short.any():", "if False:",
           "features/test_neighbor_search.py -k short"),
    Mutant("graphs/neighbor_graph.py", "refuse(ends >= n_objects,", "refuse(ends < 0,",
           "graphs/test_neighbor_graph.py -k nowhere"),
    # pages and files
    Mutant("_pages.py", "autoescape=True", "autoescape=False", "test_pages.py"),
    Mutant("io/atomic.py", "temporary = target.with_name(_temporary_name(target))",
           "temporary = target", "io/test_atomic.py"),
    Mutant("io/atomic.py", "if process.isdecimal() and not _is_running(int(process)):",
           "if process.isdecimal():", "io/test_atomic.py"),
    Mutant("ratings/record.py", "if names is not None and len(set(known))",
           "if len(set(known))", "ratings/test_columns.py -k memory"),
    # losses and their derivatives
    Mutant("losses.py", "np.log1p(near / far), both, -both * near / far",
           "np.log1p(near / far), both, -both", "test_losses.py"),
    Mutant("losses.py", "power = 0.5 * (alpha + 1.0)", "power = 0.5 * alpha", "test_losses.py"),
    Mutant("losses.py", "pull = np.exp(gap - t * softplus)", "pull = np.exp(gap - softplus)",
           "test_losses.py"),
    Mutant("losses.py", "meant = (1.0 - lapse) * np.exp(-value)", "meant = np.exp(-value)",
           "test_losses.py"),
    Mutant("engine/cpu.py", "value[b] *= weight\n                near2[b] *= weight",
           "near2[b] *= weight", "engine/test_cpu.py"),
    Mutant("engine/cpu.py", "near2[b] *= weight\n                far2[b] *= weight",
           "far2[b] *= weight", "engine/test_cpu.py"),
    Mutant("engine/cpu.py", "gradient[k, s] += v", "gradient[k, s] -= v",
           "engine/test_cpu.py"),
    Mutant("features/objective.py", "far_slopes[k, lane] += scaled * above",
           "far_slopes[k, lane] += scaled * below", "features/test_objective.py"),
    Mutant("features/neighbor_search.py", "if doubtful.any():", "if False:",
           "features/test_neighbor_search.py -k doubt"),
    Mutant("solvers/adam.py", "pace * mean[i] / (np.sqrt(square[i] * unbias) + _TINY)",
           "pace * mean[i] / (np.sqrt(square[i]) + _TINY)", "solvers/test_adam.py"),
    Mutant("ratings/coe_step.py", "pull[b] = rate / (1.0 + exp(far_d - near_d + lead[b]))",
           "pull[b] = rate / (1.0 + exp(near_d - far_d + lead[b]))", "ratings/test_coe_step.py"),
    Mutant("ratings/coe_step.py", "keep = 1.0 - rate * penalty", "keep = 1.0",
           "ratings/test_coe_step.py"),
    Mutant("solvers/stopping.py", "before - value <= self.tol * before",
           "before - value <= self.tol", "solvers/test_stopping.py"),
    # what is counted and compared
    Mutant("comparisons/answers.py", "classes[(margins > 0)", "classes[(margins >= 0)",
           "test_estimator.py -k tie"),
    Mutant("metrics/_triplets.py", "record.weights[wrong].sum() / record.weights.sum()",
           "wrong.mean()", "metrics/test_triplets.py"),
    Mutant("metrics/_procrustes.py", "left[:, -1] *= -1", "left[:, 0] *= -1",
           "metrics/test_procrustes.py"),
    Mutant("ratings/pair_counts.py", "distance[order[n_nearer]] < distance[e]",
           "distance[order[n_nearer]] <= distance[e]", "ratings/test_pair_counts.py"),
    Mutant("ratings/triples.py", "if entries[better, 1] != entries[worse, 1]:",
           "if better != worse:",
           "ratings/test_triples.py -k ties"),
    Mutant("ratings/normalization.py", "np.where(constant, 1.0, deviation)", "deviation",
           "ratings/test_normalization.py"),
    Mutant("kernels/_features.py",
           "repeated = np.resize(weights[start : start + _CHUNK], len(objects))",
           "repeated = np.ones(len(objects))", "kernels/test_kernels.py -k decide"),
    Mutant("solvers/new_objects.py", "return value, gradient[n_known:]",
           "return value, gradient[:-n_known]", "triplets/test_new_objects.py -k vanishes"),
    Mutant("comparisons/record.py", "3: [0, 2, 1], 4: [2, 3, 0, 1]",
           "3: [0, 2, 1], 4: [0, 1, 3, 2]",
           "comparisons/test_record.py"),
    Mutant("comparisons/record.py",
           "np.bincount(inverse, weights=self._weights, minlength=len(first))",
           "np.bincount(inverse, minlength=len(first))", "comparisons/test_record.py"),
    Mutant("comparisons/grouped_rows.py", "np.ones(len(r)) if r.weights is None else r.weights",
           "np.zeros(len(r)) if r.weights is None else r.weights", "comparisons/test_record.py"),
    Mutant("io/delimited_text.py", "if n_rows + self._first_row >= n_lines:", "if True:",
           "io/test_tables.py -k quotation"),
    Mutant("io/record_files.py", "name if name in GROUPS else GROUP + name: labels",
           "name: labels", "io/test_files.py -k any_group"),
    Mutant("comparisons/labels.py", "respelt = one_spelling(occurring, names or ())",
           "respelt = {}", "comparisons/test_labels.py"),
    Mutant("selection/_direction.py", "all_products - 3 * (self._two * balance).sum()",
           "all_products", "selection/test_direction.py -k measure"),
    Mutant("io/codings.py", "if (positions != agreed[reading])[first.valid].any():", "if False:",
           "io/test_logs.py"),
    Mutant("io/logs.py", "if not (choice.says_first() or rows.rivals_agree(choice)):",
           "if False:", "io/test_logs.py"),
    Mutant("io/partition_reader.py", "flip = ~check_answers(", "flip = check_answers(",
           "io/test_partition_reader.py io/test_scan.py"),
    Mutant("sources/_rankings.py", "near = np.minimum(far, len(ranking)) - 1", "near = far - 1",
           "sources/test_rankings.py"),
    Mutant("sources/_noise.py", "near + rng.logistic(scale=self.scale, size=len(near)), far",
           "near + rng.logistic(size=len(near)), far", "sources/test_noise.py"),
    # splits and folds
    Mutant("comparisons/grouped_rows.py", "return self[~mask], self[mask]",
           "return self, self[mask]", "comparisons/test_record.py"),
    Mutant("comparisons/grouped_rows.py", "unit = self.question_groups(by, largest=share)",
           "unit = np.arange(len(self))", "comparisons/test_record.py"),
    Mutant("selection/_cross_validation.py",
           "fold_of_unit[_needed_always(record, unit, fold_of_unit)] = -1", "pass",
           "selection/test_folds.py"),
    Mutant("selection/_cross_validation.py", "unit = record.question_groups(by, largest=1 / folds)",
           "unit = np.arange(len(record))", "selection/test_folds.py"),
    Mutant("selection/_cross_validation.py", "left[fold.held_out] = left[fold.left_out] = False",
           "left[fold.held_out] = False",
           "selection/test_cross_validation.py selection/test_held_out.py"),
    Mutant("selection/_intervals.py", "n_units / max(n_units - 1, 1)", "1",
           "selection/test_intervals.py"),
    Mutant("selection/_held_out.py", "self.values <= 0", "self.values < 0",
           "selection/test_held_out.py"),
    # seeds
    Mutant("uncertainty/_bootstrap.py", "for seed in rng.spawn(n_draws)",
           "for seed in [np.random.default_rng() for _ in range(n_draws)]",
           "uncertainty/test_map_uncertainty.py"),
    Mutant("uncertainty/_bootstrap.py", "(weights * counts)[drawn]", "weights[drawn]",
           "uncertainty/test_bootstrap.py"),
    Mutant("_random.py", "random_state.randint(2**32, size=4, dtype=np.uint32)", "0",
           "test_random.py"),
    # what is kept, and what strangers write
    Mutant("_estimator.py", "return self.embedding_.copy()", "return self.embedding_",
           "test_estimator.py"),
    Mutant("_compiler.py", "self._attempt(self.flush)", "pass", "test_compiler.py"),
    Mutant("io/coordinates.py", 'return "\'" + entry', "return entry", "io/test_coordinates.py"),
    Mutant("collect/store.py", "PRAGMA synchronous=FULL", "PRAGMA synchronous=OFF",
           "collect/test_store.py"),
    Mutant("collect/store.py", 'self._connection.execute("ROLLBACK TO one")', "pass",
           "collect/test_store.py"),
    Mutant("cli/_results.py", "return os.path.samefile(one, other)", "return one == other",
           "cli/test_results.py"),
    Mutant("plots/_thumbnails.py", "if not stat.S_ISREG(os.stat(path).st_mode):", "if False:",
           "plots/test_thumbnails.py -k damaged"),
    Mutant("collect/page/experimenter.js", "  made.textContent = text;",
           "  made.innerHTML = text;", "collect/test_browser.py -k text_whatever", True),
    Mutant("collect/page/experimenter.js", 'mark.textContent = place.label;',
           "mark.innerHTML = place.label;", "collect/test_browser.py -k text_whatever", True),
    Mutant("plots/page/search.js", "if (text) made.textContent = text;",
           "if (text) made.innerHTML = text;",
           "plots/test_interactive.py -k whatever", browser=True),
    # people
    Mutant("engine/cpu.py", "far += axes[person[first + b], s] * (v * v)", "far += v * v",
           "people/test_objective.py -k brute"),
    Mutant("people/population.py", "odds = odds * counts", "pass", "people/test_mixture.py"),
    Mutant("people/mixture.py", "costs *= counts[:, None]", "pass", "people/test_mixture.py"),
    Mutant("people/mixture.py",
           "weighted = weights if counts is None else weights * counts[:, None]",
           "weighted = weights", "people/test_mixture.py"),
    # questions
    Mutant("tasks.py", "turned = chosen[:, 0] == 1", "turned = chosen[:, 0] == 0",
           "test_tasks.py io/test_logs.py"),
    Mutant("tasks.py", "follows=((1, 2, 0), (2, 1, 0)),", "follows=((1, 0, 2), (2, 0, 1)),",
           "test_tasks.py"),
    Mutant("collect/migrations.py", 'frozen["questions"]["drawn"] = drawn', "pass",
           "collect/test_migrations.py -k newcomers"),
    Mutant("questions/ledger.py", "self._out.pop(told.id, None)", "pass",
           "questions/test_questions.py -k any_order"),
    Mutant("questions/ledger.py", 'is_random.append(groups["pool"] == "random")',
           'is_random.append(groups["pool"] != "")', "questions/test_progress.py -k judge"),
    Mutant("questions/state.py",
           'questions._queue = [(tuple(items), score) for items, score in state["queue"]]',
           "questions._queue = []", "questions/test_questions.py -k killed"),
    Mutant("questions/rules.py", "noise = 1 + float(answer @ direction)", "noise = 1.0",
           "questions/test_rules.py"),
    # features and answers
    Mutant("features/placement.py", "of_part = pullback(gradient)",
           "of_part = 2 * pullback(gradient)", "features/test_feature_embedding.py -k finite"),
    Mutant("features/penalties.py", "self.fit(self.answers[~part.rows], candidate)",
           "self.fit(self.answers, candidate)", "features/test_feature_embedding.py -k judged"),
    # workers that die
    Mutant("comparisons/dask_tasks.py", "_start_lost_workers(client.cluster)", "pass",
           "engine/test_partitioned.py -k gave_up"),
]  # fmt: skip


def survives(mutant: Mutant, copy: Path) -> bool:
    """Tell whether the tests pass although the line is broken, in a copy of the package."""
    file = copy / mutant.file
    whole = file.read_text("utf-8")
    said = copy.parent / "said"
    run = _PROCESSES.Process(target=_run_tests, args=(mutant.tests, copy.parent, said))
    _write(file, whole.replace(mutant.line, mutant.broken))
    try:
        run.start()
        run.join()
    finally:
        _write(file, whole)
    assert run.exitcode is not None
    if run.exitcode > 1:  # 1 is a test that failed, a negative number a crash
        raise RuntimeError(f"{mutant.tests} did not run:\n{said.read_text('utf-8')}")
    return run.exitcode == 0


def _run_tests(tests: str, package: Path, said: Path) -> None:
    """Run tests of the package in a folder, in a process of their own, and exit as pytest does."""
    import pytest

    descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    sys.path.insert(0, str(package))
    os.environ["PYTHONPATH"] = str(package)
    os.chdir(ROOT / "tests")
    given = ["-q", "-x", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    sys.exit(int(pytest.main([*given, *tests.split()])))


def _write(file: Path, text: str) -> None:
    """Write a file, and forget compiled functions that may have called what was in it."""
    file.write_text(text, "utf-8")
    for compiled in file.parent.glob("__pycache__/*.nb[ic]"):
        compiled.unlink()


def main() -> None:
    """Make the breaks and name those that no test noticed."""
    chosen = MUTANTS[:: int(sys.argv[1])] if len(sys.argv) > 1 else MUTANTS
    if not os.environ.get("ORDINATE_BROWSER"):
        chosen = [mutant for mutant in chosen if not mutant.browser]
    survivors = 0
    if "forkserver" in _METHODS:
        _PROCESSES.set_forkserver_preload(_LIBRARIES)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(FOLDER, Path(folder) / "ordinate"))
        for mutant in chosen:
            alive = survives(mutant, copy)
            survivors += alive
            verdict = "NOT NOTICED" if alive else "noticed"
            print(f"{verdict:12}{mutant.file}: {mutant.line!r} -> {mutant.broken!r}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} breaks were noticed.")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
