"""curl, wget, nc, telnet: names that do not resolve, ports that nobody listens on, hosts that do not answer."""

from __future__ import annotations

import pytest

from engine.control.boot import ChassisPower
from engine.control.systemd import StopUnit
from engine.kernel.units import SECOND


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        ("curl -sS http://example.com/", "curl: (6) Could not resolve host: example.com\n", 6),
        ("curl -s http://example.com/", "", 6),
        (
            "curl -sS dgx-02:81",
            "curl: (7) Failed to connect to dgx-02 port 81 after 0 ms: Couldn't connect to server\n",
            7,
        ),
        (
            "curl -sS 8.8.8.8",
            "curl: (7) Failed to connect to 8.8.8.8 port 80 after 0 ms: Couldn't connect to server\n",
            7,
        ),
        ("curl foo://x", 'curl: (1) Protocol "foo" not supported or disabled in libcurl\n', 1),
        ("curl -s http://head-01/ubuntu/", "breakfix: not modelled: what answers at head-01 port 80\n", 125),
        ("curl", "curl: try 'curl --help' or 'curl --manual' for more information\n", 2),
        ("curl --frob x", "curl: option --frob: is unknown\n", 2),
        ("curl -o", "curl: option -o: requires parameter\n", 2),
        ("wget -q http://example.com", "", 4),
        ("wget foo://x", "foo://x: Unsupported scheme ‘foo’.\n", 1),
        ("nc -zv dgx-02 81", "nc: connect to dgx-02 (10.20.0.12) port 81 (tcp) failed: Connection refused\n", 1),
        ("nc -zv dgx-02 ssh", "Connection to dgx-02 (10.20.0.12) 22 port [tcp/ssh] succeeded!\n", 0),
        ("nc -zv dgx-02 nosuch", "nc: port number invalid: nosuch\n", 1),
        ("nc -zv dgx-02 6818", "Connection to dgx-02 (10.20.0.12) 6818 port [tcp/*] succeeded!\n", 0),
        ("telnet dgx-02 81", "telnet: Unable to connect to remote host: Connection refused\n", 1),
    ],
)
def test_ends_of_connections(run, line: str, words: str, status: int) -> None:
    told = run(line)
    assert told.stderr.startswith(words) and (words or not told.stderr) and told.status == status


def test_wget_tells_its_steps(run) -> None:
    assert run("wget http://dgx-02/x").stderr.splitlines() == [
        "--2026-11-30 09:00:00--  http://dgx-02/x",
        "Resolving dgx-02 (dgx-02)... 10.20.0.12",
        "Connecting to dgx-02 (dgx-02)|10.20.0.12|:80... failed: Connection refused.",
    ]


def test_curl_shows_its_meter_where_there_is_no_terminal(run) -> None:
    assert run("curl http://example.com").stderr.startswith("  % Total    % Received % Xferd  Average Speed")
    assert run("curl -sS -w '%{http_code}' http://example.com").stdout == "000"
    assert run("curl -s file:///etc/hostname").stdout == "head-01\n"


def test_a_stopped_service_listens_no_longer(run, simulation) -> None:
    assert run("nc -z dgx-02 6818").status == 0
    simulation.apply(StopUnit("dgx-02", "slurmd", "mara"))
    assert run("nc -z dgx-02 6818").status == 1


def test_a_dead_host_takes_time(run, simulation) -> None:
    simulation.apply(ChassisPower("dgx-02", "off", "mara"))
    began = simulation.now
    told = run("curl -sS dgx-02")
    assert "Failed to connect to dgx-02 port 80 after 3064 ms" in told.stderr
    assert 3 * SECOND < simulation.now - began < 4 * SECOND
    assert run("nc -zv dgx-02 22").stderr.endswith("failed: No route to host\n")
    assert run("curl -sS -m 1 dgx-02").status == 28
