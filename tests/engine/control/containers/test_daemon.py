"""dockerd's configuration: what it refuses, and when it takes what stands in its file."""

from __future__ import annotations

import pytest

from engine.control import files, systemd
from engine.control.containers import daemon
from engine.simulation import open_site

HOST = "dgx-04"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"debug": true,}', "invalid character '}' looking for beginning of object key string"),
        ('{"debug": true', "unexpected EOF"),
        ('{"cgroup-driver": "systemd"}', "directives don't match any configuration option: cgroup-driver"),
        ('{"default-runtime": "nvidia"}', "specified default runtime 'nvidia' does not exist"),
        ("", None),
        (daemon.DEFAULT, None),
    ],
)
def test_mistakes(text: str, words: str | None) -> None:
    found = daemon.mistake(text)
    assert found is None if words is None else found is not None and words in found


def test_a_mistake_keeps_dockerd_down_and_stands_in_the_journal() -> None:
    site = open_site("dgx-h100-4")
    files.write(site, HOST, daemon.DAEMON_JSON, b'{"debug": true,}', uid=0, gid=0)
    assert daemon.runs(site.world, HOST)
    refusal = site.apply(systemd.RestartUnit(HOST, daemon.SERVICE, ""))
    assert refusal is not None
    assert not daemon.runs(site.world, HOST)
    texts = [entry.text for entry in site.world.logs[HOST].entries]
    assert any(
        text.startswith("unable to configure the Docker daemon with file /etc/docker/daemon.json") for text in texts
    )


def test_the_file_counts_from_the_next_start_on() -> None:
    site = open_site("dgx-h100-4")
    files.write(site, HOST, daemon.DAEMON_JSON, b'{"default-shm-size": "2g"}', uid=0, gid=0)
    assert daemon.settings(site.world, HOST).shm_kib == 64 << 10
    assert "nvidia" in daemon.settings(site.world, HOST).runtimes
    site.apply(systemd.RestartUnit(HOST, daemon.SERVICE, ""))
    assert daemon.settings(site.world, HOST).shm_kib == 2 << 20
    assert "nvidia" not in daemon.settings(site.world, HOST).runtimes


@pytest.mark.parametrize(("text", "kib"), [("64m", 65_536), ("1g", 1 << 20), ("1gb", 1 << 20), ("1048576", 1024)])
def test_sizes(text: str, kib: int) -> None:
    assert daemon.kib(text) == kib
