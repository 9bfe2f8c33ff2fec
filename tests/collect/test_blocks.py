"""Blocks and conditions: who is asked what, in which order, in balance, and how it is exported."""

import csv
import json
from collections import Counter
from itertools import pairwise
from random import Random

import pytest

import ordinate as od
from ordinate.collect import arrivals, sessions
from ordinate.collect.export import answers_to, export_tables
from ordinate.collect.figures import study_figures
from ordinate.collect.folder import read_study
from ordinate.collect.plan import make_plan, orders_of
from ordinate.collect.prepare import check_study
from ordinate.collect.simulate import simulate

DESIGN = """
[design]
conditions = ["mild", "wild"]
order = "{order}"
[[between]]
name = "mood"
kind = "scale"
ask = "How do you feel?"
[[blocks]]
name = "first"
instructions = "first.md"
question = "Which one is nearer?"
pools = {{ practice = 0, random = 3, validation = 1, catch = 1, repeat = 0 }}
[[blocks]]
name = "odd"
conditions = ["wild"]
items = {{ size = ["s", "m"] }}
task = {{ kind = "odd_one_out" }}
pools = {{ practice = 1, random = 2, validation = 0, catch = 0, repeat = 0 }}
[[blocks]]
name = "last"
pools = {{ practice = 0, random = 2, validation = 0, catch = 0, repeat = 0 }}
"""


@pytest.fixture
def folder(make_folder):
    def make(order="given", design=DESIGN):
        folder = make_folder(name=f"study-{order}")
        with (folder / "study.toml").open("a") as file:
            file.write(design.format(order=order))
        (folder / "first.md").write_text("# The first block")
        listed = "block,pool,reference,shown,expected\nfirst,catch,apple,apple;cake,apple\n"
        (folder / "questions.csv").write_text(listed if "first" in design else "pool,shown\n")
        rows = (folder / "items.csv").read_text().splitlines()
        sized = [f"{row},{'sml'[number % 3]}" for number, row in enumerate(rows[1:])]
        (folder / "items.csv").write_text("\n".join([f"{rows[0]},size", *sized]))
        return folder

    return make


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def go_through(person):
    """Answer everything, and return all trials."""
    seen = []
    while trials := person.trials():
        for trial in trials:
            if trial["opens"] and trial["block_number"]:
                body = {"moment": f"between-{trial['block_number']}", "answers": {"mood": 3}}
                assert person.post("/api/questionnaire", body).status_code == 200
        person.send(*({"trial": t["trial"], "outcome": "answered", "chosen": [0]} for t in trials))
        seen += trials
    return seen


def test_each_condition_has_its_blocks_with_their_items_tasks_and_pages(folder, join):
    person = join(folder=folder())
    study = person.study
    assert list(study.blocks) == ["first", "odd", "last"]
    assert [study.blocks_of(c) for c in ("mild", "wild")] == [
        ["first", "last"],
        ["first", "odd", "last"],
    ]
    odd = study.blocks["odd"]
    assert (odd.task.name, {item.metadata["size"] for item in odd.items.values()}) == (
        "odd_one_out",
        {"s", "m"},
    )
    assert study.blocks["first"].pages["instructions"] == "# The first block"
    assert (study.most("total"), study.most("practice")) == (9, 1)
    page = person.client.get("/").text
    for own in ("The first block", "Which one is nearer?"):
        assert own not in page, "the page is the same for everyone, whatever their condition"
    for name in ("mild", "wild", "odd"):
        assert f"&#34;{name}&#34;" not in page, "participants do not learn their condition"


def test_trials_know_their_block(folder, join):
    first = join(folder=folder())
    people = [first, join(first)]
    lengths = []
    for person in people:
        blocks = person.begin().json()["blocks"]
        assert person.client.get("/api/state").json()["session"]["blocks"] == blocks
        assert "The first block" in blocks["0"]["instructions"]
        trials = go_through(person)
        assert {str(trial["block"]) for trial in trials} == set(blocks), "others' are not sent"
        assert person.post("/api/finish").json()["code"]
        opened = [trial["block_number"] for trial in trials if trial["opens"]]
        assert opened == list(range(len(opened)))
        lengths.append(len(trials))
        assert [t["total"] for t in trials if t["block_number"] == 0] == [5] * 5
    assert sorted(lengths) == [7, 10]
    rows = first.store.reader.execute("SELECT * FROM trials WHERE block='odd'").fetchall()
    odd = first.study.blocks["odd"].items
    assert len(rows) == 3
    assert all(set(json.loads(row["shown"])) <= set(odd) for row in rows)


