"""The trick estimator as its description reads, one deal, strain and declarer at a time, in float64."""

from __future__ import annotations

import numpy as np


def layer(weights, name, signal):
    """``signal`` [seat][inputs] to [seat][outputs]: each seat hears the others by how far round the table they are."""
    p0, p1, q0, q1 = weights[name].astype(float)
    # P and Q are half the sums and differences of what goes to opposite seats: W0 = P0 + Q0, W2 = P0 - Q0 ...
    to = [p0 + q0, p1 + q1, p0 - q0, p1 - q1]
    out = []
    for seat in range(4):
        heard = sum(signal[other] @ to[(seat - other) % 4] for other in range(4))
        out.append(heard + weights[name + "_bias"].astype(float))
    return np.array(out)


def relu(signal):
    return np.maximum(signal, 0)


def encode(weights, role, depth, owner, suit):
    """Channels [seat][width] of one suit."""
    cards = np.array([[float(owner[suit * 13 + rank] == seat) for rank in range(13)] for seat in range(4)])
    signal = relu(layer(weights, f"{role}_0", cards))
    for number in range(1, depth - 1):
        signal = signal + relu(layer(weights, f"{role}_{number}", signal))
    return layer(weights, f"{role}_{depth - 1}", signal)


def distribution(weights, depth, blocks, owner):
    """Chances [declarer, strain, tricks] of one deal."""
    out = np.zeros((4, 5, 14))
    for strain in range(5):
        roles = ["notrump" if strain == 4 else "trump" if suit == strain else "side" for suit in range(4)]
        signal = relu(sum(encode(weights, role, depth, owner, suit) for suit, role in enumerate(roles)))
        for number in range(blocks):
            signal = signal + relu(layer(weights, f"block_{number}", signal))
        outputs = layer(weights, "read", signal)
        for declarer in range(4):
            likely = np.exp(outputs[declarer] - outputs[declarer].max())
            out[declarer, strain] = likely / likely.sum()
    return out
