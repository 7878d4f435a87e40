"""What perftest says where something is wrong: with the line, the device, the other end, or the way."""

from __future__ import annotations

import asyncio

import pytest

from engine.control import modules
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.shell.play import Play
from engine.simulation import open_site
from engine.world.records import WrittenFile, WrittenFiles
from engine.world.world import World
from tests.support.run import Result, run_command
from tests.support.sessions import last
from tests.support.two_ends import both
from tests.support.worlds import bare_simulation

ANOTHER = " Please Try to use a different IP version."
MR = "Couldn't allocate MR\nfailed to create mr\nFailed to create MR\n Couldn't create IB resources\n"
NO_CONTEXT = " Couldn't get context for the device\n"
LOST = " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, ccnt=0\n"


def run(line: str, simulation: Simulation[World] | None = None, host: str = "dgx-03") -> Result:
    return run_command(simulation or bare_simulation(), host, "alex", line, interrupt_after=100 * SECOND)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("ib_write_bw -q 0", " num of Qps should be between 1 and 16384\n"),
        ("ib_write_lat -q 2", " Multiple QPs only available on bw tests\n"),
        ("ib_write_bw -x 65", " Gid index should be between 0 and 64\n"),
        ("ib_write_bw -n 4", " Iteration num should be between 5 and 4294967296\n"),
        ("ib_write_bw -s 0", " Message Size should be between 1 and 2147483647\n"),
        ("ib_write_bw -p x1", " Port argument x1 should be int\n"),
        ("ib_write_bw -S 16", " Only 15 Service levels\n"),
        ("ib_write_lat -b", " Bidirectional is only available in BW test\n"),
        ("ib_write_bw -e", " Events feature not available on WRITE verb\n"),
        ("ib_write_bw -o 2", " Setting Outstanding reads only available on READ verb\n"),
        ("ib_read_bw -I 2", " Inline feature not available on READ/Atomic verbs\n"),
        ("ib_write_bw -D 0", " Duration period must be positive\n"),
        ("ib_write_bw -a -a", " Duplicated argument: -a \n"),
        ("ib_write_bw --report_gbits --report_gbits", " Duplicated argument: report_gbits \n"),
        ("ib_write_bw --use_cuda_dmabuf", "CUDA DMA-BUF cannot be used without CUDA\n"),
        ("ib_write_bw a b", " Invalid Command line. Please check command rerun \n"),
    ],
)
def test_wrong_values(line: str, text: str) -> None:
    result = run(line)
    assert (result.status, result.stderr) == (1, f"{text} Parser function exited with Error\n")


def test_wrong_options_and_help() -> None:
    wrong = run("ib_write_bw --foo")
    assert wrong.status == 1
    assert wrong.stderr.startswith(
        "ib_write_bw: unrecognized option '--foo'\n Invalid Command or flag.\n Please check command line"
    )
    assert run("ib_read_lat -V") == Result("Version: 6.24\n", "", 1)
    shown = run("ib_write_bw --help")
    assert shown.status == 1 and shown.stdout.startswith("Usage:\n  ib_write_bw            start a server and wait")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("ib_write_bw -c UC -R", "\n UC is not supported in librdmacm\n"),
        ("ib_write_bw -D 4 -a", "\nDuration mode currently doesn't support running on all sizes.\n"),
        ("ib_write_bw -l 3", "\nNumber of iterations must be a multiple of post list size\n"),
        ("ib_write_bw -D 4 -f 2", "\nplease check that DURATION > 2*MARGIN\n"),
        ("ib_read_bw -c UC", " UC connection not possible in READ/ATOMIC verbs\n"),
        ("ib_write_bw -c UD", " UD connection only possible in SEND verb\n"),
        ("ib_write_bw -T 5", " TOS only valid for rdma_cm based QP and RawEth QP \n"),
    ],
)
def test_options_that_do_not_go_together(line: str, text: str) -> None:
    result = run(line)
    assert result.status == 1 and result.stderr.endswith(text)


@pytest.mark.parametrize("line", ["ib_write_bw --use_rocm=0", "ib_send_bw -g", "ib_write_bw -c DC", "ib_atomic_bw"])
def test_what_is_not_modelled_says_so(line: str) -> None:
    assert run(line).status == 125