def test_conditions_are_balanced_also_when_people_stop(folder, open_store):
    store = open_store(read_study(folder()))

    def come(number):
        arrival = arrivals.Arrival(f"{number:016d}", store.study.consent_version)
        return sessions.find(store, arrivals.begin(store, arrival).result())

    def counts():
        rows = store.reader.execute("SELECT condition FROM sessions WHERE status='open'")
        return Counter(row[0] for row in rows)

    people = [come(number) for number in range(10)]
    assert counts() == {"mild": 5, "wild": 5}
    gone = [p for p in people if p.blocks == ("first", "last")][:3]
    for session in gone:
        sessions.withdraw(store, session).result()
    assert [come(number).blocks for number in (20, 21, 22)] == [("first", "last")] * 3
    assert counts() == {"mild": 5, "wild": 5}


def test_orders_of_a_latin_square_are_used_equally_often(folder, open_store):
    store = open_store(read_study(folder("latin-square")))
    for number in range(24):
        arrival = arrivals.Arrival(f"{number:016d}", store.study.consent_version)
        arrivals.begin(store, arrival).result()
    rows = store.reader.execute(
        "SELECT condition, block_order, COUNT(*) FROM sessions GROUP BY 1, 2"
    )
    counts = {(condition, order): count for condition, order, count in rows}
    assert sorted(count for (condition, _), count in counts.items() if condition == "mild") == [
        6,
        6,
    ]
    assert [count for (condition, _), count in counts.items() if condition == "wild"] == [2] * 6


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_a_latin_square_is_balanced(make_folder, n):
    folder = make_folder(name=f"square-{n}")
    blocks = "".join(f'[[blocks]]\nname = "b{number}"\n' for number in range(n))
    with (folder / "study.toml").open("a") as file:
        file.write(f'[design]\norder = "latin-square"\n{blocks}')
    orders = orders_of(read_study(folder), "", Random(0))
    places = Counter((place, name) for order in orders for place, name in enumerate(order))
    pairs = Counter(pair for order in orders for pair in pairwise(order))
    assert len(places) == n * n
    assert len(pairs) == n * (n - 1)
    assert len(set(places.values())) == len(set(pairs.values())) == 1


def test_exports_name_condition_and_block_and_split_by_task(folder, tmp_path):
    where = folder()
    done = simulate(read_study(where), participants=4, noise=0.0)
    assert done.n_answers == 2 * 7 + 2 * 10
    out = tmp_path / "answers.csv"
    written = export_tables(where, out, which="simulated")
    names = [path.name for path in written.files]
    assert names[:2] == ["answers.csv", "answers-odd_one_out.csv"]
    record = od.read_comparisons(out)
    assert set(record.groups["block"]) == {"first", "last"}
    assert Counter(record.groups["condition"].tolist()) == {"mild": 12, "wild": 12}
    other = od.read_comparisons(tmp_path / "answers-odd_one_out.csv")
    assert set(other.groups["condition"]) == {"wild"}
    assert written.counts["n_comparisons"] == len(record) + len(other) == 24 + 8
    trials = read(tmp_path / "trials.csv")
    assert {row["task"] for row in trials if row["block"] == "odd"} == {"odd_one_out"}
    people = read(tmp_path / "sessions.csv")
    assert Counter(row["condition"] for row in people) == {"mild": 2, "wild": 2}
    assert {row["block_order"] for row in people} == {"first;last", "first;odd;last"}
    assert all(row["q_mood_1"] for row in people)
    assert [bool(row["q_mood_2"]) for row in people] == [r["condition"] == "wild" for r in people]


def test_blocks_of_a_task_with_other_settings_have_tables_of_their_own(make_folder, tmp_path):
    folder = make_folder()
    with (folder / "study.toml").open("a") as file:
        file.write('[[blocks]]\nname = "first"\n')
        for shown in (4, 5):
            task = f"{{ kind = 'choose_k', shown = {shown} }}"
            file.write(f'[[blocks]]\nname = "of{shown}"\ntask = {task}\n')
    simulate(read_study(folder), participants=1, noise=0.0)
    written = export_tables(folder, tmp_path / "answers.csv", which="simulated")
    names = ["answers.csv", "answers-choose_k.csv", "answers-choose_k-2.csv"]
    assert [path.name for path in written.files[:3]] == names
    found = [set(od.read_comparisons(tmp_path / name).groups["block"]) for name in names]
    assert found == [{"first"}, {"of4"}, {"of5"}]


