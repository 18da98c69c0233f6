"""Resolve spec strings to agents: the specs that this package adds to those of ``bridge_env.bidders.registry``.

==========================  ====================================================================================
spec                        agent
==========================  ====================================================================================
``system:NAME``             a shipped bidding system: ``system:sayc``
``system:FILE.bidding``     a bidding system in a file of yours. Either without some conventions:
                            ``system:sayc?without=splinter+support`` (``agents.systems.library.conventions``)
``reason:NAME``             the same systems, thinking: deals that fit the calls, each bid out; options:
                            ``reason:sayc?samples=64&looks=2`` (``agents.lookahead.options``)
``policy:NAME``             a network that comes with the package: ``policy:champion``
``policy:FILE``             a network that ``bridge-env train`` or ``bridge-env fit policy`` wrote; needs no torch. One
                            by a book may bid on other terms: ``policy:by-the-book?truth=16`` (``agents.networks.book``)
``policy:FILE.onnx``        any network from the env's observations to 38 outputs (``agents.outputs``)
``reason:policy:NAME``      the same networks, thinking
``cases:FILE``              a case base that ``bridge-env fit cases`` wrote: calls as the nearest recorded states
``som:FILE``                self-organizing maps that ``bridge-env fit maps`` wrote: calls as similar hands were called
``seat:URL``                another program over HTTP: ``seat:http://127.0.0.1:8085`` (``bridge_table.programs``)
``pair:SPEC,SPEC``          a partnership whose players differ: the first sits N or E, the second S or W
==========================  ====================================================================================
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.cases.bidder import CaseBidder, read_bidder
from agents.lookahead.call_models import NetworkCallModel, SystemCallModel
from agents.lookahead.game_lookahead import GameLookahead
from agents.lookahead.importance_sampling import Model
from agents.lookahead.lookahead import Lookahead
from agents.lookahead.options import Options
from agents.lookahead.player_models import AS_BEST, BY_SYSTEM, NOTHING, TRIVIAL, PlayerModel, trivial
from agents.maps.bidder import MapBidder, read_atlas
from agents.networks.bidder import NetworkBidder
from agents.networks.book import SystemGuided
from agents.networks.call_reader import CallReader, SeatReading
from agents.networks.inputs import LAYOUT
from agents.networks.network import Network
from agents.networks.shipped import GATEKEEPER, network_path, read_networks, role
from agents.options import read_options
from agents.outputs import SUFFIX, ObservationPolicy, OnnxPolicy
from agents.pair import PairBidder
from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.explain.explain import explain
from agents.systems.library.shipped import hierarchy_of
from bridge_env.bidders.registry import SpecError, full_spec, make
from bridge_env.bidders.view import BidView

_STRANGERS = ("two-over-one", "acol", "standard")  # by which strangers are read; no gatekeeper is among them
_BELIEVER = "champion"  # whose belief a system that thinks among strangers begins with
_NETWORK = Options(looks=5, caution=0.5)  # tuned on training boards
_SYSTEM = Options()  # tuned on training boards among strangers
_GAME = Options(candidates=6, caution=1.5, margin=0.2)
_THINKER = "a bidder that looks ahead"


def make_system(argument: str, *, partner: str | None = None, opponents: str | None = None) -> HierarchyBidder:
    """Make the bidder of ``system:ARGUMENT``. Specs of other seats that are no systems are read as this system."""
    theirs = seat_specs(opponents) if opponents else (None, None)
    own = hierarchy_of(argument)
    first, second = (system_of(spec) or own for spec in theirs)
    return HierarchyBidder(own, system_of(partner) or own, (first, second), explain)


def make_policy(
    argument: str, *, partner: str | None = None, opponents: str | None = None
) -> NetworkBidder | ObservationPolicy | OnnxPolicy:
    """Make the bidder of ``policy:NAME`` or ``policy:FILE``. It knows no systems: its weights say what calls mean."""
    path = network_path(argument)
    if path.suffix == SUFFIX:
        return OnnxPolicy(path)
    networks = read_networks(argument)
    if networks.inputs != LAYOUT:
        return ObservationPolicy(networks)
    explains = networks.belief is not None or networks.book is not None
    return NetworkBidder(networks, path, _explanation if explains else None)


def _explanation(bidder: NetworkBidder, view: BidView, key: NDArray[np.uint64]) -> str:
    """Return why a network that has a belief or a book calls so, by play-outs."""
    from agents.lookahead.explain import explain_by_book

    thinker = make_reason(f"policy:{bidder.path}")
    assert isinstance(thinker, Lookahead)
    if bidder.networks.book is not None:
        return explain_by_book(bidder, thinker, view, key)
    return thinker.explain(view, key, thinks=False)


def make_cases(argument: str, *, partner: str | None = None, opponents: str | None = None) -> CaseBidder:
    """Make the bidder of ``cases:FILE``. All calls are read by the system that the file names."""
    return read_bidder(argument)


def make_maps(argument: str, *, partner: str | None = None, opponents: str | None = None) -> MapBidder:
    """Make the bidder of ``som:FILE``. It reads partner's calls by the system in the file, opponents' by theirs."""
    return MapBidder(read_atlas(argument), opponents)


def make_reason(
    argument: str, *, partner: str | None = None, opponents: str | None = None
) -> Lookahead | GameLookahead:
    """Make the bidder of ``reason:SYSTEM?OPTIONS`` or ``reason:policy:NAME?OPTIONS``.

    Calls of two opponents that differ are read by the system of the first; their deals fit what either may play.
    """
    name, _, options = argument.partition("?")
    if name.startswith("policy:"):
        return _thinking_network(name, options, opponents)
    own = hierarchy_of(name)
    theirs = seat_specs(opponents)[0] if opponents else None
    mate, their_system = (_system_or_trivial(spec) or own for spec in (partner, theirs))
    reader = HierarchyBidder(own, mate, (their_system, their_system), explain)
    given = read_options(options, f"reason:{argument}", _SYSTEM if own.system.lines else _GAME, {}, _THINKER)
    if not own.system.lines:
        mates, others = _player_model(partner), _player_model(theirs)
        return GameLookahead(reader, (PlayerModel(AS_BEST), others, mates, others), given)
    hints = _mixture()
    models = _models(opponents or f"system:{name}", own, mate) or hints
    return Lookahead(SystemCallModel(reader, hints), default_belief(), models, given)


def _thinking_network(name: str, options: str, opponents: str | None) -> Lookahead:
    """Make a network that looks ahead; opponents are read by what they disclose, strangers by a mixture."""
    given = read_options(options, f"reason:{name}", _NETWORK, {}, _THINKER)
    own = make_policy(name.removeprefix("policy:"))
    belief = own.networks.belief if isinstance(own, NetworkBidder) else None
    if belief is None and isinstance(own, NetworkBidder) and own.networks.book is not None:
        belief = default_belief()  # to begin with: deals are weighed by the book's readers afterwards
    if not isinstance(own, NetworkBidder) or belief is None:
        raise SpecError(f"reason:{name}: this network has no belief; 'bridge-env fit belief' gives it one")
    known = _models(opponents) or [own.networks.player, *_mixture()]
    return Lookahead(NetworkCallModel(own), belief, known, given)


def _player_model(spec: str | None) -> PlayerModel:
    """Return how a player calls, for one without a system."""
    if spec in TRIVIAL:
        return TRIVIAL[spec]
    if spec is None:
        return PlayerModel(AS_BEST)
    system = system_of(spec)
    thinks = spec.startswith("reason:") and system is not None and not system.system.lines
    return PlayerModel(AS_BEST if thinks else NOTHING if system is None else BY_SYSTEM)


def _system_or_trivial(spec: str | None) -> Hierarchy | None:
    """Return a player's system, or for a trivial bidder one that calls as it does; None without one."""
    return trivial(spec) if spec in TRIVIAL else system_of(spec)


