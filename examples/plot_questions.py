"""
Where the questions go
======================

Thirty objects and a participant who answers. Which questions does the default rule ask, and what
do they have that random ones lack?
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
truth = rng.standard_normal((30, 2))


def answers(batch):
    """Answer as someone who is unsure where two distances are alike."""
    anchor, left, right = np.array([row.items for row in batch]).T
    margin = ((truth[anchor] - truth[right]) ** 2 - (truth[anchor] - truth[left]) ** 2).sum(axis=1)
    return np.where(rng.random(len(batch)) < 1 / (1 + np.exp(-2 * margin)), "left", "right")


questions = od.Questions(30, random_state=0)
asked = []
for n in (60, *[20] * 12):
    batch = questions.ask(n)
    questions.tell(batch.id, answers(batch))
    asked += batch

# %%
# Each question is a pair of lines from its anchor to the two objects, over the map in the
# participant's mind. The chosen ones reach for the rim.

figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained", sharex=True, sharey=True)
for axis, pool, color in zip(axes, ("random", "adaptive"), ("#777777", "#0072b2"), strict=True):
    rows = [row.items for row in asked if row.pool == pool][-60:]
    for anchor, left, right in rows:
        axis.plot(*truth[[left, anchor, right]].T, color=color, alpha=0.35, linewidth=1)
    axis.scatter(*truth.T, color="#222222", s=18, zorder=3)
    axis.set(title=f"{len(rows)} {pool} questions", aspect="equal", xticks=[], yticks=[])
plt.show()

# %%
# Why? "Is the anchor nearer to left or to right?" tells on which side of the line between the two
# it lies, so an answer tells most where the anchor is about as far from one as from the other, and
# more the farther these are apart: the same step of the anchor then changes the margin more. Random
# questions are rarely so.

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
# How far the map is after so many answers, by random questions that were held out:

print(questions.progress())
