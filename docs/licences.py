"""List the packages that an installation of bridge-env needs, with their versions and licences.

python docs/licences.py        prints a table of those installed here
"""

from __future__ import annotations

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

EXTRAS = ("", "table", "ray", "rl", "pettingzoo", "onnx")  # "": without extras
_CLASSIFIER = "License :: OSI Approved :: "


def needed(extra: str) -> dict[str, Distribution]:
    """Return the installed packages that bridge-env needs with an extra, and those that these need, by name."""
    found: dict[str, Distribution] = {}
    wanted = [Requirement(f"bridge-env[{extra}]" if extra else "bridge-env")]
    for requirement in wanted:
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        if name in found and not requirement.extras:
            continue
        found[name] = package
        for line in package.requires or ():
            more = Requirement(line)
            extras = requirement.extras or {""}
            if more.marker is None or any(more.marker.evaluate({"extra": one}) for one in extras):
                wanted.append(more)
    del found["bridge-env"]
    return found


def licence(package: Distribution) -> str:
    """Return the licence that a package names: its expression, else its classifiers, else the line of its text."""
    data = package.metadata
    classes = [c.removeprefix(_CLASSIFIER) for c in data.get_all("Classifier", ()) if c.startswith(_CLASSIFIER)]
    text = data.get("License-Expression") or ", ".join(classes) or data.get("License") or "not named"
    return text.strip().splitlines()[0][:60]


def page() -> str:
    """Return the page of the site that lists all packages."""
    lines = [
        "# Licences", "",
        "bridge-env is under Apache-2.0, with all that its wheel contains: code, systems, networks and solved deals.",
        "The tables of the shipped library come from Bo Haglund's DDS (Apache-2.0) through endplay (MIT); the wheel",
        "contains no other project's code. `pip` installs these packages beside it, some only for an extra.",
        "", "| package | version | licence | needed by |", "| --- | --- | --- | --- |",
    ]  # fmt: skip
    listed: set[str] = set()
    for extra in EXTRAS:
        packages = needed(extra)
        for name in sorted(packages.keys() - listed):
            package = packages[name]
            lines.append(f"| {name} | {package.version} | {licence(package)} | {extra or 'all'} |")
        listed |= packages.keys()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