def test_another_task_needs_other_instructions(make_folder):
    folder = make_folder()
    (folder / "two.md").write_text("# Now two")
    with (folder / "study.toml").open("a") as file:
        for name, more in (("one", ""), ("two", 'instructions = "two.md"\n')):
            task = "task = { kind = 'pair' }"
            file.write(f'[[blocks]]\nname = "{name}"\n{task}\n{more}')
    notes = [finding.sentence for finding in check_study(folder).findings]
    own = [note for note in notes if "another task" in note]
    assert own == ["Block one has another task than the instructions; write some of its own."]


def test_each_block_has_answers_of_its_own(folder):
    from ordinate.collect.store import reading, study_of

    where = folder()
    simulate(read_study(where), participants=2, noise=0.0)
    with reading(where, "simulated") as connection:
        study = study_of(connection, where)
        found = [answers_to(connection, study, block) for block in ("first", "last")]
    assert sum(map(len, found)) == 12
    assert [set(one.groups["block"]) for one in found] == [{"first"}, {"last"}]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "odd"', 'name = "first"', r"\[\[blocks\]\] has 'first' twice"),
        ('name = "odd"', 'name = "o;d"', "a name is letters, digits, - and _; got 'o;d'"),
        ('["wild"]', '["weird"]', r"block 2 \(odd\): conditions must be one of.*got 'weird'"),
        ('["s", "m"]', '["xl"]', "no row of items.csv has"),
        ('"odd_one_out"', '"odd"', r"block 2 \(odd\): task.kind must be one of"),
        ("random = 2, validation = 0", "randon = 2", "did you mean 'random'"),
        ("question =", "qestion =", "did you mean 'question'"),
        ('"first.md"', '"nowhere.md"', "Cannot read .*nowhere.md"),
        ('"{order}"', '"latin"', "design.order must be one of"),
        ('["mild", "wild"]', '["mild", 3]', "design.conditions must be a list of texts"),
    ],
)
def test_bad_designs_are_refused(folder, old, new, message):
    assert old in DESIGN
    with pytest.raises(od.InputError, match=message):
        read_study(folder(design=DESIGN.replace(old, new, 1)))


def test_check_speaks_of_blocks(folder):
    many = DESIGN.replace("random = 3", "random = 3000")
    sentences = [finding.sentence for finding in check_study(folder("random", many))[1]]
    assert any(sentence.startswith("Block first: Everyone is asked") for sentence in sentences)


def test_questions_written_down_belong_to_a_block(folder):
    where = folder()
    path = where / "questions.csv"
    path.write_text("pool,block,reference,shown,expected\nvalidation,last,apple,pear;rice,\n")
    study = read_study(where)
    (question,) = study.blocks["last"].given["validation"]
    assert question.reference == "apple"
    assert not study.blocks["first"].given
    path.write_text("pool,reference,shown\nvalidation,apple,pear;rice\n")
    with pytest.raises(od.InputError, match="line 2: block must be one of 'first'"):
        read_study(where)


def test_a_preview_takes_the_condition_that_it_is_asked_for(folder, open_store):
    study = read_study(folder())
    for which, expected in (("preview", {"wild"}), ("answers", {"mild", "wild"})):
        store = open_store(study, which)
        for number in range(4):
            wish = {"condition": "wild"}
            arrival = arrivals.Arrival(f"{number:016d}", study.consent_version, params=wish)
            arrivals.begin(store, arrival).result()
        rows = store.reader.execute("SELECT condition FROM sessions")
        assert {row[0] for row in rows} == expected


def test_a_preview_has_an_address_for_every_branch(folder):
    from ordinate.cli.collect import _branches

    assert _branches(read_study(folder())) == ["condition=mild", "condition=wild"]


