"""
A colour wheel from odd-one-out answers
=======================================

Show people three colours and ask which is the odd one out. Each answer says that the other two are
nearer to each other. That is enough to recover the colour wheel.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
wheel = np.column_stack([np.cos(angle), np.sin(angle)])

# %%
# Simulate 1,500 trials: a noisy observer removes the colour farthest from the other two.

shown = np.array([rng.permutation(24)[:3] for _ in range(1500)])
seen = wheel[shown] + 0.15 * rng.standard_normal((1500, 3, 2))
others = [np.linalg.norm(seen[:, (i + 1) % 3] - seen[:, (i + 2) % 3], axis=1) for i in range(3)]
odd = shown[np.arange(1500), np.argmin(others, axis=0)]
answers = od.sources.from_odd_one_out(shown, odd)
print(answers)

# %%
# Fit a map. Position, orientation and mirror image are arbitrary; the circle is not.

model = od.STE(n_components=2, random_state=0).fit(answers)
fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.scatter(*model.embedding_.T, c=plt.cm.hsv(np.arange(24) / 24), s=220)
ax.set_aspect("equal")
ax.axis("off")
plt.show()
