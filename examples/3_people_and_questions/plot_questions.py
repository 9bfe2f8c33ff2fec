"""
Which questions are worth asking?
=================================

Thirty objects and one simulated participant. Which questions does the adaptive rule choose, and how
do they differ from random ones?
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
truth = rng.standard_normal((30, 2))


def answers(batch):
    """Answer as someone who is unsure if two distances are alike."""
    anchor, left, right = np.array([row.items for row in batch]).T
    margin = ((truth[anchor] - truth[right]) ** 2 - (truth[anchor] - truth[left]) ** 2).sum(axis=1)
    return np.where(rng.random(len(batch)) < 1 / (1 + np.exp(-2 * margin)), "left", "right")


questions = od.Questions(30, random_state=0)
asked = []
for n in (60, *[20] * 12):
    batch = questions.ask(n)
    questions.tell(batch, answers(batch))
    asked += batch

# %%
# Each question is drawn as two lines from its anchor to the other objects, over the true map.
# Adaptive questions compare objects that lie far apart.

figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained", sharex=True, sharey=True)
for axis, pool, color in zip(axes, ("random", "adaptive"), ("#777777", "#0072b2"), strict=True):
    rows = [row.items for row in asked if row.pool == pool][-60:]
    for anchor, left, right in rows:
        axis.plot(*truth[[left, anchor, right]].T, color=color, alpha=0.35, linewidth=1)
    axis.scatter(*truth.T, color="#222222", s=18, zorder=3)
    axis.set(title=f"{len(rows)} {pool} questions", aspect="equal", xticks=[], yticks=[])
plt.show()

# %%
# Why? An answer says on which side of the line between left and right the anchor lies. It is most
# informative if the anchor is about equally far from both, and if these are far apart. Random
# questions rarely are.

items = np.array([row.items for row in asked])
anchor, left, right = truth[items[:, 0]], truth[items[:, 1]], truth[items[:, 2]]
apart = np.linalg.norm(left - right, axis=1)
uneven = np.abs(np.linalg.norm(anchor - left, axis=1) - np.linalg.norm(anchor - right, axis=1))
adaptive = np.array([row.pool == "adaptive" for row in asked])
_, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for mine, label, color in ((~adaptive, "random", "#777777"), (adaptive, "adaptive", "#0072b2")):
    axis.plot(apart[mine], uneven[mine], "o", color=color, ms=4, label=label)
axis.set(xlabel="distance of left and right", ylabel="difference of the anchor's distances")
axis.legend(frameon=False)
plt.show()

# %%
# The accuracy of the map so far, on held-out random questions:

print(questions.progress())
