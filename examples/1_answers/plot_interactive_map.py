"""
A map to explore
================

A printed map has room for some names, an interactive page for all: search for a city, zoom in,
point at it to see its neighbours, and colour by any column.
"""

import ordinate as od

# sphinx_gallery_thumbnail_path = "_static/interactive-map.png"

cities = od.datasets.load_cities(n_comparisons=50_000, random_state=0)
model = od.TETE(n_components=2, random_state=0).fit(cities.comparisons)
clusters = od.kernels.kernel_kmeans(od.K1().fit(cities.comparisons), 6, random_state=0)

# %%
# Columns hold classes, such as the countries here, or numbers. In a notebook the map is displayed;
# ``save("map.html")`` writes one file of about 70 kB that opens offline. On the command line, use
# ``ordinate embed answers.csv --plot map.html``.

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
