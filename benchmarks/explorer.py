"""Frames of the explorer in Chromium: milliseconds for a drag and for a slider.

python benchmarks/explorer.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

import suffice as sf
from suffice.web.explore import explorer_page

SIZES = ((10_000, 10, 2), (10_000, 10, 50))
FRAMES = 120

# Each frame is drawn at once and timed, then the browser may show it.
DRAG = """async frames => {
  const explorer = globalThis.sufficeExplorer, times = [];
  explorer.choose(0);
  const [x, y] = explorer.placeOf(explorer.point());
  explorer.hands.take("point", "pointer");
  for (let i = 0; i < frames; i++) {
    const start = performance.now();
    explorer.hands.moveTo({ x: x + Math.sin(i / 9), y: y + Math.cos(i / 7) });
    explorer.frame();
    times.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
  }
  explorer.hands.drop();
  return times;
}"""
SLIDE = """async frames => {
  const explorer = globalThis.sufficeExplorer, times = [];
  for (let i = 0; i < frames; i++) {
    const start = performance.now();
    explorer.set({ pooling: i / frames }, true);
    explorer.frame();
    times.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
  }
  explorer.set({ pooling: 0 });
  return times;
}"""


def table(n, k, d):
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + 2 * rng.normal(size=(k, d))[y], y


def main():
    from playwright.sync_api import sync_playwright

    folder = Path(tempfile.mkdtemp())
    with sync_playwright() as play:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for n, k, d in SIZES:
            path = explorer_page(*table(n, k, d), sf.QDA()).save(folder / f"{d}.html")
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(path.as_uri())
            page.wait_for_function("() => globalThis.sufficeExplorer?.frameTimes.length > 0")
            page.evaluate(DRAG, 30)  # compiled by then
            for name, code in (("drag", DRAG), ("slider", SLIDE)):
                times = np.array(page.evaluate(code, FRAMES))
                middle, most = np.median(times), np.quantile(times, 0.95)
                size = f"{n:,} rows, {k} classes, {d} features"
                print(f"{size}: {name} median {middle:.1f} ms, p95 {most:.1f} ms", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
