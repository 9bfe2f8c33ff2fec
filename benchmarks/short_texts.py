"""Maps of short, sparse texts beside PaCMAP: subjects and first words of 20 Newsgroups.

    python benchmarks/short_texts.py

Rows are tf-idf of 3 to 6 words each, compared by cosine. 10-NN is the accuracy by which ten
neighbours on the map tell the newsgroup; trust that of 2,000 rows in the cosine distances.
"""

import re
import tarfile
import time
import warnings

import numpy as np
from pages import write_table  # the script beside this one
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.manifold import trustworthiness
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import ordinate as od
from ordinate.datasets._files import data_folder

FIRST = "rec.autos sci.med talk.politics.guns comp.graphics rec.sport.hockey"
SECOND = "rec.motorcycles sci.space soc.religion.christian comp.sys.mac.hardware sci.electronics"
THIRD = "misc.forsale rec.sport.baseball talk.politics.mideast sci.crypt"
SETS = {
    "subjects 1": (FIRST, "subject", "train"),
    "subjects 2": (SECOND, "subject", "train"),
    "subjects 3": (FIRST, "subject", "test"),
    "first words 1": (SECOND, "body", "train"),
    "first words 2": (THIRD, "body", "train"),
}
MOST, SEEDS = 600, 3


def load(groups, kind, part):
    """Return tf-idf of texts that have a word, and their newsgroups."""
    texts, labels = [], []
    path = data_folder() / "newsgroups20" / "20news-bydate.tar.gz"
    with tarfile.open(path) as archive:
        for member in archive:
            *_, folder, group, _ = ["", "", *member.name.split("/")]
            wanted = member.isfile() and group in groups.split() and part in folder
            if not wanted or labels.count(group) >= MOST:
                continue
            head, _, body = archive.extractfile(member).read().decode("latin1").partition("\n\n")
            if kind == "subject":
                found = re.search(r"^Subject: (.*)$", head, re.MULTILINE)
                text = re.sub(r"(?i)^(re|fwd?):\s*", "", found[1] if found else "")
            else:
                own = (line for line in body.splitlines() if not line.startswith(">"))
                said = (line for line in own if not re.search("writes:|wrote:|In article", line))
                text = " ".join(" ".join(" ".join(said).split()[:12]).split())
            texts.append(text)
            labels.append(group)
    rows = TfidfVectorizer(stop_words="english").fit_transform(texts)
    return rows[rows.getnnz(1) > 0], np.array(labels)[rows.getnnz(1) > 0]


def judge(rows, labels, points):
    """Return the accuracy of ten neighbours, and trustworthiness."""
    right = cross_val_score(KNeighborsClassifier(10), points, labels, cv=5).mean()
    some = np.random.default_rng(0).permutation(len(labels))[:2000]
    near = trustworthiness(rows[some].toarray(), points[some], n_neighbors=5, metric="cosine")
    return right, near


def main():
    """Write the table."""
    import pacmap

    warnings.simplefilter("ignore")
    table = []
    for name, given in SETS.items():
        rows, labels = load(*given)
        row = {"texts": name, "rows": len(labels), "words, median": int(np.median(rows.getnnz(1)))}
        for what, fit in {
            "Ordinate": lambda seed, rows=rows: od.WeightedTETE(
                metric="cosine", random_state=seed, n_jobs=1
            ).fit_transform(rows),
            "PaCMAP": lambda seed, rows=rows: pacmap.PaCMAP(
                2, distance="angular", random_state=seed
            ).fit_transform(rows.toarray().astype(np.float32), init="pca"),
        }.items():
            start = time.process_time()
            found = np.array([judge(rows, labels, fit(seed)) for seed in range(SEEDS)])
            mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / SEEDS**0.5
            for at, measure in enumerate(("10-NN", "trust")):
                row[f"{measure}, {what}"] = f"{mean[at]:.3f} ± {error[at]:.3f}"
            print(name, what, row, round(time.process_time() - start, 1), flush=True)
        table.append(row)
    write_table(
        "reduce-short-texts", f"mean of {SEEDS} seeds", table, "python benchmarks/short_texts.py"
    )


if __name__ == "__main__":
    main()
