"""Small networks of random weights, and views to ask them about."""

from itertools import pairwise

import numpy as np
from support.positions import positions

from agents.networks import belief
from agents.networks.book import BOOK_INPUTS, BOOK_ON, Terms
from agents.networks.file import Networks, book_of
from agents.networks.inputs import MOST_ON, NUM_INPUTS
from agents.networks.network import quantized
from agents.outputs import ObservationPolicy
from bridge_env.bidders.observation import LAYOUT, OBSERVATION_SIZE
from bridge_env.bidders.view import view_of
from bridge_env.rules.calls import NUM_CALLS


def random_layers(seed=1, widths=(48, 24), spread=1.0, outputs=NUM_CALLS, inputs=NUM_INPUTS):
    rng = np.random.default_rng(seed)
    sizes = [inputs, *widths, outputs]
    return [(rng.normal(0, spread / 45**0.5, (a, b)), rng.normal(0, 0.1, b)) for a, b in pairwise(sizes)]


def random_networks(seed=1, **options):
    return Networks(quantized(random_layers(seed, **options), MOST_ON), None, {"by": "nobody"})


def observation_policy(seed=1, **options):
    """A policy over the env's observations, with random weights."""
    layers = random_layers(seed, inputs=OBSERVATION_SIZE, **options)
    return ObservationPolicy(Networks(quantized(layers, MOST_ON), trained={"by": "nobody"}, inputs=LAYOUT))


def views(count, seed):
    auctions, owner, key = positions(count, seed)
    return view_of(auctions, owner), key


def by_book(seed=1, terms=None, system="sayc"):
    """A network of random weights that bids by a system."""
    layers = random_layers(seed)
    first = np.zeros((BOOK_INPUTS, layers[0][0].shape[1]))
    first[:NUM_INPUTS] = layers[0][0]
    first[NUM_INPUTS:] = np.random.default_rng(seed).normal(0, 0.1, first[NUM_INPUTS:].shape)
    policy = quantized([(first, layers[0][1]), *layers[1:]], MOST_ON + BOOK_ON)
    return Networks(policy, None, {"by": "nobody"}, book_of(system), terms or Terms(2.0, 4.0))


def with_belief(seed=1):
    networks = random_networks(seed)
    return Networks(networks.policy, quantized(random_layers(seed + 1, (16,), outputs=belief.OUTPUTS), MOST_ON))
