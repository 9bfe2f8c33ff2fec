"""Write who the ten nearest of 125 cities are, and nothing about where they lie: neighbors.csv."""

import csv

import ordinate as od

cities = od.datasets.load_cities()
graph = od.NeighborGraph.from_points(cities.points, 10, names=cities.names)

with open("neighbors.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["city", "neighbor"])
    for city, neighbors in enumerate(graph.indices.reshape(-1, 10)):
        table.writerows((cities.names[city], cities.names[other]) for other in neighbors)
