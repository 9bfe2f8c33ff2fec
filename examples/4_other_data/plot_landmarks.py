"""
Clusters from landmark questions
================================

If you may choose the questions, ask all of them about a few landmarks. The kernel k1 then clusters
the objects without fitting any map.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
groups = np.repeat(np.arange(4), 40)
centres = np.array([(0, 0), (5, 0), (0, 5), (5, 5)])
points = centres[groups] + rng.standard_normal((160, 2))

# %%
# Ten landmarks, and every question "are you nearer to this landmark or to that one?"

landmarks = od.sources.choose_landmarks(10, n_objects=160, random_state=0)
questions = od.sources.landmark_questions(160, landmarks)
answers = od.sources.answer_questions(questions, points)
clusters = od.kernels.kernel_kmeans(od.K1(landmarks=landmarks).fit(answers), 4, random_state=0)
print(f"{len(answers)} answers, purity {od.metrics.purity(groups, clusters):.2f}")

# %%

fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.scatter(*points.T, c=clusters, cmap="tab10", s=35)
ax.scatter(*points[landmarks].T, s=160, facecolor="none", edgecolor="black", label="landmarks")
ax.set_aspect("equal")
ax.axis("off")
ax.legend(frameon=False)
plt.show()
