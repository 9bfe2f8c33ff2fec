"""Photograph the pages of a study for the tutorial `collect`; run by hand where there is a browser.

python docs/tutorials/draw_collect_pages.py /usr/bin/chromium
"""

import asyncio
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from ordinate.collect.experimenter import experimenter_token
from ordinate.collect.prepare import load_sound_study, new_study
from ordinate.collect.server import Address, make_app, make_server
from ordinate.collect.simulate import simulate
from ordinate.collect.store import REAL, SIMULATED, Store, database_path

STATIC = Path(__file__).parent.parent / "_static"
DESK, SCREEN, PHONE, FORM = (1000, 1180), (900, 480), (320, 620), (760, 800)
QUESTIONNAIRE = """
[[before]]
name = "age"
kind = "number"
ask = "How old are you?"
minimum = 1
[[before]]
name = "vision"
kind = "choice"
ask = "Is your vision normal?"
options = ["yes", "no"]
[[before]]
name = "aids"
kind = "choices"
ask = "Which of these do you use?"
options = ["glasses", "contact lenses"]
show_if = { vision = "no" }
[[before]]
name = "tired"
kind = "scale"
ask = "How tired are you?"
low = "not at all"
high = "very"
required = false
"""


class Served:
    def __init__(self, folder, *, answered=False):
        study = load_sound_study(folder)
        if answered:
            simulate(study, participants=20, noise=0.1)
            shutil.copy(database_path(folder, SIMULATED), database_path(folder, REAL))
        self.store = Store(study, REAL)
        self.token = experimenter_token(self.store, renew=True)
        address = Address(port=0)
        self.server = make_server({"": make_app(self.store, address)}, address)
        self.thread = threading.Thread(target=asyncio.run, args=(self.server.serve(),))

    def __enter__(self):
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}/"
        return self

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join()
        self.store.close()


def photograph(page, name):
    path = STATIC / f"collect-{name}.png"
    page.evaluate("document.getElementById('answer-for-me')?.remove()")  # of previews only
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)
    print(path, path.stat().st_size)


def open_page(browser, url, size, scheme, **options):
    view = {"width": size[0], "height": size[1]}
    context = browser.new_context(viewport=view, color_scheme=scheme, **options)
    page = context.new_page()
    page.goto(url)
    return page


def main():
    with tempfile.TemporaryDirectory() as place:
        new_study(Path(place) / "triplets")
        settings = Path(place) / "triplets" / "study.toml"
        text = settings.read_text().replace("random = 40 ", "random = 10 ")
        settings.write_text(text.replace("adaptive = 0 ", "adaptive = 30 "))
        answered = Served(Path(place) / "triplets", answered=True)
        new_study(Path(place) / "grid", "choose_k")
        photograph_all(answered, Served(Path(place) / "grid"))
        new_study(Path(place) / "asked")
        settings = Path(place) / "asked" / "study.toml"
        settings.write_text(settings.read_text() + QUESTIONNAIRE)
        photograph_questionnaire(Served(Path(place) / "asked"))


def enter(page):
    for phase, button in (("consent", "#agree"), ("instructions", "#start")):
        page.wait_for_selector(f"body[data-phase={phase}]")
        page.click(button)


def leave_examples(page):
    while not page.is_visible("#message-buttons button"):
        for button in ("#options .option:enabled >> nth=0", "#confirm:enabled"):
            if page.is_visible(button):
                page.click(button)
        page.wait_for_timeout(300)
    page.click("#message-buttons button")
    page.wait_for_selector("#options .option:enabled")


def photograph_questionnaire(asked):
    with sync_playwright() as driver, asked as served:
        browser = driver.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
        page = open_page(browser, served.url, FORM, "light")
        page.wait_for_selector("body[data-phase=consent]")
        page.click("#agree")
        page.fill("#ask-age", "33")
        page.check("#ask-vision-1")
        page.check("#ask-aids-0")
        page.check("#ask-tired-2")
        page.mouse.move(0, 0)
        photograph(page, "questionnaire")
        browser.close()


def photograph_all(answered, grid):
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
        with answered as served:
            for scheme in ("light", "dark"):
                page = open_page(browser, served.url, SCREEN, scheme)
                enter(page)
                leave_examples(page)
                page.mouse.move(0, 0)
                page.wait_for_timeout(300)
                photograph(page, f"question-{scheme}")
            for scheme in ("light", "dark"):
                desk = open_page(browser, f"{served.url}experimenter#{served.token}", DESK, scheme)
                desk.wait_for_selector("svg.map", timeout=120_000)
                desk.wait_for_selector("#figures >> text=ready", timeout=120_000)
                photograph(desk, f"experimenter-{scheme}")
        with grid as served:
            page = open_page(browser, served.url, PHONE, "light", device_scale_factor=2)
            enter(page)
            page.wait_for_selector("#options .option:enabled")
            page.click("#options .option >> nth=3")
            photograph(page, "phone")
        browser.close()


main()
