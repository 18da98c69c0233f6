"""Learn to bid by self-play, in one file: PPO with GAE for all four seats, a pool of earlier selves, the verdict.

Needs the extra ``train``: pip install -e ".[train]" -c constraints.txt. Name the file to write and the hours to learn:

    python examples/selfplay_in_one_file.py mine.npz --hours 0.33
    bridge-env match policy:mine.npz system:sayc

One network calls at all seats and sees what a player sees. It imitates a system first (or nothing: ``--teacher
nothing``), then plays against itself. At some tables one side is an earlier self. The critic, for training only, sees
all hands. Training never meets the deals of the verdict, nor the gatekeepers.
"""

import argparse
import copy
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

import agents
from agents.networks.file import Networks, save
from agents.networks.inputs import MOST_ON, NUM_INPUTS, inputs_of, stack_rows, take_rows
from agents.networks.network import quantized
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rules.auction import Auctions
from bridge_env.rules.par import par
from bridge_env.rules.scoring import imps, score
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match
from training.evaluation.panel import gatekeepers, panel

IMPS = 6.0  # rewards and values are in units of this many IMPs
ALL_HANDS = 4 * 52 + 4 * 5 * 7 + 1  # more inputs of the critic: cards, makeable contracts, what this one is worth


@dataclass
class Setting:
    """The dials of a run."""

    hours: float = 0.33
    cores: int = 2
    teacher: str = "system:sayc"  # imitated first; or "nothing"
    lessons: float = 0.1  # the share of the time for that
    tables: int = 2048  # for each core
    steps: int = 24  # calls at each table between updates
    batch: int = 4096  # calls in each gradient step
    width: int = 256  # of the two hidden layers
    rate: float = 1e-3  # the first learning rate; it falls to a twentieth
    entropy: float = 0.005  # the weight of the entropy bonus; it falls as the rate does
    trace: float = 0.8  # lambda of GAE
    average: float = 0.99  # of the weights that play the verdict
    earlier: float = 0.2  # the share of tables with an earlier self on one side
    obvious: float = 0.1  # the share to learn from of the calls whose chance is 1
    every: float = 120.0  # seconds between points of the curve, each a new self for the pool
    boards: int = 10_000  # of the verdict
    seed: int = 1


class Network(nn.Module):
    """Two hidden layers over inputs that are 0 or 1, given as the numbers of those that are on."""

    def __init__(self, outputs, width, more=0):
        super().__init__()
        self.first = nn.EmbeddingBag(NUM_INPUTS, width, mode="sum")  # a dense layer would mostly multiply by zero
        self.bias, self.more = nn.Parameter(torch.zeros(width)), nn.Linear(more, width, bias=False) if more else None
        self.second, self.last = nn.Linear(width, width), nn.Linear(width, outputs)
        for layer, scale in (self.first, 0.2), (self.second, (2 / width) ** 0.5), (self.last, 0.1 / width**0.5):
            nn.init.normal_(layer.weight, std=scale)

    def forward(self, rows, more=None):
        numbers, starts = (torch.from_numpy(part.astype(np.int64)) for part in rows)
        hidden = self.first(numbers, starts[:-1]) + self.bias
        if more is not None:
            hidden = hidden + self.more(more.float())
        hidden = self.second(nn.functional.hardtanh(hidden, 0, 8))  # the range that the files of networks have
        return self.last(nn.functional.hardtanh(hidden, 0, 8))

    def export(self, path, seconds):
        """Write the file that ``policy:PATH`` plays, in whole numbers."""
        pairs = (self.first.weight, self.bias), *((layer.weight.T, layer.bias) for layer in (self.second, self.last))
        layers = [(weight.detach().numpy(), bias.detach().numpy()) for weight, bias in pairs]
        save(Networks(quantized(layers, MOST_ON), trained={"by": "selfplay_in_one_file", "seconds": seconds}), path)