def _mixture() -> list[Network]:
    """Return the networks that model strangers."""
    return [read_networks(model).policy for model in _STRANGERS]


def _models(opponents: str | None, *ours: Hierarchy) -> list[Model]:
    """Return what the opponents play, reading us by the systems ``ours``, where they disclose it; else none."""
    out: list[Model] = []
    for spec in dict.fromkeys(seat_specs(opponents) if opponents else ()):
        network, system = _network_of(spec), _system_or_trivial(spec)
        if network is not None:
            out.append(network)
        elif system is not None:
            out.append(HierarchyBidder(system, system, (ours[0], ours[-1]) if ours else None))
        else:
            return []
    return out


def _network_of(spec: str) -> Network | SystemGuided | None:
    """Return a player's network, thinking or not; None for gatekeepers, which nobody may model."""
    head, _, argument = spec.removeprefix("reason:").partition(":")
    if head != "policy":
        return None
    bidder = make_policy(argument.partition("?")[0])
    if not isinstance(bidder, NetworkBidder) or role(bidder.networks) == GATEKEEPER:
        return None
    return bidder.networks.player


def default_belief() -> Network:
    """Return the belief for players without one of their own."""
    belief = read_networks(_BELIEVER).belief
    assert belief is not None
    return belief


def models_for(spec: str | None) -> list[Network | SystemGuided]:
    """Return the networks by which others read a player's calls: its own; of a stranger, those that model strangers.

    None for players whose calls show nothing, and for systems, which are read by what they say.
    """
    if spec is None or spec in TRIVIAL:
        return []
    network = _network_of(spec)
    if network is not None:
        return [network]
    return [*_mixture()] if system_of(spec) is None else []


