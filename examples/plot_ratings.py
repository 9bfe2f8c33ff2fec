"""
Users and items on one map, from ratings
========================================

Two hundred people rate sixty films from 1 to 5. Each likes films near a taste of their own, some
rate generously and some do not. The ratings alone put people and films on one map.
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
# A table of ratings stands for all its comparisons: a person, the anchor, prefers one film to
# another; or a person likes a film, the anchor, more than another person does. They are counted,
# but never written out.

names = [f"{genre} {number}" for number, genre in enumerate(genres)]
ratings = od.Ratings(who, what, stars, item_names=names)
print(ratings.describe())

# %%
# A fifth of everyone's ratings is kept aside. Preservation is the share of fitted comparisons that
# hold on the map, prediction that of those with a rating kept aside, and unseen that of those
# between ratings kept aside, where guessing gives 50 %.

train, test = ratings.train_test_split(0.2, random_state=0)
coe = od.COE(n_components=2, random_state=0).fit(train)
print(od.coe_report(coe, test))

# %%
# The nearest films that person 7 has not rated yet:

for name, distance in zip(*coe.nearest_items(7, k=3), strict=True):
    print(f"{name}: {distance:.2f}")

# %%
# On the map the genres come out as camps, though no rating said which film is which.

fig, ax = plt.subplots(figsize=(9, 7), layout="constrained")
labels = ["person"] * 200 + genres.tolist()
od.plots.plot_map(coe.embedding_, labels=labels, ax=ax)
plt.show()
