"""Small networks, cases, maps and leagues, and a cluster of this process."""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import torch
from support.bidders import positions

from agents.cases.features import SIZE, metric_of, points
from agents.cases.forest import LEAF, Forest
from agents.networks import belief
from agents.networks.book import BOOK_INPUTS, BOOK_ON, Terms
from agents.networks.file import Networks, book_of
from agents.networks.inputs import MOST_ON, NUM_INPUTS
from agents.networks.network import TOP, UNIT, quantized
from agents.outputs import ObservationPolicy
from bridge_env.bidders.observation import LAYOUT, OBSERVATION_SIZE
from bridge_env.bidders.view import view_of
from bridge_env.records.pbn import Board, write_boards
from bridge_env.rules.calls import NUM_CALLS
from training.cases import fit as case_fit
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match
from training.evaluation.recorded_calls import read_states
from training.league.league import League
from training.maps import fit as map_fit


class Here:
    """Run tasks when their result is needed, or at once (``eager``)."""

    def __init__(self, eager=False, workers=1):
        self.eager, self.workers = eager, workers

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def put(self, value):
        return value

    def map(self, function, tasks):
        return ((number, function(*task)) for number, task in enumerate(tasks))

    def submit(self, function, *task):
        if self.eager:
            done = function(*task)
            return lambda: done
        return lambda: function(*task)

    def ready(self, reference):
        return self.eager

    def result(self, reference):
        return reference()


def random_layers(seed=1, widths=(48, 24), spread=1.0, outputs=NUM_CALLS, inputs=NUM_INPUTS):
    rng = np.random.default_rng(seed)
    sizes = [inputs, *widths, outputs]
    return [(rng.normal(0, spread / 45**0.5, (a, b)), rng.normal(0, 0.1, b)) for a, b in pairwise(sizes)]


def random_networks(seed=1, **options):
    return Networks(quantized(random_layers(seed, **options), MOST_ON), None, {"by": "nobody"})


def outputs_of_integers(network, signal):
    """The outputs for inputs (..., n) by sums in integers of 64 bits, which cannot round."""
    signal = np.asarray(signal, np.int64)
    for layer in network.layers[:-1]:
        total = signal @ layer.weight.astype(np.int64) + layer.bias
        signal = np.clip(np.rint(total * (layer.scale / UNIT)), 0, TOP).astype(np.int64)
    last = network.layers[-1]
    return (signal @ last.weight.astype(np.int64) + last.bias) * last.scale


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


def record(folder, count=60, training=0):
    """A PBN file of boards of the judging part as ``system:sayc`` bids them, and of so many of the training part."""
    written = []
    for boards in (library_boards(count, 4, "judging"), library_boards(training, 4, "training")):
        history = match("system:sayc", "system:sayc", boards, 4).tables[0].history if len(boards) else ()
        for i, row in enumerate(history):
            calls = tuple(int(c) for c in row if c >= 0)
            written.append(Board(boards.owner[i], int(boards.dealer[i]), int(boards.vulnerability[i]), i + 1, calls))
    path = folder / "sayc.pbn"
    write_boards(path, written)
    return path


def random_metric(seed, dimensions=6):
    rng = np.random.default_rng(seed)
    shapes = ((SIZE, 16), (16, dimensions))
    layers = [(rng.normal(0, 0.05, shape), rng.normal(0, 0.05, shape[1])) for shape in shapes]
    return metric_of([layers], SIZE)[0]


def random_forest(seen, trees, seed):
    """Trees that ask about numbers drawn by chance, to leaves of at most four states."""
    rng = np.random.default_rng(seed)
    roots, nodes = [0], []

    def grow(rows, leaves):
        columns = rng.permutation(seen.shape[1])
        column = next((c for c in columns if np.ptp(seen[rows, c])), None) if len(rows) > 4 else None
        if column is None:
            nodes.append([LEAF, 0, leaves])
            return leaves + 1
        most = int(rng.integers(seen[rows, column].min(), seen[rows, column].max()))
        nodes.append([column, most, 0])
        at = len(nodes) - 1
        leaves = grow(rows[seen[rows, column] <= most], leaves)
        nodes[at][2] = len(nodes)
        return grow(rows[seen[rows, column] > most], leaves)

    for _ in range(trees):
        grow(np.arange(len(seen)), 0)
        roots.append(len(nodes))
    feature, threshold, go = np.array(nodes).T
    return Forest(np.array(roots, np.int32), feature.astype(np.int16), threshold.astype(np.int16), go.astype(np.int32))


def small_base(folder, trees=12):
    """A base of sixty boards whose metric and forests are random."""
    states = read_states([record(folder)])
    rows = case_fit.described(states)
    metric = random_metric(1), random_metric(2)
    seen = np.concatenate([rows, points(metric, rows.astype(np.int16))], axis=1)
    forests = tuple(random_forest(seen[states.opened == kind], trees, kind) for kind in (False, True))
    return case_fit.assembled(states, rows, metric, forests, {})


CONFIG = map_fit.MapsConfig(boards=40, rounds=0, side=8, hands=6, match_boards=20)


@lru_cache(maxsize=2)
def small_atlas(inputs="published"):
    """Maps of what ``system:sayc`` calls on fifty boards."""
    return map_fit.from_system(replace(CONFIG, inputs=inputs))


def run_league(folder, config, start=None, stop=lambda: False, eager=False):
    folder.mkdir(exist_ok=True)
    league = League(folder, config, start)
    league.load()
    for _ in league.run(Here(eager), stop, lambda *_: None):
        pass
    return league


def same(a, b):
    one, other = a.learner.state(), b.learner.state()
    for name in ("policy", "critic", "average"):
        torch.testing.assert_close(one[name], other[name], rtol=0, atol=0)
    for name in ("policy_adam", "critic_adam"):
        torch.testing.assert_close(one[name]["state"], other[name]["state"], rtol=0, atol=0)
