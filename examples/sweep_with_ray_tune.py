"""Look for the settings of ``bridge-env train ppo`` that learn best, several trials at a time, with Ray Tune.

Needs the extra ``train`` and Ray Tune: pip install -e ".[train]" "ray[tune]" -c constraints.txt. Run it with a number
of trials and of calls that each may learn from:

    python examples/sweep_with_ray_tune.py 8 2000000

Trials are compared on training boards, at the same numbers of calls; those that fall behind end early. Each has a run
folder, which ``bridge-env train ppo --resume`` continues. Judge the winner on other boards:
bridge-env panel policy:FOLDER/policy.npz
"""

import sys
from pathlib import Path
from typing import Any

from ray import tune
from ray.tune.schedulers import ASHAScheduler

from training.configs import PPOConfig
from training.networks import ppo


def trial(settings: dict[str, Any], out: str, calls: int, more: dict[str, Any]) -> None:
    """Learn with these settings; report IMPs a board after every evaluation."""
    config = PPOConfig(minutes=0, steps=calls, **settings, **more)
    name = tune.get_context().get_trial_id()
    folder = str(Path(out) / ppo.KIND / name)

    def evaluated(row: dict[str, Any]) -> None:
        tune.report({"imps": row["mean_imps"], "calls": row["steps"], "folder": folder})

    ppo.train_ppo(config, out=Path(out), name=name, evaluated=evaluated)


def main(trials: int = 4, calls: int = 200_000, out: Path = Path("results/sweep"), **more: Any) -> tune.Result:
    """Try settings at random; return the best trial. ``more`` are settings that all trials share."""
    space = {
        "learning_rate": tune.loguniform(3e-4, 5e-3),
        "entropy": tune.loguniform(3e-3, 1e-1),
        "seed": 1,
    }
    shared = {"every": 5.0, "judge": 1000, **more}
    tuner = tune.Tuner(
        tune.with_parameters(trial, out=str(out.resolve()), calls=calls, more=shared),
        param_space=space,
        tune_config=tune.TuneConfig(
            metric="imps", mode="max", num_samples=trials,
            scheduler=ASHAScheduler(time_attr="calls", max_t=calls, grace_period=max(1, calls // 8)),
        ),
        run_config=tune.RunConfig(name="tune", storage_path=str(out.resolve())),
    )  # fmt: skip
    return tuner.fit().get_best_result()


if __name__ == "__main__":
    best = main(*map(int, sys.argv[1:3]))
    print(f"{best.metrics['imps']:+.2f} IMPs a board on training boards: {best.config}\n{best.metrics['folder']}")
