"""
Objects nobody asked about
==========================

Answers are dear, features are cheap. Of 125 cities we ask about 80 only, and know of all of them
how far they are from eight ports: features that tell the map, but not as a matrix.
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
# Answers and features make one map; a new object needs its features only. What would be wrong about
# the others, if they were asked about?

both = od.FeatureEmbedding(2, random_state=0).fit(answers, features[asked])
test = od.sources.random_triplets(cities.points[unasked], 5000, random_state=1)
alone = od.STE(2, random_state=0).fit(answers)
seen = od.sources.random_triplets(cities.points[asked], 5000, random_state=2)
print(
    f"seen cities:   {1 - both.score(seen):.1%} wrong, {1 - alone.score(seen):.1%} without features"
)
print(f"unseen cities: {1 - both.score(test, features[unasked]):.1%} wrong")
print(f"features explain {both.explained_:.0%} of the map")

# %%
# The cities that nobody asked about, placed by what their features say.

names = [cities.names[number] for number in unasked]
od.plots.plot_map(both.transform(features[unasked]), names=names)
