"""
Clusters without a map
======================

Two cities are similar if they answer questions such as "is Oslo nearer to me than Rome?" alike. The
kernel k1 measures that, and kernel methods do the rest: clusters, trees, maps.
"""

import matplotlib.pyplot as plt

import ordinate as od

plt.ion()  # figures show themselves, as they do in a notebook

cities = od.datasets.load_cities(n_comparisons=50_000, random_state=0)
k = od.K1().fit(cities.comparisons)

# %%
# Kernel k-means finds regions of Europe. Cities are drawn at their true positions, which the kernel
# does not know.

clusters = od.kernels.kernel_kmeans(k, 6, random_state=0)
_, ax = plt.subplots(figsize=(6, 5.5), layout="constrained")
od.plots.plot_map(cities.points, labels=clusters, ax=ax)

# %%
# The most typical city of each cluster:

for cluster in range(6):
    members = (clusters == cluster).nonzero()[0]
    print(cluster, cities.names[od.kernels.kernel_medoid(k, members)], f"({len(members)} cities)")

# %%
# Complete linkage joins the most similar cities first.

tree = od.kernels.kernel_linkage(k)
od.plots.plot_dendrogram(tree, cities.names, n_clusters=6)

# %%
# Kernel PCA makes a map without a start or a solver.

od.plots.plot_map(od.kernels.kernel_pca(k, 2), names=cities.names, labels=clusters)