def system_of(spec: str | None) -> Hierarchy | None:
    """Return a player's system, thinking or not, or the book of a network; None without one."""
    head, _, argument = full_spec(spec).partition(":") if isinstance(spec, str) else ("", "", "")
    if head not in ("system", "reason", "policy"):
        return None
    name = argument.partition("?")[0] if head == "reason" else argument
    if head == "policy" or name.startswith("policy:"):
        bidder = make_policy(name.removeprefix("policy:"))
        book = bidder.networks.book if isinstance(bidder, NetworkBidder) else None
        return None if book is None else book.hierarchy
    return hierarchy_of(name)


def seat_specs(spec: str) -> tuple[str, str]:
    """Return the specs of the two seats of a side."""
    if not spec.startswith("pair:"):
        return spec, spec
    parts = [part.strip() for part in spec.removeprefix("pair:").split(",")]
    if len(parts) != 2 or not all(parts) or any(part.startswith("pair:") for part in parts):
        raise SpecError(f"{spec!r}: a pair is two specs, as in pair:system:sayc,pass")
    return parts[0], parts[1]


def make_pair(argument: str, *, partner: str | None = None, opponents: str | None = None) -> PairBidder:
    """Make the bidder of ``pair:SPEC,SPEC``; each reads the other by the other's system."""
    first, second = seat_specs(f"pair:{argument}")
    return PairBidder(
        make(first, partner=second, opponents=opponents), make(second, partner=first, opponents=opponents)
    )


def without_search(spec: str) -> str:
    """Return the spec of the bidder that ``spec`` looks ahead with, for thousands of play-outs; others as they are."""
    if spec.startswith("pair:"):
        return "pair:" + ",".join(without_search(part) for part in seat_specs(spec))
    if not spec.startswith("reason:"):
        return spec
    plain = spec.removeprefix("reason:").partition("?")[0]
    return plain if plain.startswith("policy:") else f"system:{plain.removeprefix('system:')}"


def spec_at(north_south: str, east_west: str, seat: int) -> str:
    """Return the spec of one seat, 0..3."""
    return seat_specs(east_west if seat & 1 else north_south)[seat // 2]


def network_at(north_south: str, east_west: str, seat: int) -> NetworkBidder | None:
    """Return the network at a seat, also of one that looks ahead; None where there is none."""
    bidder = make(without_search(spec_at(north_south, east_west, seat)))
    return bidder if isinstance(bidder, NetworkBidder) else None


@lru_cache(maxsize=16)
def reader_of(north_south: str, east_west: str, draws: bool = True) -> CallReader:
    """Return the cached reader of two partnerships, by their specs; ``draws`` as for ``CallReader``."""
    specs = [spec_at(north_south, east_west, seat) for seat in range(4)]
    networks = [network_at(north_south, east_west, seat) for seat in range(4)]
    seats = [SeatReading(spec, system_of(spec), network) for spec, network in zip(specs, networks, strict=True)]
    return CallReader(seats, draws)
