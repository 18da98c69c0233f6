"""Measure the same work by other packages, if they are installed (the extra ``bench``)."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from training.bench.measures import Rate, rate


def missing() -> list[str]:
    """Return the peers that are not installed."""
    peers = {"pgx": "pgx", "OpenSpiel": "pyspiel", "endplay": "endplay"}
    return [name for name, module in peers.items() if find_spec(module) is None]


def pgx(batch: int, repetitions: int) -> Rate:
    """Return steps a second of pgx: observation, mask, reset with new deals, rewards from its table of results.

    Its own table must be downloaded; a small one of the same form, with random tricks, takes its place.
    """
    import jax
    import jax.numpy as jnp
    from pgx.bridge_bidding import BridgeBidding

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.npy"
        table = np.random.default_rng(1).integers(0, 2**20, (2, 1000, 4)).astype(np.int32)
        np.save(path, table)
        env = BridgeBidding(str(path))

    from pgx.experimental import auto_reset

    step = auto_reset(env.step, env.init)
    many = 20

    def one(carry: Any, key: Any) -> Any:
        state, total = carry
        choose, deal = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(choose, logits, axis=-1)
        state = jax.vmap(step)(state, action, jax.random.split(deal, batch))
        return (state, total + state.rewards.sum() + state.observation.sum()), None

    run = jax.jit(lambda carry, key: jax.lax.scan(one, carry, jax.random.split(key, many))[0])
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch))
    carry, number = (state, jnp.float32(0)), 0

    def work() -> int:
        nonlocal carry, number
        number += 1
        carry = jax.block_until_ready(run(carry, jax.random.PRNGKey(number)))
        return many * batch

    remark = "20 steps in one jitted scan, all cores; observations stay on the device"
    return rate(f"pgx, batch {batch:,}", "steps/s", work, repetitions, remark)


def open_spiel(repetitions: int) -> Rate:
    """Return steps a second of OpenSpiel from Python: one game, observation tensor, no double dummy, so no rewards."""
    import pyspiel

    game = pyspiel.load_game("bridge(use_double_dummy_result=false)")
    chance = np.random.default_rng(1)

    def work() -> int:
        state = game.new_initial_state()
        for card in chance.permutation(52):
            state.apply_action(int(card))
        steps = 0
        while not state.is_terminal() and state.current_phase() == 1:
            legal = state.legal_actions()
            state.observation_tensor()
            state.apply_action(legal[int(chance.random() * len(legal))])
            steps += 1
        return steps

    return rate("OpenSpiel, one game", "steps/s", work, repetitions, "observation, no rewards; dealing is a part of it")


def endplay_loops(repetitions: int) -> list[Rate]:
    """Return tables and contracts a second of endplay's plain loop."""
    from endplay.dds import calc_dd_table, solve_board
    from endplay.types import Deal, Denom, Player

    from bridge_env.hands.deals import deal_text, random_deals

    fresh = count(0, 1000)
    denoms = [Denom.clubs, Denom.diamonds, Denom.hearts, Denom.spades, Denom.nt]
    players = [Player.north, Player.east, Player.south, Player.west]

    def tables() -> int:
        for owner in random_deals(990_003, next(fresh), 5):
            calc_dd_table(Deal(deal_text(owner)))
        return 5

    def contracts() -> int:
        for i, owner in enumerate(random_deals(990_004, next(fresh), 20)):
            deal = Deal(deal_text(owner))
            deal.trump, deal.first = denoms[(3 * i) % 5], players[(i + 1) % 4]
            max(tricks for _, tricks in solve_board(deal))
        return 20

    return [
        rate("endplay, calc_dd_table in a loop", "tables/s", tables, repetitions, "DDS as endplay sets it up"),
        rate("endplay, solve_board in a loop", "contracts/s", contracts, repetitions, "all cards of the lead"),
    ]
