"""SPoSE's and VICE's steps in plain torch, written from the formulas of their papers.

    python benchmarks/dimensions.py --trials-of-steps trials.npz
    python benchmarks/published_steps.py trials.npz >> rows.jsonl

Needs torch and NumPy alone; trials.npz holds the trials to fit and those held out. Several
settings and splits are fitted at once, each on its own, so that a GPU has work: their vectors stand
side by side in one array. These are not runs of the authors' programs.

Settings are the published ones: Adam with steps of 0.001, batches of 128, 100 dimensions to begin
with; the strength of the prior by a tenth of the trials fitted. More generous than published: the
number of epochs is chosen with it, and the chosen setting is then fitted to all of the trials.
"""

import datetime
import json
import sys
import time
from types import MappingProxyType

import numpy as np
import torch

RATE, BATCH, N_DIMENSIONS, N_SAMPLES = 0.001, 128, 100, 10
CHECKPOINTS = 10
"""Numbers of epochs that are compared, each twice the one before."""
N_OBJECTS = 1854


def log_probabilities(vectors, rows):
    """Return the log of the probability of each pair, the one that was kept together first.

    `vectors` has the shape (runs, objects, dimensions), `rows` (runs, trials, 3).
    """
    n_runs, n_objects, n_dimensions = vectors.shape
    first = n_objects * torch.arange(n_runs, device=rows.device)[:, None, None]
    found = vectors.reshape(-1, n_dimensions).index_select(0, (rows + first).reshape(-1))
    i, j, k = found.reshape(*rows.shape, n_dimensions).unbind(2)
    return torch.stack([(i * j).sum(-1), (i * k).sum(-1), (j * k).sum(-1)], -1).log_softmax(-1)


class SPoSE:
    """Cross entropy, L1, and a penalty of negative loadings."""

    settings = (0.0, 0.03, 0.08, 0.15, 0.3, 1.0)
    """Weights of the sum of the loadings beside the sum over trials."""
    epochs = MappingProxyType({0.05: 500, 0.2: 200, 1.0: 100})
    """By the share of the trials that is fitted; held-out trials chose far fewer."""

    def __init__(self, settings, n_trials, device):
        n_runs = len(settings)
        start = 0.1 + 0.01 * torch.randn(n_runs, N_OBJECTS, N_DIMENSIONS, device=device)
        self.parameters = [start.requires_grad_()]
        weights = torch.tensor(settings, device=device, dtype=torch.float32)
        self._weights = weights / torch.tensor(n_trials, device=device)

    def cost(self, rows):
        """Return the sum over runs of what each minimises."""
        (vectors,) = self.parameters
        fit = -log_probabilities(vectors, rows)[..., 0].mean(1).sum()
        positive = 0.01 * torch.relu(-vectors).sum()
        return fit + positive + (self._weights * vectors.abs().sum((1, 2))).sum()

    def probabilities(self, rows):
        """Return how probable each pair is."""
        return log_probabilities(torch.relu(self.parameters[0]), rows).exp()


class VICE:
    """A normal posterior per loading, under a prior of spike and slab."""

    settings = ((0.125, 0.5), (0.25, 0.5), (0.5, 1.0), (0.5, 2.0), (1.0, 2.0))
    """Standard deviations of spike and slab."""
    epochs = MappingProxyType({0.05: 500, 0.2: 250, 1.0: 250})
    share = 0.5

    def __init__(self, settings, n_trials, device):
        shape = len(settings), N_OBJECTS, N_DIMENSIONS
        mean = 0.1 * torch.randn(shape, device=device).abs()
        log_scale = torch.full(shape, float(np.log(0.05)), device=device)
        self.parameters = [mean.requires_grad_(), log_scale.requires_grad_()]
        scales = torch.tensor(settings, device=device, dtype=torch.float32)
        self._prior_scales = scales.T[:, :, None, None]
        self._n_trials = torch.tensor(n_trials, device=device)

    def _draw(self):
        mean, log_scale = self.parameters
        return mean + log_scale.exp() * torch.randn_like(mean)

    def cost(self, rows):
        """Return the sum over runs of what each minimises."""
        mean, log_scale = self.parameters
        noise = torch.randn_like(mean)
        z = mean + log_scale.exp() * noise
        fit = -log_probabilities(torch.relu(z), rows)[..., 0].mean(1).sum()
        spike, slab = self._prior_scales
        of_prior = torch.logaddexp(
            np.log(self.share) - 0.5 * (z / spike) ** 2 - spike.log(),
            np.log(1 - self.share) - 0.5 * (z / slab) ** 2 - slab.log(),
        )
        complexity = (-0.5 * noise**2 - log_scale - of_prior).sum((1, 2)) / self._n_trials
        return fit + complexity.sum()

    def probabilities(self, rows):
        """Return how probable each pair is, averaged over draws from the posterior."""
        return sum(
            log_probabilities(torch.relu(self._draw()), rows).exp() for _ in range(N_SAMPLES)
        ) / N_SAMPLES  # fmt: skip


