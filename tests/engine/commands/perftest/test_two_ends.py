"""perftest between two hosts: both outputs, the time it takes, what others see meanwhile, and what each cause does."""

from __future__ import annotations

import re

import pytest

from engine.commands.perftest._program.options import Settings
from engine.commands.perftest._program.tables import Rate, rate_row
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import counters
from engine.simulation import open_site
from engine.world.records import PcieLinkState
from engine.world.world import World
from tests.support.sessions import screen
from tests.support.two_ends import both

SERVER, CLIENT = "dgx-03", "dgx-04"
RULE = "-" * 87
ROW = r"^ 65536      5000             39\d\.\d\d             39\d\.\d\d \t\t     0\.74\d{4}$"
COUNTED = "cat /sys/class/infiniband/mlx5_10/ports/1/counters/port_rcv_data"


def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def measured(
    words: str, simulation: Simulation[World] | None = None, device: str = "mlx5_10", other: str = ""
) -> tuple[str, str]:
    """What both ends print for `words`, such as `ib_write_bw -F`."""
    server, client = both(
        simulation or site(), (SERVER, f"{words} -d {other or device}"), (CLIENT, f"{words} -d {device} {SERVER}")
    )
    assert (server.status, client.status) == (0, 0), (server.output, client.output)
    return server.output.decode(), client.output.decode()


def rows(output: str) -> list[list[float]]:
    """The figures of the table."""
    return [[float(word) for word in line.split()] for line in output.splitlines() if re.match(r" \d", line)]


def gigabits(simulation: Simulation[World] | None = None, words: str = "ib_write_bw", **devices: str) -> float:
    return rows(measured(f"{words} --report_gbits", simulation, **devices)[1])[-1][3]


def test_the_whole_output_of_a_client() -> None:
    output = measured("ib_write_bw --report_gbits")[1]
    shape = re.sub(r"0x[0-9a-f]+", "0x", output)
    expected = f"""\
{RULE}
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_10
 Number of qps   : 1\t\tTransport type : IB
 Connection type : RC\t\tUsing SRQ      : OFF
 PCIe relax order: ON\t\tLock-free      : OFF
 ibv_wr* API     : ON\t\tUsing DDP      : OFF
 TX depth        : 128
 CQ Moderation   : 1
 Mtu             : 4096[B]
 Link type       : IB
 Max inline data : 0[B]
 rdma_cm QPs\t : OFF
 Data ex. method : Ethernet
{RULE}
 local address: LID 0x QPN 0x PSN 0x RKey 0x VAddr 0x
 remote address: LID 0x QPN 0x PSN 0x RKey 0x VAddr 0x
{RULE}
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
"""
    assert shape.startswith(expected) and shape.endswith(f"\n{RULE}\n")
    assert re.search(
        r"^ 65536      5000             39\d\.\d\d             39\d\.\d\d \t\t     0\.74\d{4}$", output, re.M
    )


def test_the_server_waits_and_shows_the_same_row_and_the_other_addresses() -> None:
    server, client = measured("ib_write_bw")
    assert server.startswith(f"\n{'*' * 36}\n* Waiting for client to connect... *\n{'*' * 36}\n{RULE}\n")
    assert " TX depth" not in server and rows(server) == rows(client)
    local, remote = (re.search(rf" {side} address: (.*)", client) for side in ("local", "remote"))
    assert local and remote
    assert f" remote address: {local[1]}" in server and f" local address: {remote[1]}" in server


def test_numbers_of_queue_pairs_go_up() -> None:
    simulation = site()
    numbers = []
    for _ in range(2):
        output = measured("ib_write_bw -q 2", simulation)[1]
        numbers += [int(text, 16) for text in re.findall(r" local address: .*QPN (0x\w+)", output)]
    assert numbers == list(range(numbers[0], numbers[0] + 4))


def test_all_sizes_and_both_directions() -> None:
    server, client = measured("ib_send_bw -a -b")
    assert [row[0] for row in rows(client)] == [2**power for power in range(1, 24)]
    assert rows(server) == rows(client) and "Send Bidirectional BW Test" in client
    assert rows(client)[-1][3] == pytest.approx(2 * 49.05e9 / 2**20, rel=0.01)
    assert len(rows(measured("ib_write_bw -a")[0])) == 1


def test_latency() -> None:
    server, client = measured("ib_write_lat")
    assert (
        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99%"
        in client
    )
    figures = rows(client)[0]
    assert figures[:2] == [2, 1000] and figures[4] == pytest.approx(0.95, abs=0.02)
    assert " Max inline data : 220[B]" in client and rows(server)[0][4] == pytest.approx(figures[4], abs=0.01)
    server, client = measured("ib_read_lat -s 64")
    assert " Outstand reads  : 16" in client and not rows(server) and rows(client)[0][4] > 1.6


def test_a_duration_takes_its_time_and_counts_between_the_margins() -> None:
    simulation = site()
    _, client = measured("ib_write_bw -D 8 --report_gbits", simulation)
    assert 8 * SECOND < simulation.now < 16 * SECOND
    assert client.startswith(" WARNING: BW peak won't be measured in this run.\n")
    (row,) = rows(client)
    assert row[2] == 0 and row[3] == pytest.approx(392.4, rel=0.01)
    assert row[1] == pytest.approx(4 * 392.4e9 / 8 / 65536, rel=0.01)


