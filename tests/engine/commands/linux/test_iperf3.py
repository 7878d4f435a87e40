"""iperf3 between two hosts: what both ends print, over which network, and what goes wrong."""

from __future__ import annotations

import json
import re

import pytest

from engine.commands.linux._support.iperf3_report import json_text, quantity
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.traffic import counters
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command
from tests.support.sessions import screen
from tests.support.two_ends import both
from tests.support.worlds import bare_simulation

SERVER, CLIENT = "dgx-03", "dgx-04"
RULE = "-" * 59
SEPARATOR = "- " * 24 + "-"
UNREACHABLE = (
    "iperf3: error - unable to connect to server - server may have stopped running or use a different port, "
    "firewall issue, etc.: "
)


def ends(words: str, server: str = "iperf3 -s -1", simulation: Simulation[World] | None = None) -> tuple[str, str]:
    """What server and client print."""
    first, second = both(simulation or open_site("dgx-h100-4"), (SERVER, server), (CLIENT, f"iperf3 {words}"))
    assert (first.status, second.status) == (0, 0), (first.output, second.output)
    return first.output.decode(), second.output.decode()


def gigabits(output: str, role: str = "receiver") -> list[float]:
    return [float(text) for text in re.findall(rf"([\d.]+) Gbits/sec .*{role}", output)]


def test_the_whole_output_of_both_ends() -> None:
    server, client = ends(f"-c {SERVER} -t 2")
    shape = re.sub(r"port \d{5}\b", "port N", client)
    lines = shape.splitlines()
    assert lines[:3] == [
        "Connecting to host dgx-03, port 5201",
        "[  5] local 10.20.0.14 port N connected to 10.20.0.13 port 5201",
        "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd",
    ]
    row = r"\[  5\]   0\.00-1\.00   sec  1\.\d\d GBytes  9\.\d\d Gbits/sec  [ \d]{3}    \d{3} KBytes       "
    assert re.fullmatch(row, lines[3])
    assert lines[5:7] == [SEPARATOR, "[ ID] Interval           Transfer     Bitrate         Retr"]
    assert re.fullmatch(
        r"\[  5\]   0\.00-2\.00   sec  2\.\d\d GBytes  9\.\d\d Gbits/sec  [ \d]{3}             sender", lines[7]
    )
    assert re.fullmatch(r"\[  5\]   0\.00-2\.04   sec  2\.\d\d GBytes  9\.\d\d Gbits/sec {18}receiver", lines[8])
    assert lines[9:] == ["", "iperf Done."]
    assert server.startswith(
        f"{RULE}\nServer listening on 5201 (test #1)\n{RULE}\nAccepted connection from 10.20.0.14, port "
    )
    assert "[ ID] Interval           Transfer     Bitrate\n[  5]   0.00-1.00   sec" in server
    assert server.endswith("receiver\n") and "Cwnd" not in server


def test_the_name_decides_the_network_and_streams_add_up() -> None:
    assert gigabits(ends(f"-c {SERVER} -t 2")[1])[0] == pytest.approx(9.3, abs=0.15)
    one = gigabits(ends(f"-c {SERVER}-inband -t 2")[1])[0]
    server, several = ends(f"-c {SERVER}-inband -t 2 -P 4")
    assert one == pytest.approx(23.4, abs=0.5) and gigabits(several)[-1] == pytest.approx(4 * one, rel=0.05)
    assert several.count("[SUM]") == 4 and "[  9]   0.00-1.00" in several
    assert [int(number) for number in re.findall(r"\[ *(\d+)\] local", server)] == [5, 8, 10, 12]


def test_it_takes_its_time_and_flows_through_the_traffic_model() -> None:
    simulation = open_site("dgx-h100-4")
    ports = ["dgx-04/mlx5_2/1", "dgx-04/mlx5_8/1"]

    def moved() -> int:
        return sum(counters.sent(simulation.world, port, simulation.now) for port in ports)

    before = moved()
    words = f"ssh {SERVER} iperf3 -s & sleep 1; ssh {CLIENT} iperf3 -c {SERVER}-inband -t 20 > /tmp/o &"
    output = screen(simulation, [words, f"sleep 8; ssh {CLIENT} ps -C iperf3 -o args="])
    assert "iperf3 -c dgx-03-inband -t 20\n" in output
    assert 4 * 3e9 < moved() - before < 10 * 3.3e9
    began = simulation.now
    assert ends(f"-c {SERVER} -p 5300 -t 6", "iperf3 -s -1 -p 5300", simulation)
    assert 6 * SECOND < simulation.now - began < 30 * SECOND


def test_the_server_sends() -> None:
    server, client = ends(f"-c {SERVER} -R -t 2 -i 0.5")
    assert "Reverse mode, remote host dgx-03 is sending\n" in client and "Retr  Cwnd" in server
    assert "[ ID] Interval           Transfer     Bitrate\n[  5]   0.00-0.50" in client
    assert server.rstrip().endswith("sender")


def test_amounts_limits_units_and_omitted_seconds() -> None:
    assert re.search(r"  100 MBytes  9\.\d+ Gbits/sec .*sender", ends(f"-c {SERVER} -n 100M")[1])
    assert "  1.00 Gbits/sec" in ends(f"-c {SERVER} -t 2 -b 1G")[1]
    assert re.search(r"  9\d\d\d Mbits/sec", ends(f"-c {SERVER} -t 1 -f m")[1])
    omitted = ends(f"-c {SERVER} -t 2 -O 1")[1]
    assert omitted.count("(omitted)") == 1 and omitted.count("   0.00-1.00   sec") == 2