def fit(method, fitted, judged, epochs, device):
    """Fit all settings to each split; return loss and accuracy, (checkpoints, splits, settings)."""
    torch.manual_seed(0)
    settings = [setting for _ in fitted for setting in method.settings]
    n_each = len(method.settings)
    n_trials = [float(len(rows)) for rows in fitted for _ in method.settings]
    model = method(settings, n_trials, device)
    adam = torch.optim.Adam(model.parameters, lr=RATE, capturable=device == "cuda")
    data = [torch.as_tensor(rows.astype(np.int64), device=device) for rows in fitted]
    n_steps = min(len(rows) for rows in data) // BATCH
    batch = torch.stack([rows[:BATCH] for rows in data]).repeat_interleave(n_each, 0)

    def step():
        adam.zero_grad(set_to_none=False)
        model.cost(batch).backward()
        adam.step()

    take = captured(step) if device == "cuda" else step
    found = []
    at = checkpoints(epochs)
    for epoch in range(1, epochs + 1):
        order = [torch.randperm(len(rows), device=device)[: n_steps * BATCH] for rows in data]
        shuffled = torch.stack([rows[one] for rows, one in zip(data, order, strict=True)])
        for rows in shuffled.split(BATCH, 1):
            batch.view(len(data), n_each, BATCH, 3).copy_(rows[:, None])
            take()
        if epoch in at:
            found.append(judge(model, judged, n_each, device))
    return np.array(found)


def checkpoints(epochs):
    """Return the numbers of epochs that are compared."""
    return sorted({max(epochs >> number, 1) for number in range(CHECKPOINTS)})


def captured(step):
    """Record a step once, so that replaying it costs one launch."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


@torch.no_grad()
def judge(model, judged, n_each, device):
    """Return loss and accuracy of each run on its split's held-out trials."""
    sizes = torch.tensor([len(rows) for rows in judged], device=device).repeat_interleave(n_each)
    longest = int(sizes.max())
    padded = np.stack([np.resize(rows, (longest, 3)) for rows in judged]).astype(np.int64)
    loss, right = 0.0, 0.0
    for start in range(0, longest, 1024):
        rows = torch.as_tensor(padded[:, start : start + 1024], device=device)
        chance = model.probabilities(rows.repeat_interleave(n_each, 0))
        counts = torch.arange(start, start + rows.shape[1], device=device) < sizes[:, None]
        loss = loss - (counts * chance[..., 0].clamp_min(1e-30).log()).sum(1)
        best = chance == chance.max(-1, keepdim=True).values
        right = right + (counts * best[..., 0] / best.sum(-1)).sum(1)
    both = torch.stack([loss, right]) / sizes
    return both.reshape(2, len(judged), n_each).cpu().numpy()


def compare(parts, device):
    """Yield a row per method, share and split, chosen by held-out loss within the trials fitted."""
    n_splits = 1 + max(int(name.split("/")[0]) for name in parts)
    for share in SPoSE.epochs:
        whole = [parts[f"{split}/{share}/fitted"] for split in range(n_splits)]
        tests = [parts[f"{split}/test"] for split in range(n_splits)]
        inner = [rows[len(rows) // 10 :] for rows in whole]  # their order is random
        held_out = [rows[: len(rows) // 10] for rows in whole]
        for method in (SPoSE, VICE):
            start, epochs = time.perf_counter(), method.epochs[share]
            chosen = fit(method, inner, held_out, epochs, device)
            final = fit(method, whole, tests, epochs, device)
            seconds = time.perf_counter() - start
            for split in range(n_splits):
                loss = chosen[:, 0, split]
                last = int(loss[-1].argmin())
                when, best = np.unravel_index(loss.argmin(), loss.shape)
                yield {
                    "method": method.__name__,
                    "share": share,
                    "split": split,
                    "trials": len(whole[split]),
                    "test": len(tests[split]),
                    "setting": method.settings[best],
                    "epochs": checkpoints(epochs)[when],
                    "accuracy": round(float(final[when, 1, split, best]), 4),
                    "all epochs": epochs,
                    "setting of all epochs": method.settings[last],
                    "accuracy of all epochs": round(float(final[-1, 1, split, last]), 4),
                    "seconds of all splits": round(seconds, 1),
                }


def main():
    """Print a row of JSON per method, share and split."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    machine = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    for row in compare(dict(np.load(sys.argv[1])), device):
        key = f"{row['method']}/{row['split']}/{row['share']}"
        when = f"{datetime.date.today():%d %B %Y}"
        found = {"part": "steps", "key": key, "when": when, "machine": machine, "row": row}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