class Tables:
    """The tables of one core, which play on from rollout to rollout."""

    def __init__(self, setting, number):
        self.setting, self.random = setting, torch.Generator().manual_seed(setting.seed + number)
        self.env = BiddingVectorEnv(setting.tables, learner="all", autoreset_mode="SameStep")
        self.info = self.env.reset(seed=setting.seed + number)[1]
        self.teacher = None if setting.teacher == "nothing" else agents.make(setting.teacher)
        # Where an earlier self has North-South (0) or East-West (1), and where nothing (-1).
        rows = np.arange(setting.tables)
        self.other = np.where(rows < setting.earlier * setting.tables, rows % 2, -1)

    @torch.no_grad()
    def play(self, policy, critic, earlier, lesson):
        """Play some calls at every table, in a lesson most of them the teacher's; return all to learn from."""
        steps = []
        for _ in range(self.setting.steps):
            now = self.look(critic)
            output, theirs = policy(now["rows"]), np.flatnonzero(self.info["seat"] % 2 == self.other)
            output[theirs] = earlier(take_rows(now["rows"], theirs))
            chances = torch.softmax(output.masked_fill(~now["mask"], -torch.inf), 1)
            call = (chances / torch.empty_like(chances).exponential_(generator=self.random)).argmax(1)
            if lesson:
                calls = self.teacher.bid(self.env.view(), np.zeros(len(call), np.uint64))
                now["lesson"] = torch.from_numpy(calls.astype(np.int64))
                call = torch.where(torch.rand(len(call), generator=self.random) < 0.1, call, now["lesson"])
            _, _, over, _, self.info = self.env.step(call.numpy())
            now["call"], now["chance"] = call, chances.gather(1, call[:, None])[:, 0]
            now["mine"] = torch.ones(len(call)).index_fill_(0, torch.from_numpy(theirs), 0)
            now["reward"] = torch.from_numpy(self.info["seat_rewards"][:, 0] / IMPS)  # North-South's, as ``value`` is
            now["over"] = torch.from_numpy(over)
            steps.append(now)
        rows = stack_rows([step.pop("rows") for step in steps])
        data = {name: torch.stack([step[name] for step in steps]) for name in steps[0]}
        data["advantage"] = advantages(data, self.look(critic)["value"], self.setting.trace)
        return {name: array.flatten(0, 1) for name, array in data.items()} | {"rows": rows}

    def look(self, critic):
        """Return what the seats to call see, and what the critic expects: for them, and for North-South."""
        view, deals, seat = self.env.view(), self.env.deals(), self.info["seat"].astype(np.int64)
        # What North-South get if all pass now: the critic learns what is still to come.
        bid, doubling, declarer = Auctions.replay(view.history, view.dealer, view.vulnerability).contracts()
        tricks = deals.tricks[np.arange(len(bid)), declarer, bid % 5]
        points = score(bid, doubling, declarer, view.vulnerability, tricks).astype(int)
        worth = imps(points - par(deals.tricks, view.dealer, view.vulnerability)).astype(np.float32)
        # Seats are relative to the one to call.
        around, sign = (seat[:, None] + np.arange(4)) & 3, np.float32(1) - 2 * (seat & 1)
        cards = deals.owner[:, None] == around[:, :, None]
        makes = np.take_along_axis(deals.tricks, around[:, :, None], axis=1)[:, :, :, None] > np.arange(6, 13)
        parts = cards.reshape(-1, 4 * 52), makes.reshape(-1, 4 * 5 * 7), (worth * sign)[:, None]
        rows, more = inputs_of(view), torch.from_numpy(np.concatenate(parts, axis=1, dtype=np.int8, casting="unsafe"))
        expected, sign = critic(rows, more)[:, 0], torch.from_numpy(sign)
        value, mask = torch.from_numpy(worth) / IMPS + sign * expected, torch.from_numpy(view.mask)
        return {"rows": rows, "mask": mask, "more": more, "expected": expected, "value": value, "sign": sign}


def advantages(data, last, trace):
    """Return GAE for the seat that called. It goes from call to call, whoever makes it: the critic sees all hands."""
    gain, out = torch.zeros_like(last), torch.empty_like(data["value"])
    for t in reversed(range(len(out))):
        on = (~data["over"][t]).float()
        gain = data["reward"][t] + on * (last + trace * gain) - data["value"][t]
        out[t], last = gain, data["value"][t]
    return out * data["sign"]