def test_devices_that_are_not_there_or_down() -> None:
    missing = " Unable to find the Infiniband/RoCE device\n"
    assert run("ib_write_bw -d mlx5_99").stderr == f"IB device mlx5_99 not found\n{missing}"
    down = f" Port number 1 state is Down\n Couldn't set the link layer\n{NO_CONTEXT}"
    assert run("ib_write_bw -d mlx5_1") == Result("", down, 1)
    assert (
        run("ib_write_bw -i 2").stderr
        == f" Unable to query port 2 attributes\n Couldn't set the link layer\n{NO_CONTEXT}"
    )
    simulation = bare_simulation()
    simulation.world.ports.update("dgx-03/mlx5_0/1", initialized=False)
    assert " Port number 1 state is Init\n" in run("ib_write_bw", simulation).stderr
    simulation.apply(modules.UnloadModule("dgx-03", "ib_uverbs", True))
    simulation.world.systems.update("dgx-03", modules={"ib_uverbs": None})
    text = f" Did not detect devices \n If device exists, check if driver is up\n{missing}"
    assert run("ib_write_bw", simulation) == Result("", text, 1)


def test_nobody_listens_nobody_answers_nobody_is_known() -> None:
    sockets = " Unable to init the socket connection\n"
    assert run("ib_write_bw dgx-04") == Result("", f"Couldn't connect to dgx-04:18515\n{sockets}", 1)
    assert run("ib_write_bw -p 4791 dgx-04").stderr.startswith("Couldn't connect to dgx-04:4791\n")
    unknown = "Name or service not known for ai_family: 2 service: nobody port: 18515\n"
    assert run("ib_write_bw nobody").stderr == f"{unknown}Problem in resolving basic address and port\n{sockets}"
    simulation = open_site("dgx-h100-4")
    simulation.world.systems.update("dgx-04", interfaces_down=("eno3",))
    assert run("ib_write_bw dgx-04", simulation).stderr.startswith("Couldn't connect to dgx-04:18515\n")
    assert simulation.now >= 3 * SECOND


def test_a_server_waits_until_ctrl_c_and_lets_go_of_its_port() -> None:
    simulation = open_site("dgx-h100-4")
    first = run_command(simulation, "dgx-03", "alex", "ib_write_bw", interrupt_after=50 * SECOND)
    assert first.status == 130 and "Waiting for client" in first.stdout and not first.stderr
    assert simulation.world.sockets[""].listeners == ()
    assert not any(process.command == "ib_write_bw" for process in simulation.world.systems["dgx-03"].processes)
    assert run("ib_write_bw -p 22", simulation).stderr.startswith("Couldn't listen to port 22\n")


def ends(server: str, client: str, simulation: Simulation[World] | None = None) -> tuple[str, str]:
    """What both ends print, each failing."""
    first, second = both(simulation or open_site("dgx-h100-4"), ("dgx-03", server), ("dgx-04", f"{client} dgx-03"))
    assert (first.status, second.status) == (1, 1)
    return first.output.decode(), second.output.decode()


def test_no_way_between_the_devices() -> None:
    simulation = open_site("dgx-h100-4")
    for cable in {cable.id: cable for cable in simulation.world.inventory.cables.values()}.values():
        if all(end.startswith(("leaf", "spine")) for end in cable.ends):
            links.change_cable(simulation, cable, plugged=False)
    server, client = ends("ib_write_bw -d mlx5_0", "ib_write_bw -d mlx5_10", simulation)
    assert client.endswith(f"{LOST} Failed to complete run_iter_bw function successfully\n")
    assert server.endswith(" Unable to read to socket/rdma_cm\n Failed to exchange data between server and clients\n")


def test_the_retry_time_follows_u() -> None:
    times = []
    for words in ("-u 14", "-u 18"):
        simulation = open_site("dgx-h100-4")
        for cable in {cable.id: cable for cable in simulation.world.inventory.cables.values()}.values():
            if all(end.startswith(("leaf", "spine")) for end in cable.ends):
                links.change_cable(simulation, cable, plugged=False)
        ends(f"ib_write_bw {words} -d mlx5_0", f"ib_write_bw {words} -d mlx5_10", simulation)
        times.append(simulation.now)
    assert times[1] - times[0] > 25 * SECOND


