"""logger, wall, crontab, uuidgen, and the programs that are only there to say that they are not modelled."""

from __future__ import annotations

from uuid import NAMESPACE_DNS, NAMESPACE_OID, NAMESPACE_URL, NAMESPACE_X500, UUID, uuid3, uuid5

import pytest

from engine.control import journald
from engine.kernel.actions import decode, encode
from engine.world.records import Priority
from tests.engine.commands.linux.conftest import FakeTerminal


def test_logger_writes_to_the_journal(run, simulation) -> None:
    assert run("logger -t probe -p daemon.err GPU 3 replaced", host="dgx-01").status == 0
    entry = journald.entries(simulation.world, "dgx-01", 0)[-1]
    assert (entry.source, entry.text, entry.priority, entry.facility) == (
        "probe",
        "GPU 3 replaced",
        Priority.ERR,
        "daemon",
    )
    assert run("journalctl -t probe -o cat", host="dgx-01").stdout == "GPU 3 replaced\n"
    assert "probe: GPU 3 replaced" in run("tail -n 1 /var/log/syslog", host="dgx-01").stdout
    run("logger", host="dgx-01", stdin=b"one\ntwo\n")
    assert [entry.text for entry in journald.entries(simulation.world, "dgx-01", 0)[-2:]] == ["one", "two"]


def test_what_logger_did_can_be_done_again(run, simulation) -> None:
    run("logger hello", host="dgx-01")
    action = simulation.recorded[-1].action
    assert decode(encode(action)) == action


def test_logger_refuses(run) -> None:
    assert run("logger -p frob x").stderr == "logger: unknown priority name: frob\n"
    assert run("logger -f /nosuch").stderr == "logger: file /nosuch: No such file or directory\n"
    assert run("logger -s -p local0.err hi").stderr == "<131>alex: hi\n"


def test_wall_shows_the_sender_its_message(run) -> None:
    shown = run("wall rebooting dgx-01", terminal=FakeTerminal()).lines
    assert shown[1] == "Broadcast message from alex@head-01 (pts/0) (Mon Nov 30 09:00:00 2026):"
    assert shown[3] == "rebooting dgx-01"
    assert run("wall hello").stdout == ""
    assert run("wall /etc/motd").stderr == "wall: will not read /etc/motd - use stdin.\n"


def test_crontab_keeps_a_table(run) -> None:
    assert run("crontab -l").stderr == "no crontab for alex\n"
    assert run("crontab -", stdin=b"# mine\n*/5 * * * * date\n@daily true\nMAILTO=x\n").status == 0
    assert run("crontab -l").lines[1] == "*/5 * * * * date"
    assert run("crontab -l -u alex", user="root").stdout == run("crontab -l").stdout
    assert run("crontab -l -u root").stderr == "must be privileged to use -u\n"
    assert run("stat -c '%U %a' /var/spool/cron/crontabs/alex", user="root").stdout == "alex 600\n"
    assert run("crontab -r").status == 0 and run("crontab -l").status == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"x * * * * date\n", "minute"),
        (b"1 2\n", "day-of-month"),
        (b"1 2 3 4 5\n", "command"),
        (b"@nosuch date\n", "time specifier"),
    ],
)
def test_crontab_reads_before_it_installs(run, text: bytes, what: str) -> None:
    told = run("crontab", stdin=text)
    assert told.stderr == f'"-":0: bad {what}\nerrors in crontab file, can\'t install.\n' and told.status == 1


def test_uuids_are_valid_and_differ(run, simulation) -> None:
    first, second = (UUID(run("uuidgen").stdout.strip()) for _ in range(2))
    assert first != second and first.version == second.version == 4
    timed = UUID(run("uuidgen -t").stdout.strip())
    assert timed.version == 1 and timed.time == (simulation.world.inventory.start // 100) + 0x01B21DD213814000
    assert run("uuidgen --md5 -n @dns -N www.widgets.com").stdout == "3d813cbb-47fb-32ba-91df-831e1593ac29\n"


def test_one_seed_gives_one_row_of_uuids(opened) -> None:
    from tests.support.run import run_command

    rows = [
        [run_command(twin, "dgx-01", "alex", "uuidgen").stdout for _ in range(3)]
        for twin in (opened.fork(), opened.fork())
    ]
    assert rows[0] == rows[1] and len(set(rows[0])) == 3


@pytest.mark.parametrize("line", ["uuidgen", "shuf -i 1-99 -n5", "mktemp -u"])
def test_the_same_line_at_the_same_moment_draws_anew_and_replays(run, simulation, opened, line: str) -> None:
    shown = [run(line).stdout for _ in range(3)]
    assert len(set(shown)) == 3
    again = opened.fork()
    for entry in simulation.recorded:
        again.apply(decode(encode(entry.action)))
    assert again.world.digest() == simulation.world.digest()


def test_uuids_of_names(run) -> None:
    spaces = {"@dns": NAMESPACE_DNS, "@url": NAMESPACE_URL, "@oid": NAMESPACE_OID, "@x500": NAMESPACE_X500}
    for (alias, space), name in zip(spaces.items(), ("a.example", "http://b", "1.3", "cn=c"), strict=True):
        assert run(f"uuidgen --md5 -n {alias} -N {name}").stdout == f"{uuid3(space, name)}\n"
        assert run(f"uuidgen --sha1 -n {alias} -N {name}").stdout == f"{uuid5(space, name)}\n"


@pytest.mark.parametrize("name", ["gcc", "git", "htop", "iostat", "make", "perl", "python3", "rsync", "tmux", "vmstat"])
def test_what_is_not_modelled_says_so(run, name: str) -> None:
    told = run(f"{name} --anything")
    assert told.stderr.startswith(f"breakfix: not modelled: {name}") and told.status == 125 and told.stdout == ""
    assert run(f"{name} --help").status == 0
