"""Small case bases."""

import numpy as np

from agents.cases.features import SIZE
from agents.cases.forest import LEAF, Forest
from agents.cases.metric import metric_of, points
from bridge_env.records.pbn import Board, write_boards
from training.cases import fit
from training.cases.states import read_states
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match


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
    rows = fit.described(states)
    metric = random_metric(1), random_metric(2)
    seen = np.concatenate([rows, points(metric, rows.astype(np.int16))], axis=1)
    forests = tuple(random_forest(seen[states.opened == kind], trees, kind) for kind in (False, True))
    return fit.assembled(states, rows, metric, forests, {})
