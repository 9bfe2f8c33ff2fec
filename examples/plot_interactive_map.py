"""
A map to explore
================

The same map on paper has room for some names. As a page it has room for all: search for a city,
zoom in until its name appears, point at it for its neighbours, colour by what you like.
"""

import ordinate as od

# sphinx_gallery_thumbnail_path = "_static/interactive-map.png"

cities = od.datasets.load_cities(n_comparisons=50_000, random_state=0)
model = od.TETE(n_components=2, random_state=0).fit(cities.comparisons)
clusters = od.kernels.kernel_kmeans(od.K1().fit(cities.comparisons), 6, random_state=0)

# %%
# Columns are classes, as the countries here, or numbers. In a notebook the map shows itself;
# ``save("map.html")`` writes one file of some 70 kB that opens without a network. On the
# command line it is ``ordinate embed answers.csv --plot map.html``.

od.plots.plot_interactive_map(
    od.metrics.procrustes_align(model.embedding_, cities.points),
    cities.names,
    {
        "cluster": clusters,
        "country": cities.attributes["country"],
        "latitude": cities.attributes["latitude"],
    },
    color="cluster",
    title="Cities of Europe, from comparisons",
)
