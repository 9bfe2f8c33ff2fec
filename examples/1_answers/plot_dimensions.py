"""
Dimensions that people can name
===============================

Of three things, people say which is the odd one out. Sparse, non-negative dimensions explain the
answers; each is a card to look at and to name.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

properties = {
    "animal": "cat dog cow lion wolf eagle owl bee",
    "metal": "hammer saw drill knife car bus train jet",
    "tool": "hammer saw drill knife",
    "flies": "jet eagle owl bee",
}
names = list(dict.fromkeys(" ".join(properties.values()).split()))
has = np.array([[name in members.split() for members in properties.values()] for name in names])
trials = od.sources.random_trials(1.8 * has, 4000, random_state=0)
trials = od.Trials(trials.rows, names=names)

# %%
# Held-out trials choose the penalties. Fits to halves of the trials show which dimensions are
# reproducible.

model = od.SparseDimensions(10, random_state=0).fit(trials)
print(f"{model.n_dimensions_} dimensions with reproducibility {model.reproducibility_.round(2)}")

# %%
# Each dimension is one of the properties: dark cells are the objects that have it.

fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.imshow(model.embedding_, cmap="Blues", aspect="auto")
ax.set_xticks(range(model.n_dimensions_), range(1, model.n_dimensions_ + 1))
ax.set_yticks(range(len(names)), model.names_)
ax.set_xlabel("dimension")
plt.show()

# %%
# The page works offline. Type names into the cards; click an object, then another one to compare.

od.plots.plot_dimension_cards(
    model.embedding_,
    model.names_,
    reproducibility=model.reproducibility_,
    shares=model.shares_,
    n_top=8,
)
