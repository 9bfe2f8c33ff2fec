"""A rehearsal in a real browser: whatever happens on the way, everyone ends with a code.

Every task, on a desktop and on a phone; and of everyone each answer is stored once. All walks on a
device share a browser with what earlier people left there, as on a computer in a laboratory.
"""

import asyncio
import threading
from contextlib import contextmanager
from itertools import count

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Error

from ordinate.collect import participant
from ordinate.tasks import TASKS

from .conftest import write_study
from .serving import NETWORK, PATIENCE, Served, rule

DEVICES = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
N_MAIN = 3
SMALL = {"practice": 1, "random": N_MAIN, "validation": 0, "catch": 0, "repeat": 0}
SETTINGS = {f"pools__{pool}": number for pool, number in SMALL.items()}
SETTINGS |= {"answers__dead_time_ms": 20}
# go on until a question is on the screen, or to the end
ROBOT = """async (question) => {
  const ways = ["#agree", "#start", "#message-buttons button", "#confirm"];
  ways.push("#options .option:not([aria-pressed=true])");
  const usable = (selector) =>
    [...document.querySelectorAll(selector)].find((e) => !e.disabled && !e.closest("[hidden]"));
  for (let tries = 0; tries < 30000; tries++) {
    const phase = document.body.dataset.phase;
    if (phase === "debrief") return document.getElementById("code").textContent;
    const here = document.getElementById("progress-text").textContent;
    if (phase === "trial" && question && here.startsWith(`Question ${question} `)) return "";
    ways.map(usable).find(Boolean)?.click();
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`No way on: ${document.body.innerText}`);
}"""
KEPT = """() => Object.keys(localStorage).some(
  (key) => key.endsWith("-next") && JSON.parse(localStorage[key]).next.length > 1
)"""


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Serve each task; pages hold few questions, so that they fetch more all the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(participant, "AHEAD", 2)
        folders = {task: tmp_path_factory.mktemp(task) / "study" for task in TASKS}
        served = {
            task: Served(write_study(folder, task, **SETTINGS)) for task, folder in folders.items()
        }
        yield served
        for study in served.values():
            study.close()


class Device:
    """A browser for one person after the other; what is wrong on any of its pages is noted."""

    def __init__(self, context, studies):
        self.context, self.complaints = context, []
        self._urls = [served.url for served in studies.values()]
        self.page = self.open_page()

    def open_page(self):
        page = self.context.new_page()
        rule(page, self._urls[0], self.complaints, (*NETWORK, *self._urls))
        return page


@pytest.fixture(scope="module")
def take_device(browser, studies):
    """Give a desktop or a phone: the one of the last time, unless something went wrong with it."""
    known = {}

    @contextmanager
    def taken(name):
        if name not in known:
            context = browser.new_context(**DEVICES[name], reduced_motion="reduce")
            known[name] = Device(context, studies)
        try:
            yield known[name]
        except BaseException:
            known.pop(name).context.close()
            raise

    yield taken
    for device in known.values():
        device.context.close()


class Person:
    """Somebody with a link of their own, in a browser that others use too."""

    numbers = count()

    def __init__(self, served, page):
        self.served, self.page, self.name = served, page, f"walk{next(self.numbers)}"
        self.come()

    def come(self):
        self.page.goto(f"{self.served.url}?participant={self.name}")

    def go_on(self, question=0):
        """Answer until a question is on the screen, or to the end; return the code there."""
        self.page.bring_to_front()  # a page behind another one is never painted
        try:
            return self.page.evaluate(ROBOT, question)
        except Error as error:
            # a page that came back from the browser's history reloads itself
            if "context was destroyed" not in error.message:
                raise
            self.page.wait_for_load_state()
            return self.go_on(question)

    def check(self):
        """Go to the end: there is a code, and each answer was stored once."""
        code = self.go_on()
        asked = self.served.store.reader.execute(
            "SELECT s.status, s.code_issued, t.place, a.outcome FROM identities"
            " JOIN sessions s USING (session_id) JOIN trials t USING (session_id)"
            " LEFT JOIN answers a USING (trial_id) WHERE external_id=? ORDER BY t.place",
            (f"link:{self.name}",),
        )
        expected = [("complete", code, place, "answered") for place in range(N_MAIN + 1)]
        assert [tuple(row) for row in asked] == expected
        assert code


def straight_through(person, other, device):
    pass


def reload(person, other, device):
    for question in (2, 3):
        person.go_on(question)
        person.page.reload()


def with_a_question_in_reserve(person):
    """Go to the second question, and on only when the page has the third."""
    person.go_on(2)
    person.page.reload()
    person.go_on(2)
    person.page.wait_for_function(KEPT)


def offline(person, other, device):
    with_a_question_in_reserve(person)
    person.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    device.context.set_offline(True)
    person.go_on(3)
    person.page.reload()
    person.go_on(3)
    device.context.set_offline(False)


def back(person, other, device):
    for question in (2, 3):
        person.go_on(question)
        person.page.goto("about:blank")
        person.page.go_back()


def double_click(person, other, device):
    for question in (2, 3):
        if person.go_on(question):
            return  # on a busy machine the second tap was late, and answered the last question
        box = person.page.locator("#options .option").first.bounding_box()
        place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        person.page.wait_for_timeout(SETTINGS["answers__dead_time_ms"])
        if person.page.evaluate("navigator.maxTouchPoints"):
            person.page.touchscreen.tap(*place)
            person.page.touchscreen.tap(*place)
        else:
            person.page.mouse.dblclick(*place)


def storage_deleted(person, other, device):
    for question in (2, 3):
        person.go_on(question)
        device.context.clear_cookies()
        person.page.evaluate("localStorage.clear()")
    person.page.reload()


def two_studies(person, other, device):
    second = Person(other, device.open_page())
    for question in (1, 2):
        person.go_on(question)
        second.go_on(question)
    person.check()
    second.check()
    second.page.close()


def two_people(person, other, device):
    with_a_question_in_reserve(person)
    person.page.route("**/api/answers", lambda route: route.abort())
    person.go_on(3)
    person.page.unroute_all()
    person.page.goto("about:blank")
    second = Person(person.served, device.open_page())
    second.go_on(3)
    person.come()
    person.check()
    second.come()
    second.check()
    second.page.close()


WALKS = (straight_through, reload, offline, back, double_click, storage_deleted, two_studies)
WALKS += (two_people,)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
def test_everyone_ends_with_a_code(take_device, studies, walk, task, device):
    with take_device(device) as taken:
        person = Person(studies[task], taken.page)
        walk(person, studies[TASKS[TASKS.index(task) - 1]], taken)
        person.check()
        assert taken.complaints == []


def test_a_page_asks_for_questions_when_its_answers_have_arrived(take_device, studies, monkeypatch):
    keep = participant.Participants.keep
    held_up, arrived = threading.Event(), threading.Event()

    async def keep_when_released(*args):
        arrived.set()
        while held_up.is_set():
            await asyncio.sleep(0.01)
        return await keep(*args)

    monkeypatch.setattr(participant.Participants, "keep", keep_when_released)
    with take_device("desktop") as taken:
        person = Person(studies["triplet"], taken.page)
        person.go_on(1)
        person.page.wait_for_function(KEPT)  # the second question is on the device
        arrived.clear()
        held_up.set()
        person.go_on(2)
        assert arrived.wait(PATIENCE)
        arrived.clear()
        person.page.reload()
        assert arrived.wait(PATIENCE), "the page sends what it does not know to be stored"
        held_up.clear()
        person.go_on(2)
        person.page.wait_for_function(KEPT)
        person.check()
