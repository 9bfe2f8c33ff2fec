"""OENN of the evaluation: a network from the digits of an object's number to its coordinates."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import ordinate as od

WIDTH, DEPTH = 120, 3
EPOCHS, BATCH, RATE = 200, 10_000, 0.005


def oenn(train: od.Comparisons, d: int, seed: int, device: str = "cpu") -> np.ndarray:
    """Train with the triplet margin loss in batches (torch); return the coordinates of all."""
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    n = train.n_objects
    digits = max(1, int(np.ceil(np.log2(n))))
    codes = torch.tensor(np.arange(n)[:, None] >> np.arange(digits) & 1, dtype=torch.float32)
    codes = codes.to(device)
    sizes = [digits, *[WIDTH] * DEPTH]
    layers = [
        layer for a, b in pairwise(sizes) for layer in (torch.nn.Linear(a, b), torch.nn.ReLU())
    ]
    network = torch.nn.Sequential(*layers, torch.nn.Linear(WIDTH, d)).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE, amsgrad=True)
    loss_of = torch.nn.TripletMarginLoss(margin=1.0)
    rows = torch.tensor(train.rows, dtype=torch.int64, device=device)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(rows), device=device).split(BATCH):
            places = network(codes)  # of each object once, however many triplets name it
            loss = loss_of(*(places[rows[batch, column]] for column in range(3)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return network(codes).double().cpu().numpy()
