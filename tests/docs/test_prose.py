"""Plain English in the README, the documentation and the help texts: counts that may only fall.

`python tests/docs/test_prose.py` lists what is found; `--record` writes lower counts to prose.json.
"""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_name("prose.json")
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SUPPORT.md", "SECURITY.md"]
BUILT = {"auto_examples", "auto_pages", "generated", "_build"}

WORDS_OF_A_SENTENCE = 40
WORDS_OF_A_PARAGRAPH = 120

# constructions that nobody in the field uses, each with what to say instead
BANNED = {
    r"\b(?:by|given by|as if by|a) coins?\b": "random responses",
    r"\bdrawn anew\b|\bdraws? anew\b": "resampled",
    r"\b(?:tell|tells|told|telling) (?:\w+ ){0,4}apart\b": "distinguish, identify",
    r"\bat odds\b": "disagrees with",
    r"\bspoken against\b": "rejected",
    r"\b(?:hang|hangs|hung) together\b": "is connected, forms one cluster",
    r"\bthe hand of a map\b": "mirror image",
    r"\bcloses the pipe\b": "a closed pipe",
    r"\bdear\b": "expensive",
    r"\bnow and then\b": "sometimes",
    r"\b(?:reads?|read) (?:\w+ ){0,3}aloud\b": "shows a row in words",
    r"\bas it were\b|\bso to speak\b": "(leave it out)",
    r"\bno number of\b": "expected ..., got ...",
    r"\bthe large picture\b|\blarge picture\b": "the global structure",
    r"\b(?:is|are|be) pulled\b": "is biased",
    r"\bkeeps? (?:the |its |their )?(?:density|distances|neighbou?rs)\b": "preserves",
    r"\bkeeps? what (?:it|they) promise": "has the stated coverage",
    r"\bnext to nothing\b": "almost nothing",
    r"\bbeside (?:the|its|our|a) (?:peer|published)": "compared with",
    r"\b(?:is|are) not known to\b": "(say it directly)",
    r"\bwhoever\b": "anyone who",
    r"\bgoes without\b|\bgo without\b": "is fitted without",
    r"\bon purpose\b": "deliberately",
    r"\bheretofore\b|\bwherein\b|\bthereof\b|\blest\b": "(leave it out)",
    r"\bdenies\b|\bdeny\b": "contradicts",
    r"\banew\b": "again",
    r"\bdata bases?\b": "database",
    r"\btells? (?:most|nothing)\b": "is most informative, carries no information",
    r"\b(?:is|are|cannot be) told (?:by|from)\b|, told by\b": "predicted by, distinguished from",
    r"\bhow sure\b|\bsure at\b": "how certain, certain at",
    r"\bhardly met\b|\bhave not met\b": "have not converged",
    r"\bis no (?:number|text|address|coordinate)\b": "is not a",
    r"\bnothing to go by\b": "nothing to compare",
    r"\bdoes not tell\b|\bdo not tell\b": "does not show",
    r"\bmay be given (?:again|several times)\b": "may be repeated",
    r"\bcould not be shown\b": "there is no evidence",
    r"\bso many \w+ or more\b": "at least N",
}


def pages():
    """Return the texts that are checked, by their name; the help texts are one of them."""
    found = [ROOT / name for name in PAGES]
    found += [page for page in ROOT.glob("docs/**/*.rst") if not BUILT & set(page.parts)]
    found += ROOT.glob("examples/**/*.rst")
    texts = {
        page.relative_to(ROOT).as_posix(): paragraphs(page.read_text(encoding="utf-8"))
        for page in sorted(found)
    }
    return texts | {"ordinate --help": list(help_texts())}


def help_texts():
    """Yield the help of every verb and of every option, as sentences are read there."""
    import typer

    from ordinate.cli import app

    def walk(command):
        yield from paragraphs(re.sub(r"\[/?[a-z ]+\]", "", command.help or "").replace("\b", ""))
        yield from (getattr(option, "help", None) or "" for option in command.params)
        for inner in getattr(command, "commands", {}).values():
            yield from walk(inner)

    yield from walk(typer.main.get_command(app))


