"""
Adaptive questions in a PsychoPy experiment
===========================================

:class:`ordinate.Questions` chooses the questions, your program shows them. The loop below is what a
PsychoPy experiment does. So that it runs without a screen, a stand-in takes the place of the window
and the keyboard; the comments show the lines of PsychoPy.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

names = ["apple", "pear", "cherry", "bread", "rice", "cake", "cheese", "milk", "tea", "coffee"]
rng = np.random.default_rng(1)
mind = dict(zip(names, rng.standard_normal((10, 2)), strict=True))

# %%
# **Show a question and wait for a key.** With PsychoPy::
#
#     window = visual.Window(units="norm")
#     for text, place in zip(shown, [(0, 0.5), (-0.5, -0.3), (0.5, -0.3)]):
#         visual.TextStim(window, text, pos=place).draw()
#     window.flip()
#     (key,) = event.waitKeys(keyList=["left", "right"])


def show_and_wait(anchor, left, right):
    """Stand in for a person before the screen, who errs now and then."""
    near, far = (((mind[anchor] - mind[x]) ** 2).sum() for x in (left, right))
    return "left" if rng.random() < 1 / (1 + np.exp(4 * (near - far))) else "right"


# %%
# **The experiment.** `ask` gives the next questions, `tell` takes the answers. Early questions are
# random, later ones are those that tell most.

questions = od.Questions(names, random_state=0)
for _ in range(30):
    batch = questions.ask(5)
    keys = [show_and_wait(*(names[item] for item in row.items)) for row in batch]
    questions.tell(batch, keys)

# %%
# **The map** of 150 answers, laid over what the stand-in had in mind.

truth = np.array(list(mind.values()))
found = od.SOE(2, random_state=0).fit(questions.comparisons()).embedding_
centred = truth - truth.mean(axis=0)
left, spread, right = np.linalg.svd((found - found.mean(axis=0)).T @ centred)
turned = (found - found.mean(axis=0)) @ left @ right * spread.sum() / (found.var(axis=0).sum() * 10)
figure, axis = plt.subplots(figsize=(6, 5), layout="constrained")
axis.plot(*centred.T, "o", color="#bbbbbb", ms=14, label="in mind")
axis.plot(*turned.T, "o", color="#0072b2", ms=10, label="from the answers")
for name, place in zip(names, turned, strict=True):
    axis.annotate(name, place, xytext=(8, 8), textcoords="offset points", fontsize=14)
axis.set(aspect="equal", xticks=[], yticks=[])
axis.legend(frameon=False)
plt.show()
