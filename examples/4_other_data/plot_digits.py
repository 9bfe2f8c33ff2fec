"""
A map of images, in place of t-SNE
==================================

``WeightedTETE`` is a scikit-learn transformer. It reduces 1,797 scanned digits of 64 pixels to two
dimensions, and places new rows, too.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import ordinate as od

X, digit = load_digits(return_X_y=True)
model = od.WeightedTETE(random_state=0).fit(X)

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
points = ax.scatter(*model.embedding_.T, c=digit, cmap="tab10", s=9)
ax.legend(*points.legend_elements(), frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
ax.set_aspect("equal")
ax.axis("off")
plt.show()
