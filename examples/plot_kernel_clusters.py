"""
Clusters without a map
======================

Two cities are alike if they answer alike: "is Oslo nearer to me than Rome?". The kernel k1 measures
just that, and everything that works with kernels follows: clusters, trees, maps.
"""

import matplotlib.pyplot as plt

import ordinate as od

plt.ion()  # figures show themselves, as they do in a notebook

cities = od.datasets.load_cities(n_comparisons=50_000, random_state=0)
k = od.K1().fit(cities.comparisons)

# %%
# Kernel k-means finds the parts of Europe. Cities are drawn where they lie, which the kernel never
# saw.

clusters = od.kernels.kernel_kmeans(k, 6, random_state=0)
od.plots.plot_map(cities.points, names=cities.names, labels=clusters)

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
# Kernel PCA makes a map, at once and without a start or a solver.

od.plots.plot_map(od.kernels.kernel_pca(k, 2), names=cities.names, labels=clusters)
