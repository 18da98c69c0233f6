"""Evaluate on the cluster: trials of proposals, and the rules, answers and steps that play-outs find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.audit import audit_regressions, outdated_answers
from agents.systems.changes.edits import Insert, SetCards
from agents.systems.changes.mutation import SeededRandom
from training.evaluation.boards import mean_and_error
from training.evaluation.partnership_match import BoardRange, Partnership, Rival, duel
from training.evolution import proposals
from training.evolution.proposals import AMENDMENT, BOTH, CARDS, TUNING, Proposal, TrialResult
from training.evolution.refine import tasks
from training.evolution.refine.induce import Rule
from training.evolution.refine.line_steps import step_edits, step_gains_task, sum_gains
from training.evolution.scorecards.blocks import blocks_of
from training.evolution.scorecards.positions import collect, joined
from training.runtime.cluster import Cluster
from training.runtime.runs import Progress

TRAINING = "training"  # the split: a run never touches the judging boards before its verdict
CONTEXTS_ONE_IN = 4  # for so many positions one kind of auction is refined that has no place in the tree
FEWEST_DECISIONS = 100  # at a position, in all duels of a study
MOST_DECISIONS = 600  # labelled at a position and table, in each task: 0.05 ms each
# Steps of lines are tried that gain by so many standard errors in play-outs, over so many decisions.
STEP_ERRORS, FEWEST_STEP, MOST_STEPS = 2.0, 8, 64
FEWEST_DEPARTURES = 30  # of a player at a position, where its judgement labels
PREFERRED = 0.6  # share of the decisions changed by a step in which that player must prefer the new call
CARD_TERMS = 180  # of all scorecards that are fitted at once
TASKS_A_WORKER = 4  # that proposals are tried in
FEWEST_BOARDS, FEWEST_CANDIDATES = 1024, 4  # in such a task


@dataclass(frozen=True)
class ClusterEvaluator:
    """Evaluate partnerships against a league in tasks of a cluster; no result depends on how the tasks are cut."""

    cluster: Cluster
    league: tuple[Rival, ...]  # the control pair first
    seed: int
    progress: Progress
    label: str = ""  # before each report

    def say(self, what: str) -> None:
        """Report the current work."""
        self.progress.say(f"{self.label}: {what}" if self.label else what)

    def board_range(self, start: int, count: int) -> BoardRange:
        """Return training boards of the run."""
        return BoardRange(self.seed, TRAINING, start, count)

    def trial(self, us: Partnership, candidates: Sequence[Partnership], board_range: BoardRange) -> list[TrialResult]:
        """Return the verdicts on candidates against ``us``."""
        if not candidates:
            return []
        ours, league = self.cluster.put(us), self.cluster.put(self.league)
        parts, groups = self._cut(len(candidates), board_range)
        sent = [self.cluster.put(list(candidates[group])) for group in groups]
        cuts = [(part, k) for part in parts for k in range(len(groups))]
        total = np.zeros((len(candidates), 3 + 2 * len(self.league)), np.int64)
        jobs = [(ours, sent[k], league, part) for part, k in cuts]
        for number, sums in self.cluster.map(proposals.trial, jobs):
            part, k = cuts[number]
            total[groups[k]] += sums
            self.progress.add(part.count * len(sums))
        return [proposals.trial_result(row, board_range.count) for row in total]

    def sound(self, us: Partnership, proposed: Sequence[Proposal]) -> list[bool]:
        """Return for each proposal whether ``check --sound`` would find nothing new."""
        ours = self.cluster.put(us)
        return self._results(sound_task, [(ours, proposal) for proposal in proposed])

    def _results(self, task: Callable[..., Any], jobs: Sequence[tuple[object, ...]]) -> list[Any]:
        """Return the results of a task for jobs, in their order."""
        return [result for _, result in sorted(self.cluster.map(task, jobs), key=itemgetter(0))]

    def _shared(self, us: Partnership, board_range: BoardRange) -> list[tuple[object, ...]]:
        """Return jobs of ``us``, an opponent and its part of the boards: every opponent has boards of its own."""
        ours, league = self.cluster.put(us), [self.cluster.put(them) for them in self.league]
        parts = board_range.parts(min(tasks.PARTS, -(-board_range.count // len(league))))
        return [(ours, league[k % len(league)], part) for k, part in enumerate(parts)]

    def _cut(self, candidates: int, board_range: BoardRange) -> tuple[list[BoardRange], list[slice]]:
        """Cut boards and candidates into parts that keep all workers busy, boards no finer than it takes: few cost
        nearly as much.
        """
        workers = self.cluster.workers
        assert workers is not None
        boards = min(tasks.PARTS, board_range.count)
        groups = min(-(-TASKS_A_WORKER * workers * boards // board_range.count), -(-candidates // FEWEST_CANDIDATES))
        if groups * board_range.count < workers * boards:
            boards = max(min(FEWEST_BOARDS, boards), -(-groups * board_range.count // workers))
        size = -(-candidates // groups)
        return board_range.parts(boards), [slice(at, at + size) for at in range(0, candidates, size)]

    def standing(self, pair: Partnership, board_range: BoardRange) -> tuple[float, float]:
        """Return the IMPs a board against the control pair, and the standard error."""
        jobs = [(pair, self.league[0], part) for part in board_range.parts(tasks.PARTS)]
        return mean_and_error(np.concatenate(self._results(imps_task, jobs)))

    def rules(
        self, us: Partnership, count: int, chance: SeededRandom, board_range: BoardRange, judge: str = ""
    ) -> list[Rule]:
        """Return the rules that refinement finds at ``count`` positions, the most valuable in front; with a ``judge``,
        the spec of a player by a book, where it departs from the system, valued by its judgement.
        """
        ours, league = self.cluster.put(us), [self.cluster.put(them) for them in self.league]
        jobs = [(ours, them, part) for part in board_range.parts(tasks.PARTS) for them in league]
        often, fewest = self._counted(jobs), FEWEST_DEPARTURES if judge else FEWEST_DECISIONS
        paths, contexts = self._counted([(*job, judge) for job in jobs]) if judge else often
        chosen = _choose(paths, count, chance, fewest)
        chosen += _choose(contexts, -(-count // CONTEXTS_ONE_IN), chance, fewest)
        wanted = dict.fromkeys(chosen, MOST_DECISIONS)
        labelled = self._results(tasks.label_task, [(*job, wanted, judge) for job in jobs])
        groups = sorted({path for found in labelled for path in found})
        parts = [[found[path] for found in labelled if path in found] for path in groups]
        induced = self._results(tasks.rules_task, [(part,) for part in parts])
        self.progress.add(board_range.count)
        of_all, promised = often[0] + often[1], list[tuple[float, Rule]]()
        for group, part, rules in zip(groups, parts, induced, strict=True):
            # Of frequent positions only some decisions are labelled: what a rule promises goes for all of them.
            share = sum(map(len, part)) / of_all[group.partition(" / ")[0]]
            promised += [(rule.gain / share, rule) for rule in rules]
        return [rule for _, rule in sorted(promised, key=lambda gr: -gr[0])]

    def _counted(self, jobs: Sequence[tuple[object, ...]]) -> tuple[Counter[str], Counter[str]]:
        """Count the decisions of all jobs at positions, and in kinds of auctions."""
        paths, contexts = Counter[str](), Counter[str]()
        for _, (at_paths, in_contexts) in self.cluster.map(tasks.count_task, jobs):
            paths.update(at_paths)
            contexts.update(in_contexts)
        return paths, contexts

    def answers(
        self, us: Partnership, proposed: Sequence[Proposal], board_range: BoardRange, judge: str = ""
    ) -> list[Proposal]:
        """Return new calls (``proposals.answerable``), each together with the answers that partner would need."""
        jobs, begun = [], []
        ours, league = self.cluster.put(us), self.cluster.put(self.league)
        for call in proposed:
            proposal = replace(call, player=BOTH)  # one calls, the other answers
            changed = proposal.apply(us, compiled=False)
            edit = proposal.edit
            if changed is not None and isinstance(edit, Insert):
                path = "-".join(str(step) for step in edit.path)
                jobs.append((changed, ours, league, board_range.parts(tasks.PARTS), path, edit.line.path[0].token,
                             MOST_DECISIONS, judge))  # fmt: skip
                begun.append((proposal, edit))
        found = self._results(tasks.answers_task, jobs)
        return [
            replace(proposal, edit=proposals.with_answers(edit, answers))
            for (proposal, edit), answers in zip(begun, found, strict=True)
            if answers
        ]

    def steps(self, us: Partnership, board_range: BoardRange, judge: str = "") -> list[Proposal]:
        """Return steps of single lines that promise to gain, the surest in front; with a ``judge``, the spec of a
        player by a book, those that it prefers.
        """
        out: list[tuple[float, Proposal]] = []
        jobs = self._shared(us, board_range)
        for whose in (BOTH,) if us.first == us.second else (0, 1):
            player = 0 if whose == BOTH else whose
            gains = sum_gains(self._results(step_gains_task, [(*job, player, judge) for job in jobs]))
            self.progress.add(board_range.count)
            for edit, gain in step_edits(us.player(player), gains):
                if judge:
                    enough = gain.preferred >= max(PREFERRED * gain.decisions, FEWEST_STEP) and gain.errors >= 0
                else:
                    enough = gain.errors >= STEP_ERRORS and gain.decisions >= FEWEST_STEP
                if enough:
                    out.append((gain.errors, Proposal(edit, whose, AMENDMENT if judge else TUNING)))
        out.sort(key=lambda found: -found[0])
        return [proposal for _, proposal in out[:MOST_STEPS]]

    def cards(self, us: Partnership, board_range: BoardRange) -> list[Proposal]:
        """Return scorecards for both players, a proposal for each block."""
        from training.evolution.scorecards.fit import fit_scores  # torch takes a second to import

        positions = joined(self._results(collect, self._shared(us, board_range)))
        self.progress.add(board_range.count)
        if not len(positions):
            return []
        scores = fit_scores(positions, positions.worth, CARD_TERMS, self.seed)
        blocks = blocks_of(scores, positions)
        return [Proposal(SetCards(block, f"scorecards: {block.note}"), BOTH, CARDS) for block in blocks]


def sound_task(us: Partnership, proposal: Proposal) -> bool:
    """Return whether a proposal makes nothing unsound."""
    changed = proposal.apply(us, compiled=False)  # what has been tried is a system
    if changed is None:
        return False
    changes = us.changes_to(changed)
    if proposal.operator == AMENDMENT and any(outdated_answers(old, new) for old, new in changes):
        return False  # other lines of the pair count on what the call was
    return not any(audit_regressions(old, new) for old, new in changes)


def imps_task(us: Partnership, them: Rival, board_range: BoardRange) -> NDArray[np.int8]:
    """Return the IMPs a board of a partnership against another: int8 (N,)."""
    return duel(us, them, board_range).imps


def _choose(often: Counter[str], count: int, chance: SeededRandom, fewest: int) -> list[str]:
    """Draw positions to refine, frequent ones more often."""
    paths = sorted(path for path, n in often.items() if n >= fewest)
    weights = np.array([often[path] for path in paths], float) ** 0.5
    chosen = []
    for _ in range(min(count, len(paths))):
        at = chance.weighted(weights)
        weights[at] = 0
        chosen.append(paths[at])
    return chosen