def test_in_one_line_with_the_server_in_the_background() -> None:
    line = "ssh dgx-03 'ib_write_bw -d mlx5_10' & sleep 1; ssh dgx-04 ib_write_bw -d mlx5_10 dgx-03"
    outputs = [screen(site(), [line]) for _ in range(2)]
    assert outputs[0] == outputs[1]
    assert outputs[0].count(f"\n{RULE}\n #bytes") == 2 and len(rows(outputs[0])) == 2


def test_while_it_runs_ps_shows_both_ends_and_ports_count() -> None:
    simulation = site()
    ports = {"dgx-04/mlx5_10/1": counters.sent, "dgx-03/mlx5_10/1": counters.received}
    before = {port: count(simulation.world, port, simulation.now) for port, count in ports.items()}
    words = "ib_write_bw -d mlx5_10 -D 20"
    first = screen(simulation, [f"ssh {SERVER} '{COUNTED}'"])
    begin = f"ssh {SERVER} '{words}' & sleep 1; ssh {CLIENT} {words} {SERVER} > /tmp/o &"
    look = f"sleep 8; for h in {SERVER} {CLIENT}; do ssh $h 'ps -C ib_write_bw -o args=; {COUNTED}'; done"
    output = screen(simulation, [begin, look])
    assert f"{words}\n" in output and f"{words} {SERVER}\n" in output
    for port, count in ports.items():
        moved = count(simulation.world, port, simulation.now) - before[port]
        assert moved > 4 * 49e9
    received, _ = (int(line) for line in output.splitlines() if line.isdigit())
    assert received - int(first.split()[-1]) == pytest.approx(moved // 4, rel=0.3)


def test_nothing_is_left_behind() -> None:
    simulation = site()
    measured("ib_write_bw", simulation)
    bundles = simulation.world.bundles
    assert not any(bundles[owner].flows for owner in bundles.changed() if owner.startswith("process/"))
    assert simulation.world.sockets[""].connections == () and simulation.world.sockets[""].listeners == ()
    assert not any(process.command.startswith("ib_") for process in simulation.world.systems[SERVER].processes)


def test_others_traffic_leaves_less() -> None:
    simulation = site()
    alone = gigabits(simulation)
    words = "ib_write_bw --report_gbits -d mlx5_10"
    long = f"ssh {SERVER} '{words} -p 18600 -D 60' & sleep 1; ssh {CLIENT} {words} -p 18600 -D 60 {SERVER} &"
    output = screen(simulation, [long, "sleep 8", f"ssh {SERVER} '{words}' & sleep 1; ssh {CLIENT} {words} {SERVER}"])
    shared = next(row for row in rows(output) if row[1] == 5000)[3]
    assert shared == pytest.approx(alone / 2, rel=0.05)


def test_a_slow_pcie_link_and_a_slow_cable_show() -> None:
    simulation = site()
    hca = simulation.world.inventory.hca("dgx-04/mlx5_10")
    simulation.world.pcie_links[f"dgx-04/{hca.address}"] = PcieLinkState(width=8)
    assert gigabits(simulation) == pytest.approx(392.4 * 0.58, rel=0.15)
    simulation = site()
    cable = links.cable(simulation.world.inventory, "dgx-04/mlx5_10/1")
    assert cable is not None
    links.change_cable(simulation, cable, rate_limit=200)
    assert gigabits(simulation) == pytest.approx(196.2, rel=0.01)


def test_smaller_packets_cost_headers() -> None:
    small, large = (gigabits(words=f"ib_write_bw -m {mtu}") for mtu in (256, 4096))
    assert small == pytest.approx(large * (256 / 282) / (4096 / 4122), rel=0.01)


def test_gpu_memory_beside_its_own_adapter_and_far_from_it() -> None:
    near, far = (gigabits(words=f"ib_write_bw --use_cuda={gpu} --use_cuda_dmabuf") for gpu in (6, 0))
    assert near > 380 and far < 0.8 * near


def test_roce_names_its_gid() -> None:
    output = measured("ib_write_bw --report_gbits", device="mlx5_2")[1]
    assert " Link type       : Ethernet\n GID index       : 3\n" in output and " Mtu             : 1024[B]\n" in output
    assert " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:30:00:14\n remote address: LID 0000 QPN" in output


def test_a_small_rate_is_shown_with_more_digits() -> None:
    row = rate_row(Settings(report_gbits=True), Rate(2, 1000, 12_000_000, 11_000_000))
    assert row == " 2          1000           0.096000            0.088000            5.500000"
    assert rate_row(Settings(output="bandwidth", report_gbits=True), Rate(65536, 1, 0, 49e9)) == "392.000000"


def test_a_limit_that_is_missed_gives_status_1() -> None:
    _, client = both(site(), (SERVER, "ib_write_bw -d mlx5_10"), (CLIENT, f"ib_write_bw -d mlx5_10 -w 99999 {SERVER}"))
    assert client.status == 1 and client.output.endswith(b"Error: BW result is below bw limit\n")