def paragraphs(text):
    """Split a page into paragraphs of prose: no code, formulas, tables, headings or references."""
    text = re.sub(r"```.*?```|<[^>]*>", "", text, flags=re.DOTALL)  # Markdown's blocks, and HTML
    found, block, inside, last = [], [], None, 0
    for line in [*text.splitlines(), ""]:
        indent = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and indent <= inside:
            inside = None
        if line.lstrip().startswith(".. "):
            inside = inside if inside is not None else indent
            prose = re.match(r"\s*\.\. (note|tip|important|warning|admonition|card|dropdown)", line)
            inside = None if prose else inside
            line = ""
        code = inside is not None or line.startswith(("    ", "|", "#", "$"))
        code |= re.search(r"\S {2,}\S+.* {2,}\S", line) is not None  # a row of a simple table
        item = re.match(r"\s*(?:[-*•]|\d+\.|#\.) ", line)
        if code or item or indent < last or not line.strip() or re.fullmatch(r"\W*", line):
            found.append(" ".join(block))
            block = []
        if not code and line.strip() and not re.fullmatch(r"\W*", line):
            block.append(line[item.end() :] if item else line.strip())
        if line.rstrip().endswith("::"):
            inside = indent
        last = indent
    return [plain for plain in map(_plain, found) if len(plain.split()) > 3]


def _plain(text):
    """Take the marks out of a paragraph: what is left is what is read."""
    text = re.sub(r":\w+(?::\w+)?:`[~/]?([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"``?[^`]*``?", "code", text).replace("*", "").strip()


def sentences(paragraph):
    """Split a paragraph at full stops, and at colons and semicolons that begin a new thought."""
    paragraph = re.sub(r"\b(e\.g|i\.e|et al|vs|cf|Fig|Eq|p|pp|vol|no)\.", r"\1", paragraph)
    return [part for part in re.split(r"(?<=[.!?:])[\"”)]*\s+(?=[\"“(]?\w)", paragraph) if part]


def faults(texts):
    """Return the long sentences, banned constructions and long paragraphs of a page."""
    every = [sentence for text in texts for sentence in sentences(text)]
    return {
        "long sentences": [s for s in every if len(s.split()) > WORDS_OF_A_SENTENCE],
        "banned constructions": [
            f"{match[0]!r} (say: {better}) in: {sentence}"
            for sentence in every
            for pattern, better in BANNED.items()
            for match in re.finditer(pattern, sentence, re.IGNORECASE)
        ],
        "long paragraphs": [t for t in texts if len(t.split()) > WORDS_OF_A_PARAGRAPH],
    }


def counts():
    """Return the number of faults of each kind, by page."""
    return {
        name: {kind: len(found) for kind, found in faults(texts).items() if found}
        for name, texts in pages().items()
    }


def recorded():
    return json.loads(RECORD.read_text(encoding="utf-8"))


def test_no_page_becomes_harder_to_read():
    worse = [
        f"{name}: {len(found)} {kind}, at most {allowed} before:\n  " + "\n  ".join(found)
        for name, texts in pages().items()
        for kind, found in faults(texts).items()
        if len(found) > (allowed := recorded().get(name, {}).get(kind, 0))
    ]
    assert not worse, "\n".join(worse)


def test_the_source_has_no_banned_constructions():
    """Neither messages, docstrings and pages of the package, nor its comments."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]!r} (say: {better})"
        for path in sorted((ROOT / "src").rglob("*"))
        if path.suffix in {".py", ".html", ".js", ".md", ".toml"}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for pattern, better in BANNED.items()
        for match in re.finditer(pattern, line, re.IGNORECASE)
        if match[0] != "DENY"  # a header of HTTP
    ]
    assert not found, "\n".join(found)


def test_the_record_names_pages_that_exist():
    assert set(recorded()) <= set(pages()), "run: python tests/docs/test_prose.py --record"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("long sentences", "This sentence has words " + "and more " * 20 + "until it ends."),
        ("banned constructions", "Some answers are given by coin and prove nothing."),
        ("long paragraphs", "Here is a short sentence again. " * 21),
    ],
)
def test_a_fault_is_counted(kind, text):
    found = faults(paragraphs(text))
    assert [name for name, listed in found.items() if listed] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        ".. code-block:: python\n\n   " + "word " * 60,
        ".. list-table::\n\n   * - " + "word " * 60,
        "```console\n" + "word " * 60 + "\n```",
        "| " + "word " * 60 + " |",
        ".. math::\n\n   " + "x + " * 60,
    ],
)
def test_code_tables_and_formulas_are_not_prose(text):
    assert paragraphs(text) == []


def main():
    """List the faults, or record lower counts."""
    if "--record" in sys.argv:
        known = recorded() if RECORD.exists() else None
        lower = {
            name: {
                kind: min(number, known.get(name, {}).get(kind, 0)) if known else number
                for kind, number in found.items()
            }
            for name, found in counts().items()
        }
        kept = {name: {k: n for k, n in found.items() if n} for name, found in lower.items()}
        text = json.dumps({name: found for name, found in kept.items() if found}, indent=1)
        RECORD.write_text(text + "\n", encoding="utf-8")
        return
    for name, texts in pages().items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        for kind, found in faults(texts).items():
            for fault in found:
                print(f"{name}: {kind}: {fault}")


if __name__ == "__main__":
    main()