def test_wrong_gids() -> None:
    short = "ethernet_read_keys: Couldn't read remote address\n"
    for text in ends("ib_write_bw -d mlx5_10 -x 0", "ib_write_bw -d mlx5_10"):
        assert short in text and text.endswith(" Failed to exchange data between server and clients\n")
    for text in ends("ib_write_bw -d mlx5_10 -x 1", "ib_write_bw -d mlx5_10 -x 1"):
        assert "Failed to modify QP " in text and text.endswith(" Unable to Connect the HCA's through the link\n")
    assert " Unable to set up socket connection\n" in ends("ib_write_bw -x 40", "ib_write_bw -x 40")[1]
    for text in ends("ib_write_bw -d mlx5_2 -x 1", "ib_write_bw -d mlx5_2 -x 3"):
        assert text.endswith(
            "\n Found Incompatibility issue with GID types.\n Please Try to use a different IP version.\n\n"
        )
    assert LOST in ends("ib_write_bw -d mlx5_2 -x 2", "ib_write_bw -d mlx5_2 -x 3")[1]


def test_the_other_ends_memory_refuses() -> None:
    refused = " Failed status 10: wr_id 0 syndrom 0x88\n"
    assert refused in ends("ib_read_bw -d mlx5_10", "ib_write_bw -d mlx5_10")[1]
    assert refused in ends("ib_write_bw -d mlx5_10", "ib_write_bw -d mlx5_10 -s 1M")[1]


def test_options_of_both_ends_that_differ_are_not_modelled() -> None:
    first, second = both(open_site("dgx-h100-4"), ("dgx-03", "ib_write_bw -q 2"), ("dgx-04", "ib_write_bw dgx-03"))
    assert (first.status, second.status) == (125, 125)


def test_memory_that_may_not_be_locked() -> None:
    simulation = open_site("dgx-h100-4")
    text = b"* soft memlock 64\n* hard memlock 64\n"
    key = "dgx-04"
    files = {"/etc/security/limits.d/rdma.conf": WrittenFile(text, 0o644, 0, 0, 0)}
    simulation.world.files[key] = WrittenFiles(files)
    server, client = ends("ib_write_bw -d mlx5_10", "ib_write_bw -d mlx5_10", simulation)
    assert client == MR
    assert server.endswith(" Failed to exchange data between server and clients\n")


def test_gpu_memory_needs_peer_memory_or_dma_buf() -> None:
    simulation = open_site("dgx-h100-4")
    for host in ("dgx-03", "dgx-04"):
        simulation.world.systems.update(host, modules={"nvidia_peermem": None})
    client = ends("ib_write_bw -d mlx5_10 --use_cuda=6", "ib_write_bw -d mlx5_10 --use_cuda=6", simulation)[1]
    assert client.startswith("Perftest doesn't supports CUDA tests with inline messages: inline size set to 0\n")
    assert client.endswith(
        "Couldn't allocate MR\nfailed to create mr\nFailed to create MR\n Couldn't create IB resources\n"
    )
    wrong = ends("ib_write_bw --use_cuda=8", "ib_write_bw --use_cuda=8")[1]
    assert "No such device ID (8) exists in system\nCouldn't init GPU context: 1\n" in wrong


def test_a_killed_server_ends_the_client_with_status_12() -> None:
    begin = "ssh dgx-03 'ib_write_bw -d mlx5_10 -D 60' & sleep 1; "
    begin += "ssh dgx-04 ib_write_bw -d mlx5_10 -D 60 dgx-03 > /tmp/o 2>&1 &"
    output = last(open_site("dgx-h100-4"), [begin, "sleep 20; ssh dgx-03 pkill ib_write_bw; sleep 10; cat /tmp/o"])
    assert output.endswith(f"{LOST} Failed to complete run_iter_bw function successfully\n")


def test_kill_ends_a_server_with_143() -> None:
    simulation = open_site("dgx-h100-4")

    async def play_it() -> int | None:
        play = Play(simulation)
        terminal, other = play.open_terminal("dgx-03", "alex"), play.open_terminal("dgx-03", "alex")
        try:
            serving = asyncio.ensure_future(play.run_line(terminal, "ib_write_bw"))
            while not simulation.world.sockets[""].listeners:
                await asyncio.sleep(0.001)
            pid = simulation.world.sockets[""].listeners[0].pid
            await asyncio.wait_for(play.run_line(other, f"kill {pid}"), 60)
            return (await asyncio.wait_for(serving, 60)).status
        finally:
            play.close()

    assert asyncio.run(play_it()) == 143
