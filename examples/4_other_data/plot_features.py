"""
Place objects nobody was asked about
====================================

Answers are expensive, features are cheap. We ask about 80 of 125 cities only, but know for all of
them how far they are from eight ports.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

plt.ion()  # figures show themselves, as they do in a notebook

cities = od.datasets.load_cities(random_state=0)
rng = np.random.default_rng(0)
ports = rng.choice(len(cities.points), 8, replace=False)
features = np.linalg.norm(cities.points[:, None] - cities.points[ports], axis=2)
asked = rng.permutation(len(features))[:80]
unasked = np.setdiff1d(np.arange(len(features)), asked)
answers = od.sources.random_triplets(cities.points[asked], 1000, random_state=0)

# %%
# Fit answers and features together. A new object then needs only its features. How many answers
# about unseen cities would be predicted wrongly?

both = od.FeatureEmbedding(2, random_state=0).fit(answers, features=features[asked])
test = od.sources.random_triplets(cities.points[unasked], 5000, random_state=1)
alone = od.STE(2, random_state=0).fit(answers)
seen = od.sources.random_triplets(cities.points[asked], 5000, random_state=2)
print(
    f"seen cities:   {1 - both.score(seen):.1%} wrong, {1 - alone.score(seen):.1%} without features"
)
print(f"unseen cities: {1 - both.score(test, features=features[unasked]):.1%} wrong")
print(f"features explain {both.explained_:.0%} of the map")

# %%
# The cities that nobody was asked about, placed by their features (filled), and their true places:

placed = od.metrics.procrustes_align(both.transform(features[unasked]), cities.points[unasked])
_, ax = plt.subplots(figsize=(6, 5), layout="constrained")
od.plots.plot_map_over_truth(placed, cities.points[unasked], ax=ax)
