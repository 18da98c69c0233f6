"""A Ray of this program's own: alone, on the loopback, with a token nobody else can read; stalls and a lost head."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.places import ROOT

pytest.importorskip("ray")

from training.running import private_ray
from training.running.cluster import STARTS, Cluster, ClusterError

ALONE = """
import json, os, stat, sys, time
from pathlib import Path
import ray, psutil  # Ray brings the other
from training.running.cluster import Cluster

def where():
    import ray
    return os.getpid(), ray.get_runtime_context().get_node_id()

me, other = Path(sys.argv[1]), Path(sys.argv[2])
with Cluster(int(sys.argv[3])) as cluster:
    folder = cluster._private.folder
    token = folder / "token"
    (pid, node), = (found for _, found in cluster.map(where, [()]))
    mine = [p for p in psutil.process_iter(["cmdline"]) if str(folder) in " ".join(p.info["cmdline"] or [])]
    mine += [psutil.Process(), psutil.Process(pid)]
    open_at = {c.laddr.ip for p in mine for c in p.net_connections() if c.status == "LISTEN"}
    told = {
        "node": node, "nodes": len(cluster.ray.nodes()), "cores": cluster.ray.cluster_resources()["CPU"],
        "folder": str(folder), "mode": stat.S_IMODE(token.stat().st_mode), "token": token.read_text(),
        "open": sorted(open_at), "processes": len(mine), "parent": psutil.Process(pid).parent().pid,
        "raylets": [p.pid for p in mine if "raylet" in p.name()],
        "scripts": [word for p in mine for word in p.cmdline() if word.endswith(".py")],
    }
    me.write_text(json.dumps(told))
    began = time.monotonic()
    while not other.exists() and time.monotonic() - began < 300:
        time.sleep(0.1)
    again, = (found for _, found in cluster.map(where, [()]))
    assert again[1] == node
print(os.path.exists(folder), os.environ.get("RAY_AUTH_MODE"))
"""
HEADLESS = """
import os, signal, threading, time
import ray, psutil  # Ray brings the other
from training.running import cluster as c

def nap(seconds):
    time.sleep(seconds)

with c.Cluster(1) as cluster:
    folder = str(cluster._private.folder)
    head, = (p for p in psutil.process_iter(["name", "cmdline"])
             if "gcs_server" in p.info["name"] and folder in " ".join(p.info["cmdline"] or []))
    threading.Timer(2, head.kill).start()
    began = time.monotonic()
    try:
        for _ in cluster.map(nap, [(300,)]):
            pass
    except c.ClusterError as error:
        print(f"told after {time.monotonic() - began:.0f}: {error}", flush=True)
"""
STALLED = """
from ray.cluster_utils import Cluster as Nodes
from training.running import cluster as c
from training.running.private_ray import few_processes

c.STALL_SECONDS = 4.0
with few_processes():
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 0})

def work():
    return 7

def tell(text):
    print(text, flush=True)
    nodes.add_node(num_cpus=1)

with c.Cluster(1, nodes.address, tell) as cluster:
    print([found for _, found in cluster.map(work, [()])], flush=True)