def test_a_block_with_adaptive_questions_has_a_model_of_its_own(folder, tmp_path):
    chosen = "practice = 0, random = 6, adaptive = 4, validation = 0"
    design = DESIGN.replace("practice = 1, random = 2, validation = 0", chosen)
    design = design.replace('conditions = ["wild"]\n', "")
    study = read_study(folder(design=design))
    assert list(study.adaptive_blocks) == ["odd"]
    assert not any("daptive" in finding.sentence for finding in check_study(study.folder)[1])
    simulate(study, participants=12, noise=0.0)
    export_tables(study.folder, tmp_path / "answers.csv", which="simulated")
    trials = read(tmp_path / "trials.csv")
    asked = [row for row in trials if row["pool"] == "adaptive"]
    assert {row["block"] for row in asked} == {"odd"}
    later = [row for row in asked if row["fallback"] == "false"]
    assert len(later) >= 8, "those who come after the first five"
    allowed = set(study.blocks["odd"].items)
    assert all(set(row["shown"].split(";")) <= allowed for row in later)
    n_answers = sum(row["block"] == "odd" and row["pool"] != "practice" for row in trials)
    assert all(0 < int(row["model_version"]) < n_answers for row in later)


def test_each_block_asks_for_questions_of_its_own(folder, join):
    wanted = []

    class Chooser:
        def take(self, block, number, taken):
            wanted.append((block, number))
            return []

        def note_answers(self):
            pass

    design = DESIGN.replace(
        "random = 2, validation = 0", "random = 2, adaptive = 3, validation = 0"
    )
    person = join(folder=folder(design=design), chooser=Chooser())
    others = [person, join(person)]
    for one in others:
        one.begin()
        go_through(one)
    assert sorted(wanted) == [("last", 3), ("last", 3), ("odd", 3)]


def test_only_default_questions_have_automatic_right_answers(folder, make_folder):
    where = folder()
    first = read_study(where).blocks["first"]
    assert [p.question.items for p in make_plan(first, 0) if p.pool == "catch"] == [
        ("apple", "apple", "cake")
    ]
    (where / "questions.csv").unlink()
    study, findings = check_study(where)
    (said,) = [f.sentence for f in findings if "your own" in f.sentence]
    assert said.startswith("Block first: its question is your own")
    assert "those of questions.csv (0)" in said
    assert study.blocks["first"].pools.catch == 0
    assert "catch" not in {p.pool for p in make_plan(study.blocks["first"], 0)}
    assert simulate(study, participants=2, noise=0.1).n_answers > 0
    alone = make_folder(name="alone")
    (alone / "texts.toml").write_text('question_triplet = "By shape?"\n')
    study = read_study(alone)
    (practice,) = [p for p in make_plan(study, 0) if p.pool == "practice"]
    assert (practice.question.expected, study.pools.catch) == ((), 0)
    (alone / "texts.toml").write_text(
        'question_triplet = "Which one is more like the one above?"\n'
    )
    assert read_study(alone).pools.catch == 1
    pair = make_folder("pair", name="pair")
    (pair / "texts.toml").write_text('question_pair = "Which is heavier?"\n')
    assert read_study(pair).pools.catch == 1, "two equal items are a tie, whatever is asked"


def test_the_desk_counts_each_condition(folder, join):
    first = join(folder=folder())
    for person in (first, join(first), join(first)):
        person.begin()
        go_through(person)
        person.post("/api/finish")
    stopped = join(first)
    stopped.begin()
    stopped.post("/api/withdraw")
    figures = study_figures(first.store.reader, first.study)
    parts = {(one["condition"], one["block"]): one for one in figures["parts"]}
    assert list(parts) == [
        *(("mild", block) for block in ("first", "last")),
        *(("wild", block) for block in ("first", "odd", "last")),
    ]
    whole = [one for one in figures["parts"] if one["block"] == "last"]
    statuses = sum((Counter(one["statuses"]) for one in whole), Counter())
    assert statuses == {"complete": 3, "returned": 1}
    people = figures["sessions"]
    for one in whole:
        own = [p for p in people if p["condition"] == one["condition"]]
        assert sum(one["statuses"].values()) == len(own) == 2
        used = [p for p in own if p["status"] == "complete"]
        n_done = sum(n["n_done"] for key, n in parts.items() if key[0] == one["condition"])
        assert n_done == sum(p["n_done"] for p in used)
    (mood,) = (q for q in figures["responses"] if q["moment"] == "between-1")
    assert mood["answers"]["mild"].count("1 × 3") == 1
