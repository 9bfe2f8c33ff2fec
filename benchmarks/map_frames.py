"""How many frames a second the interactive map draws, in a browser.

A map of random objects in twenty classes is dragged, turned (three dimensions) or pointed at.
Printed are frames per second as the browser shows them, and the time of the page's own thread
for a frame: of its processor and by the clock. At 60 frames a second there are 16.7 ms for one.

    python benchmarks/map_frames.py --objects 1000 10000 100000 1000000
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ordinate.plots import plot_interactive_map

MOVES = {
    "drag": "number => { view.move(number % 40 < 20 ? 3 : -3, 0); stale = true; }",
    "turn": "number => { view.turn(2, number % 40 < 20 ? 1 : -1); stale = true; }",
    "point": "number => focus(number % view.n)",
}
"""What a hand does between two frames."""

FRAMES = """async ([move, count]) => {
  const step = eval(move), times = [];
  scene.moving = !move.includes("focus");
  await new Promise((done) => {
    let number = 0;
    const next = (now) => {
      times.push(now);
      if (number === count) return done();
      step(number++);
      redraw(false);
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  scene.moving = false;
  return times.slice(1).map((time, at) => time - times[at]);
}"""

ALONE = """([move, count]) => {
  const step = eval(move);
  scene.moving = !move.includes("focus");
  const begin = performance.now();
  for (let number = 0; number < count; number++) { due = true; step(number); paint(); }
  scene.moving = false;
  return (performance.now() - begin) / count;
}"""


def make_page(path: Path, n_objects: int, n_components: int) -> None:
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(20, n_components)) * 3
    classes = rng.integers(0, 20, n_objects)
    points = centers[classes] + rng.normal(size=(n_objects, n_components))
    columns = {"class": [f"class {number}" for number in classes]}
    plot_interactive_map(points, None, columns, color="class", n_neighbors=3).save(path)


def processor_ms(session: Any) -> float:
    metrics = {
        entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]
    }
    return 1000 * float(metrics["TaskDuration"])


def measure(page: Any, move: str, count: int) -> tuple[float, float, float]:
    """Return frames per second, and milliseconds of processor and of clock for one."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(ALONE, [MOVES[move], 3])
    before = processor_ms(session)
    clock = page.evaluate(ALONE, [MOVES[move], count])
    processor = (processor_ms(session) - before) / count
    shown = page.evaluate(FRAMES, [MOVES[move], count])
    session.detach()
    return 1000 / statistics.median(shown), processor, clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--objects", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, default=800)
    given = parser.parse_args()
    from playwright.sync_api import sync_playwright

    found = os.environ.get("ORDINATE_BROWSER") or shutil.which("chromium")
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'objects':>9}  d  hand frames/s processor ms clock ms")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for n_objects in given.objects:
            for n_components in (2, 3):
                path = Path(folder) / "map.html"
                make_page(path, n_objects, n_components)
                page = browser.new_page(viewport={"width": given.width, "height": given.height})
                page.goto(path.as_uri())
                page.wait_for_selector("body[data-ready=yes]")
                for move in ("turn", "point") if n_components == 3 else ("drag", "point"):
                    rate, processor, clock = measure(page, move, given.frames)
                    row = f"{n_objects:>9,} {n_components:>2} {move:>5} {rate:>8.0f}"
                    print(f"{row} {processor:>12.1f} {clock:>8.1f}", flush=True)
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
