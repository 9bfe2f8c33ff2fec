"""
Users and items on one map, from ratings
========================================

Two hundred people rate sixty films from 1 to 5. Each likes films near their own taste, and some
rate more generously than others. The ratings alone put people and films on one map.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
genres = np.repeat(["comedy", "drama", "horror"], 20)
centres = {"comedy": (0, 2), "drama": (-2, -1), "horror": (2, -1)}
films = np.array([centres[genre] for genre in genres]) + 0.7 * rng.normal(size=(60, 2))
people = 1.5 * rng.normal(size=(200, 2))

who, what = np.nonzero(rng.random((200, 60)) < 0.4)
distance = np.linalg.norm(people[who] - films[what], axis=1)
generosity = rng.normal(scale=0.5, size=200)
stars = np.clip(np.round(5 + generosity[who] - distance + 0.3 * rng.normal(size=len(who))), 1, 5)

# %%
# Ratings imply comparisons of two kinds: a person prefers one film to another, and one person likes
# a film more than another person does.

names = [f"{genre} {number}" for number, genre in enumerate(genres)]
ratings = od.Ratings(who, what, stars, item_names=names)
print(ratings.describe())

# %%
# Hold out a fifth of each person's ratings. Preservation is the share of fitted comparisons that
# hold on the map. Unseen is the share among held-out ratings, where guessing gives 50 %.

train, test = ratings.train_test_split(0.2, random_state=0)
coe = od.COE(n_components=2, random_state=0).fit(train)
print(od.coe_report(coe, test))

# %%
# The nearest films that person 7 has not rated yet:

for name, distance in zip(*coe.nearest_items(7, k=3), strict=True):
    print(f"{name}: {distance:.2f}")

# %%
# The genres form groups, although no rating mentions them.

fig, ax = plt.subplots(figsize=(9, 7), layout="constrained")
labels = ["person"] * 200 + genres.tolist()
od.plots.plot_map(coe.embedding_, labels=labels, ax=ax)
plt.show()
