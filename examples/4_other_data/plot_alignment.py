"""
How human is a model?
=====================

Two models describe the same 80 objects by feature vectors. Which of them predicts what people
answer, and how much better does it get once it has seen some of their answers?
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

plt.ion()  # figures show themselves, as they do in a notebook

rng = np.random.default_rng(0)
objects = rng.normal(size=(80, 20))
seen = objects * np.r_[[2.0] * 3, [0.3] * 17]  # people look at three of twenty properties
alike = -np.square(seen[:, None] - seen).sum(axis=2)
trials = od.sources.random_trials(alike, 3000, similarity="precomputed", random_state=0)
trials = od.Trials(trials.rows, groups={"participant": rng.integers(20, size=3000)})

# %%
# One model knows all twenty properties, the other one ten of them and ten of its own.

models = {
    "all properties": objects,
    "half of them": np.hstack([objects[:, ::2], rng.normal(size=(80, 10))]),
}
scores = od.score_features(trials, models, "centered", map_dimensions=(2, 3, 5), random_state=0)
print(scores)
od.plots.plot_feature_scores(scores)

# %%
# Alignment learns which directions matter. It is judged on people and on objects that it did not
# see.

model = od.FeatureEmbedding(3, prior={"kernel": "linear", "share": 0.97, "variance": 1.0})
print(od.score_alignment(trials, objects, model, similarity="centered", random_state=0))

# %%
# The aligned features of all objects, and of one that nobody was asked about.

model.fit(trials, features=objects)
print(model.embedding_.shape, model.transform(rng.normal(size=(1, 20))).shape)
