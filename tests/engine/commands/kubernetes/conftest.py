"""A site with a Kubernetes cluster, and ways to type at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import Result, run_command

Kubectl = Callable[..., Result]


@pytest.fixture(scope="session")
def pristine() -> Simulation[World]:
    return open_site("k8s-ib-3")


@pytest.fixture
def site(pristine: Simulation[World]) -> Simulation[World]:
    """A copy of its own for each test."""
    return pristine.fork()


@pytest.fixture
def kubectl(site: Simulation[World]) -> Kubectl:
    """Runs `kubectl ...` as an administrator on the login host, unless told otherwise."""

    def line(words: str, user: str = "alex", host: str = "head-01", **options: object) -> Result:
        return run_command(site, host, user, f"kubectl {words}", **options)  # type: ignore[arg-type]

    return line


@pytest.fixture
def busy(kubectl: Kubectl) -> str:
    """The node on which a training pod runs that no controller would make again."""
    return kubectl("get pod llama-sft-0 -n research -o jsonpath='{.spec.nodeName}'").stdout
