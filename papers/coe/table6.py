"""Table 6: COE and CODE on words in 20 Newsgroups.

The paper used stemmed texts that are not at hand. Here a text is the subject and the body of a
message; words are three or more letters, less scikit-learn's English stop words, stemmed by
Snowball (Porter 2); texts with fewer than twenty different words are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import numpy as np
import snowballstemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

import ordinate as od
from papers._common import Run
from papers.coe.experiment import coe, fitted_to_sample, item_means, run_table, user_means

PUBLISHED = {
    "COE-S": (78.9, 90.3, 84.3, 51.0, 69.2, 58.7, 0.050, 0.049, 0.050, 0.039, 0.029, 0.037),
    "COE-G": (77.0, 88.0, 82.1, 50.8, 68.7, 58.4, 0.049, 0.047, 0.048, 0.038, 0.028, 0.036),
    "CODE": (59.7, 56.2, 57.9, 48.7, 52.8, 50.7, 0.035, 0.022, 0.027, 0.033, 0.020, 0.025),
}

MIN_DOCUMENTS = 5
N_FREQUENT = 100
MIN_WORDS = 20


def newsgroups() -> od.Ratings:
    """Count words, leaving out those in fewer than five texts and the hundred most frequent."""
    texts = od.datasets.load_newsgroups20().texts
    counts = [Counter(stems(text)) for text in texts]
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    documents = Counter(word for count in counts for word in count)
    frequent = {word for word, _ in total.most_common(N_FREQUENT)}
    kept = sorted(
        word for word, n in documents.items() if n >= MIN_DOCUMENTS and word not in frequent
    )
    number = {word: place for place, word in enumerate(kept)}
    entries = np.array(
        [
            (text, number[word], times)
            for text, count in enumerate(counts)
            for word, times in count.items()
            if word in number
        ]
    )
    ratings = od.Ratings(*entries.T, user_names=range(len(texts)), item_names=kept)
    return ratings.filter(min_per_user=MIN_WORDS)


def stems(text: str) -> list[str]:
    """Split subject and body of a message into stemmed words."""
    header, _, body = text.partition("\n\n")
    subject = " ".join(re.findall(r"^Subject: (.*)$", header, re.MULTILINE))
    words = re.findall(r"[a-z]{3,}", f"{subject} {body}".lower())
    return [stem(word) for word in words if word not in ENGLISH_STOP_WORDS]


stem = cache(snowballstemmer.stemmer("english").stemWord)

METHODS = {
    "COE-S": coe("sigmoid", normalize="share"),
    "CODE": lambda train, seed: od.CODE(normalize="share", random_state=seed, max_iter=200).fit(
        train
    ),
    "item means": item_means("share"),
    "user means": user_means("share"),
    "COE-G": coe("gompertz", normalize="share"),
    "SOE, 100,000 triples": fitted_to_sample(
        lambda seed: od.SOE(random_state=seed, max_iter=2000), normalize="share"
    ),
}
QUICK_TEXTS = 300


def main(run: Run) -> None:
    """Run ten splits; in a quick run one, of a few hundred texts."""
    ratings = newsgroups()
    if run.quick:
        few = ratings.users < QUICK_TEXTS
        ratings = od.Ratings(ratings.users[few], ratings.items[few], ratings.values[few])
        ratings = ratings.filter(min_per_item=2)
    run_table(run, "table6", ratings, METHODS, PUBLISHED, normalize="share")