"""


def run(program, *arguments):
    # Ray writes into the environment that a token was found in the home folder: a test before may have left that.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH_")}
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=ROOT, env=environment,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.xdist_group("ray")
def test_two_at_once_are_each_alone(tmp_path):
    notes = [tmp_path / "1", tmp_path / "2"]
    both = [run(ALONE, str(notes[k]), str(notes[1 - k]), str(k + 1)) for k in (0, 1)]
    ended = [process.communicate(timeout=400) for process in both]
    assert [out for out, _ in ended] == ["False None\n"] * 2, ended
    one, two = (json.loads(note.read_text()) for note in notes)
    for name in ("node", "folder", "token", "raylets"):
        assert one[name] != two[name]
    assert (one["cores"], two["cores"]) == (1.0, 2.0)
    for told in (one, two):
        assert told["nodes"] == 1
        assert told["mode"] == 0o600
        assert told["parent"] in told["raylets"]
        assert told["processes"] >= 4
        assert told["scripts"] == []  # no monitor, no reader of logs, no dashboard
        assert told["open"]
        assert set(told["open"]) <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}


@pytest.mark.slow
@pytest.mark.xdist_group("ray")
def test_a_head_that_goes_away_is_told_before_ray_ends_the_process():
    out, err = run(HEADLESS).communicate(timeout=150)
    assert "the head of the Ray cluster at 127.0.0.1:" in out, (out, err)
    assert int(out.split("told after ")[1].partition(":")[0]) < 40


@pytest.mark.slow
@pytest.mark.xdist_group("ray")
def test_a_cluster_without_cores_says_so_and_goes_on_when_there_is_one():
    out, err = run(STALLED).communicate(timeout=150)
    assert "nothing has been done for 4 seconds: none of the cluster's 1 nodes offers a core" in out, (out, err)
    assert out.endswith("[7]\n")


class FakeRay:
    """A cluster with so many cores, of which some are free."""

    def __init__(self, cores, free):
        self.cores, self.free = cores, free

    def cluster_resources(self):
        return {"CPU": self.cores}

    def available_resources(self):
        return {"CPU": self.free} if self.free else {}

    def nodes(self):
        return [{"Alive": True}, {"Alive": False}]

    def wait(self, running, num_returns, timeout):
        self.left -= 1
        return (running[:1], running[1:]) if self.left == 0 else ([], running)


@pytest.mark.parametrize(
    ("cores", "free", "says"),
    [
        (0.0, 0.0, "none of the cluster's 1 nodes offers a core"),
        (4.0, 2.0, "2 of 4 cores are free, but no worker takes a task"),
        (4.0, 0.0, "other programs hold 3 or more of the cluster's 4 cores"),
        (1.0, 0.0, None),  # our task is at work
    ],
)
def test_a_stall_is_told_once_and_why(monkeypatch, cores, free, says):
    told = []
    cluster = Cluster(1, "127.0.0.1:1", told.append)
    cluster.ray = FakeRay(cores, free)
    cluster.ray.left = 5
    monkeypatch.setattr(cluster, "_check_head", lambda: None)
    monkeypatch.setattr("training.running.cluster.STALL_SECONDS", 0.0)
    assert cluster._next(["a"], 1) == ["a"]
    assert len(told) == (says is not None)
    assert says is None or says in told[0]


def test_who_listens_nowhere_has_gone(monkeypatch):
    cluster = Cluster(1, "ray://127.0.0.1:1")
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(ClusterError, match=r"the head of the Ray cluster at 127\.0\.0\.1:1 has gone"):
        cluster._check_head()


def test_settings_come_back_and_the_token_is_this_users_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(private_ray.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(private_ray, "_LONGEST", 1000)
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "of another cluster")
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    before, seen = dict(os.environ), {}

    class Fake:
        def init(self, **options):
            seen.update(options, environment=dict(os.environ))

        def shutdown(self):
            pass

    ours = private_ray.PrivateRay(Fake())
    dead = tmp_path / f"{private_ray._PREFIX}{2**22 + 1}-abc"  # of a process that no longer is
    dead.mkdir()
    ours.start(num_cpus=1)
    token = ours.folder / "token"
    assert not dead.exists()
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert stat.S_IMODE(ours.folder.stat().st_mode) == 0o700
    assert (seen["address"], seen["_node_ip_address"], seen["num_cpus"]) == ("local", "127.0.0.1", 1)
    assert seen["environment"]["RAY_AUTH_TOKEN_PATH"] == str(token)
    assert seen["environment"]["RAY_AUTH_MODE"] == "token"
    assert not {"RAY_ADDRESS", "RAY_AUTH_TOKEN"} & set(seen["environment"])
    ours.stop()
    assert dict(os.environ) == before
    assert list(Path(tmp_path).iterdir()) == []


class Slow:
    """A Ray that starts at the last of some tries."""

    def __init__(self, tries):
        self.tries = tries

    def is_initialized(self):
        return False

    def init(self, **options):
        self.tries -= 1
        if self.tries:
            raise Exception("The current node timed out during startup.")  # as Ray says it

    def shutdown(self):
        pass


def test_a_ray_that_does_not_start_in_time_is_started_again(monkeypatch):
    monkeypatch.setattr("training.running.cluster._ray", lambda: Slow(STARTS))
    before, told = dict(os.environ), []
    with Cluster(1, tell=told.append):
        assert dict(os.environ) != before
    assert dict(os.environ) == before
    assert len(told) == STARTS - 1
    assert "started again" in told[0]


def test_a_ray_that_never_starts_is_told(monkeypatch):
    monkeypatch.setattr("training.running.cluster._ray", lambda: Slow(STARTS + 1))
    before = dict(os.environ)
    with pytest.raises(ClusterError, match="no Ray cluster on this machine: The current node timed out"):
        Cluster(1).__enter__()
    assert dict(os.environ) == before
