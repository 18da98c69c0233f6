"""What is deployed and published: the image, the clusters' files, the sdist, the citation."""

import fnmatch
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from support.places import ROOT

from training.cli.app import app

yaml = pytest.importorskip("yaml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()


def documents(name):
    return list(yaml.safe_load_all((ROOT / name).read_text()))


def pinned(package):
    return re.search(rf"^{package}==(\S+)$", (ROOT / "constraints.txt").read_text(), re.M)[1]


def test_the_image_is_built_from_what_is_there_and_sent():
    ignored = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text().split("\n")
    sent = {line[1:] for line in ignored if line.startswith("!")}
    copied = [words.split()[1:-1] for words in re.findall(r"^(COPY (?!--from).*)$", DOCKERFILE, re.M)]
    assert copied
    for name in (name for names in copied for name in names):
        assert (ROOT / name).exists(), name
        assert name in sent, name
    needed = {
        "pyproject.toml",
        *PROJECT["license-files"],
        PROJECT["readme"],
        "bridge_env",
        "agents",
        "training",
        "bridge_table",
    }
    assert needed <= sent


def test_the_image_runs_as_nobody_special_and_starts_whatever_is_asked():
    last = DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]
    user = re.findall(r"^USER (\d+)$", last, re.M)
    assert user == ["1000"]
    assert "--uid 1000" in last
    assert "ENTRYPOINT" not in last  # Ray's launchers start a shell
    assert set(re.search(r"EXTRAS=(\S+)", DOCKERFILE)[1].split(",")) <= set(PROJECT["optional-dependencies"])
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert set(re.findall(r"^FROM python:([\d.]+)-", DOCKERFILE, re.M)) == {lowest}


def test_ray_takes_the_file_of_a_cluster():
    ray = pytest.importorskip("ray")
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    (config,) = documents("deploy/ray-cluster.yaml")
    jsonschema.validate(config, schema)
    assert config["max_workers"] == len(config["provider"]["worker_ips"])
    assert "--env RAY_AUTH_MODE=token" in config["docker"]["run_options"]
    commands = config["head_start_ray_commands"] + config["worker_start_ray_commands"]
    assert all(command.startswith("ray st") for command in commands)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**config, "workers": 3}, schema)


def test_kubernetes_gets_one_ray_everywhere_and_no_root():
    *_, job = documents("deploy/kuberay-job.yaml")
    assert job["kind"] == "RayJob"
    spec = job["spec"]["rayClusterSpec"]
    assert spec["enableInTreeAutoscaling"]
    _, bound, _ = app.parse_args(job["spec"]["entrypoint"].split()[1:])  # so it is a command
    assert (bound.arguments["address"], str(bound.arguments["run"].out)) == ("auto", "/work/results")
    assert spec["rayVersion"] == pinned("ray")
    assert spec["authOptions"] == {"mode": "token"}
    pods = [spec["headGroupSpec"]["template"]["spec"], *(g["template"]["spec"] for g in spec["workerGroupSpecs"])]
    containers = [container for pod in pods for container in pod["containers"]]
    assert len(containers) == 2
    assert {container["image"] for container in containers} == {"bridge-env"}
    for pod, container in zip(pods, containers, strict=True):
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] == 1000
        assert container["resources"]["requests"] == container["resources"]["limits"]  # so Ray counts what it gets
    for container in containers:
        assert "NUMBA_CACHE_DIR=/home/bridge/.cache/bridge-env" in DOCKERFILE
        assert "/home/bridge/.cache/bridge-env" in {mount["mountPath"] for mount in container["volumeMounts"]}
    for group in spec["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]


def test_the_citation_is_of_this_version():
    (citation,) = documents("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])


@pytest.mark.weekly
@pytest.mark.slow
def test_the_sdist_holds_what_its_tests_need(tmp_path):
    pytest.importorskip("setuptools", minversion="77")
    left = (".git", ".venv", "build", "dist", "__pycache__", "*_cache", ".hypothesis", "*.egg-info")
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*left))
    (tree / "results" / "evolve" / "mine").mkdir(parents=True)
    (tree / "results" / "evolve" / "mine" / "checkpoint.json").write_text("{}")
    code = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=tree, check=True, capture_output=True, timeout=300)
    (file,) = tmp_path.glob("bridge_env-*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert "results/evolve/mine/checkpoint.json" not in names
    assert not fnmatch.filter(names, "*.pyc")
    wanted = [
        path.relative_to(ROOT).as_posix()
        for part in ("tests", "docs", "examples", "deploy", "bridge_env", "agents", "training", "bridge_table")
        for path in (ROOT / part).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    ]
    listed = ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "Makefile", "constraints.txt", "mkdocs.yml")
    assert not sorted({*wanted, *listed, "results/networks.md"} - names)


PACKAGES = ("bridge_env", "agents", "training", "bridge_table")


@pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="needs a checkout")
def test_an_editable_install_is_a_path(tmp_path):
    pytest.importorskip("setuptools", minversion="77")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        for name in ("__init__.py", "py.typed"):
            shutil.copy(ROOT / package / name, tmp_path / package)
    code = "from setuptools import build_meta; print(build_meta.build_editable('wheels'))"
    (tmp_path / "wheels").mkdir()
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, timeout=120)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        assert len(names) == 1
        assert archive.read(names[0]).decode().strip() == str(tmp_path)
