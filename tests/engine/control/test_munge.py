"""MUNGE: who reads whose credentials, the key that a daemon has loaded, and what keeps it from starting."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.control import files, host_clock, munge, systemd
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.world.world import World
from tests.engine.control.slurm.scene import opened

HEAD, NODE = "head-01", "dgx-04"
OTHER_KEY = bytes(range(128))


def put_key(
    site: Simulation[World], host: str, key: bytes = OTHER_KEY, mode: int = 0o400, uid: int = munge.UID
) -> None:
    files.write(site, host, munge.KEY_FILE, key, uid=uid, gid=munge.GID, mode=mode)


def status(site: Simulation[World], sender: str = HEAD, receiver: str = NODE) -> munge.Status:
    return munge.between(site.world, sender, receiver, site.now)


def credential(site: Simulation[World], host: str = HEAD) -> munge.Credential:
    now = host_clock.epoch(site.world, host, site.now) // SECOND
    return munge.Credential(host, "10.0.0.1", now, munge.LIFETIME, 1001, 1001, b"hello")


def test_a_key_counts_once_the_daemon_has_started_with_it() -> None:
    site = opened()
    for host in (HEAD, NODE):
        put_key(site, host)
    assert status(site) == munge.SUCCESS
    site.apply(systemd.RestartUnit(HEAD, "munge", "root"))
    assert status(site) == munge.INVALID
    site.apply(systemd.RestartUnit(NODE, "munge", "root"))
    assert status(site) == munge.SUCCESS


@pytest.mark.parametrize(("ahead", "expected"), [(301, munge.REWOUND), (299, munge.SUCCESS), (-301, munge.EXPIRED)])
def test_clocks_may_differ_by_five_minutes(ahead: int, expected: munge.Status) -> None:
    site = opened()
    host_clock.step(site, HEAD, ahead * SECOND)
    assert status(site) == expected


def test_a_credential_carries_what_it_was_given_and_is_good_once() -> None:
    site = opened()
    text = munge.encode(site.world, HEAD, credential(site))
    assert text.startswith("MUNGE:") and text.endswith(":") and "hello" not in text
    first, found = munge.decode(site.world, NODE, text, 1001, 1001, site.now)
    assert (first, found) == (munge.SUCCESS, credential(site))
    site.apply(munge.Decoded(NODE, text))
    assert munge.decode(site.world, NODE, text, 1001, 1001, site.now)[0] == munge.REPLAYED
    assert munge.decode(site.world, HEAD, text, 1001, 1001, site.now)[0] == munge.SUCCESS


def test_a_credential_grows_old() -> None:
    site = opened()
    text = munge.encode(site.world, HEAD, credential(site))
    site.advance(6 * MINUTE)
    assert munge.decode(site.world, NODE, text, 0, 0, site.now)[0] == munge.EXPIRED


def test_a_credential_may_be_for_one_user_alone() -> None:
    site = opened()
    text = munge.encode(site.world, HEAD, replace(credential(site), for_uid=2001))
    assert munge.decode(site.world, NODE, text, 1001, 1001, site.now)[0] == munge.UNAUTHORIZED
    assert munge.decode(site.world, NODE, text, 2001, 2001, site.now)[0] == munge.SUCCESS


def test_what_is_no_credential_or_was_changed() -> None:
    site = opened()
    text = munge.encode(site.world, HEAD, credential(site))
    changed = text[:40] + ("A" if text[40] != "A" else "B") + text[41:]
    assert munge.decode(site.world, NODE, changed, 0, 0, site.now)[0] == munge.INVALID
    assert munge.decode(site.world, NODE, "hello", 0, 0, site.now)[0] == munge.BAD_FORMAT


@pytest.mark.parametrize(
    ("key", "mode", "uid", "text"),
    [
        (OTHER_KEY, 0o444, munge.UID, "should not be readable or writable by group (perms=0444)"),
        (OTHER_KEY, 0o404, munge.UID, "should not be readable or writable by other (perms=0404)"),
        (OTHER_KEY, 0o400, 0, "should be owned by UID 111 instead of UID 0"),
        (b"short", 0o400, munge.UID, "Keyfile must be at least 32 bytes"),
    ],
)
def test_a_key_file_that_is_not_safe_keeps_it_from_starting(key: bytes, mode: int, uid: int, text: str) -> None:
    site = opened()
    put_key(site, NODE, key, mode, uid)
    assert text in (munge.refusal(site.world, NODE) or "")
    assert site.apply(systemd.RestartUnit(NODE, "munge", "root")) is not None
    assert not munge.runs(site.world, NODE)


def test_its_log_tells_of_starts_and_refusals() -> None:
    site = opened()
    site.apply(systemd.RestartUnit(NODE, "munge", "root"))
    site.apply(munge.Decoded(NODE, "", "Invalid credential"))
    texts = [text for _, text in site.world.munge[NODE].log]
    assert texts[0].startswith("Notice:    Exiting on signal 15")
    assert texts[-1] == "Info:      Invalid credential"