def test_json() -> None:
    document = json.loads(ends(f"-c {SERVER} -t 2 -P 2 -J")[1])
    assert document["start"]["test_start"]["num_streams"] == 2 and len(document["intervals"]) == 2
    sent, received = document["end"]["sum_sent"], document["end"]["sum_received"]
    assert sent["bytes"] == received["bytes"] == sum(each["sum"]["bytes"] for each in document["intervals"])
    assert sent["bits_per_second"] == pytest.approx(9.4e9, rel=0.02) and sent["sender"] is True
    failed = run_command(bare_simulation(), CLIENT, "alex", f"iperf3 -c {SERVER} -J")
    assert failed.status == 1 and json.loads(failed.stdout)["error"].endswith("Connection refused")


def test_a_daemon_serves_one_after_the_other() -> None:
    simulation = open_site("dgx-h100-4")
    lines = [f"ssh {SERVER} iperf3 -s -D", *[f"ssh {CLIENT} iperf3 -c {SERVER} -t 1"] * 2, f"ssh {SERVER} pkill iperf3"]
    output = screen(simulation, lines)
    assert output.count("iperf Done.") == 2
    assert simulation.world.sockets[""].connections == () == simulation.world.sockets[""].listeners


def test_ctrl_c_at_either_end() -> None:
    simulation = open_site("dgx-h100-4")
    stopped = run_command(simulation, SERVER, "alex", "iperf3 -s", interrupt_after=9 * SECOND)
    assert stopped.status == 1 and stopped.stderr == "iperf3: interrupt - the server has terminated\n"
    run_command(simulation, SERVER, "alex", "iperf3 -s -D")
    client = run_command(simulation, CLIENT, "alex", f"iperf3 -c {SERVER}", interrupt_after=3_500_000_000)
    assert client.status == 1 and client.stderr == "iperf3: interrupt - the client has terminated\n"
    assert re.search(r"0\.00-3\.00   sec .* sender\n.*  0\.00 Bytes  0\.00 bits/sec {18}receiver\n$", client.stdout)


def test_ctrl_c_at_the_servers_terminal() -> None:
    simulation = open_site("dgx-h100-4")
    server, client = both(simulation, (SERVER, "iperf3 -s"), (CLIENT, f"iperf3 -c {SERVER} -t 1"), end_server=True)
    assert client.status == 0 and server.status == 130
    assert server.output.endswith(b"iperf3: interrupt - the server has terminated\n")
    assert b"Server listening on 5201 (test #2)" in server.output
    assert simulation.world.sockets[""].listeners == ()


def test_somebody_else_is_being_served() -> None:
    simulation = open_site("dgx-h100-4")
    begin = f"ssh {SERVER} iperf3 -s > /tmp/s & sleep 1; ssh {CLIENT} iperf3 -c {SERVER} -t 20 > /tmp/o & sleep 3"
    output = screen(simulation, [f"{begin}; ssh dgx-02 iperf3 -c {SERVER}"])
    assert "iperf3: error - the server is busy running a test. try again later\n" in output


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("iperf3", "must either be a client (-c) or server (-s)"),
        ("iperf3 -c x -s", "cannot be both server and client"),
        ("iperf3 -s -t 3", "some option you are trying to set is client only"),
        ("iperf3 -c x -1", "some option you are trying to set is server only"),
        ("iperf3 -c x -p 70000", "port number must be between 1 and 65535 inclusive"),
        ("iperf3 -c x -P 129", "number of parallel streams too large (maximum = 128)"),
        ("iperf3 -c x -f z", "bad format specifier (valid formats are in the set [kmgtKMGT])"),
        ("iperf3 -c x -i 61", "invalid report interval (min = 0.1, max = 60 seconds)"),
        ("iperf3 -c x -t 5 -n 1M", "only one test end condition (-t, -n, -k) may be specified"),
    ],
)
def test_wrong_lines(line: str, text: str) -> None:
    result = run_command(bare_simulation(), CLIENT, "alex", line)
    usage = "\n\nUsage: iperf3 [-s|-c host] [options]\nTry `iperf3 --help' for more information.\n"
    assert (result.status, result.stderr) == (1, f"iperf3: parameter error - {text}{usage}")


def test_nobody_there() -> None:
    simulation = bare_simulation()
    assert run_command(simulation, CLIENT, "alex", f"iperf3 -c {SERVER}").stderr == f"{UNREACHABLE}Connection refused\n"
    assert run_command(simulation, CLIENT, "alex", "iperf3 -c x").stderr == f"{UNREACHABLE}Name or service not known\n"
    taken = run_command(simulation, CLIENT, "alex", "iperf3 -s -p 22")
    text = "iperf3: error - unable to start listener for connections: Address already in use\niperf3: exiting\n"
    assert (taken.status, taken.stderr) == (1, text)
    assert run_command(simulation, CLIENT, "alex", "iperf3 -c x -u").status == 125


def test_numbers_fit_four_places() -> None:
    assert [quantity(value, "A") for value in (9.994, 1024, 10**9, 1.5 * 2**40)] == [
        "9.99 Bytes",
        "1.00 KBytes",
        " 954 MBytes",
        "1.50 TBytes",
    ]
    assert quantity(10**9 / 8, "a") == "1.00 Gbits" and quantity(10**9, "m") == "8000 Mbits"
    assert json_text({"a": [{"b": 1}], "c": True}) == '{\n\t"a":\t[{\n\t\t\t"b":\t1\n\t\t}],\n\t"c":\ttrue\n}'