class Learner:
    """The networks and what they learn by."""

    def __init__(self, setting):
        self.setting = setting
        self.policy, self.critic = Network(38, setting.width), Network(1, setting.width, ALL_HANDS)
        # One that climbs to the seven level on every deal would learn slowly: it begins with low bids.
        self.policy.last.bias.data[:] = torch.cat([torch.tensor([0.0, -2.0, -2.0]), -0.2 * torch.arange(35)])
        self.average = copy.deepcopy(self.policy)
        self.adams = [torch.optim.Adam(net.parameters(), setting.rate, eps=1e-6) for net in (self.policy, self.critic)]

    def learn_policy(self, data, share):
        """Pass over the data once, by PPO or, in a lesson, by imitation."""
        setting, left = self.setting, 1 - 0.95 * share
        self.adams[0].param_groups[0]["lr"] = setting.rate * left
        for rows, weight in self.batches(data):
            output = self.policy(take_rows(data["rows"], rows.numpy())).masked_fill(~data["mask"][rows], -1e9)
            logs, gain = torch.log_softmax(output, 1), data["advantage"][rows]
            if "lesson" in data:
                aim = logs.gather(1, data["lesson"][rows][:, None])[:, 0]
            else:
                ratio = logs.gather(1, data["call"][rows][:, None])[:, 0].exp() / data["chance"][rows]
                aim = torch.minimum(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
                aim = aim - setting.entropy * left * (logs.exp() * logs.clamp_min(-30)).sum(1)
            self.step(self.policy, self.adams[0], -(weight * aim).mean())
            for slow, fast in zip(self.average.parameters(), self.policy.parameters(), strict=True):
                slow.data.lerp_(fast.data, 1 - setting.average)

    def learn_critic(self, data):
        """Pass over the data once."""
        target = data["expected"] + data["advantage"]
        for rows, weight in self.batches(data):
            expected = self.critic(take_rows(data["rows"], rows.numpy()), data["more"][rows])[:, 0]
            self.step(self.critic, self.adams[1], (weight * (expected - target[rows]).square()).mean())

    def batches(self, data):
        """Return the calls of each gradient step and their weights. Most of the obvious calls are left out."""
        share = (self.setting.obvious + 3 * (1 - data["chance"])).clamp_max(1) * data["mine"]
        rows = torch.nonzero(torch.rand(len(share)) < share)[:, 0]
        rows = rows[torch.randperm(len(rows))]
        weights = (1 / share[rows]) / (1 / share[rows]).mean()
        return zip(rows.split(self.setting.batch), weights.split(self.setting.batch), strict=True)

    def step(self, network, adam, loss):
        """Follow the gradient of a loss."""
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        adam.step()


def train(path, setting):
    """Learn for some hours, and write the network to ``path`` at each point of the curve, on training boards."""
    torch.set_num_threads(1)
    torch.manual_seed(setting.seed)
    learner, tables = Learner(setting), [Tables(setting, number) for number in range(setting.cores)]
    selves, curve = [copy.deepcopy(learner.policy)], library_boards(2000, 1, "training")
    began, calls, due, share = time.perf_counter(), 0, 0.0, 0.0
    with ThreadPoolExecutor(setting.cores) as threads:
        while share < 1:
            earlier = selves[int(torch.randint(len(selves), ()))]
            lesson = setting.teacher != "nothing" and share < setting.lessons
            rollouts = [threads.submit(t.play, learner.policy, learner.critic, earlier, lesson) for t in tables]
            parts = [rollout.result() for rollout in rollouts]
            data = {name: torch.cat([part[name] for part in parts]) for name in parts[0] if name != "rows"}
            data["rows"] = stack_rows([part["rows"] for part in parts])
            for job in threads.submit(learner.learn_policy, data, share), threads.submit(learner.learn_critic, data):
                job.result()
            calls, seconds = calls + len(data["call"]), time.perf_counter() - began
            share = min(seconds / 3600 / setting.hours, 1)
            if seconds > due or share == 1:
                learner.average.export(path, round(seconds))
                selves.append(copy.deepcopy(learner.average))
                means = [match(f"policy:{path}", them, curve).mean_imps for them in ("pass", "system:sayc")]
                results = f"pass {means[0]:+.2f}, sayc {means[1]:+.2f}"
                print(f"{seconds / 60:.1f} minutes, {calls:,} calls: {results}", flush=True)
                due = time.perf_counter() - began + setting.every


def main(path, setting):
    """Train, and return the verdict: matches on boards and against bidders that training never met."""
    train(path, setting)
    return panel(f"policy:{path}", ["pass", "system:sayc", *gatekeepers()], setting.boards)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="of the network, such as mine.npz")
    for name, value in vars(Setting()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value, help=f"({value})")
    words = vars(parser.parse_args())
    print(main(words.pop("path"), Setting(**words)))
