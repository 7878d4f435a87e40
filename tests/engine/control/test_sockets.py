"""Who listens, who is connected, what is said, and what ends a connection."""

from __future__ import annotations

from engine.control import network, sockets
from engine.control.processes import Kill
from engine.control.programs import BeginProgram, EndProgram, runs
from engine.control.sockets import CLIENT, SERVER, Close, Connect, Listen, Say, StopListening
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.records import Sockets
from engine.world.world import World

SERVER_HOST, CLIENT_HOST, ADDRESS = "dgx-03", "dgx-04", "10.20.0.13"


def begin(simulation: Simulation[World], host: str) -> int:
    pid: int = simulation.apply(BeginProgram(host, "alex", "nc"))
    return pid


def listening(*, once: bool = False) -> tuple[Simulation[World], int]:
    simulation = open_site("dgx-h100-4")
    pid = begin(simulation, SERVER_HOST)
    assert simulation.apply(Listen(SERVER_HOST, 9000, pid, "alex", "nc", once)) is None
    return simulation, pid


def connected(*, once: bool = False) -> tuple[Simulation[World], int, int, int]:
    simulation, server = listening(once=once)
    client = begin(simulation, CLIENT_HOST)
    number = simulation.apply(Connect(CLIENT_HOST, client, ADDRESS, 9000))
    assert isinstance(number, int)
    return simulation, server, client, number


def test_each_end_reads_what_the_other_wrote_in_order() -> None:
    simulation, _, _, number = connected()
    for side, text in ((CLIENT, "one"), (CLIENT, "two"), (SERVER, "three")):
        assert simulation.apply(Say(number, side, text))
    assert sockets.heard(simulation.world, number, SERVER) == ("one", "two")
    assert sockets.heard(simulation.world, number, CLIENT) == ("three",)


def test_a_connection_has_addresses_and_ports_of_both_ends() -> None:
    simulation, server, client, number = connected()
    found = sockets.connection(simulation.world, number)
    assert found is not None
    assert (found.client.pid, found.client.address) == (client, "10.20.0.14")
    assert (found.server.pid, found.server.address, found.server.port) == (server, ADDRESS, 9000)
    assert 32_768 <= found.client.port < 61_000
    assert sockets.connections_of(simulation.world, SERVER_HOST, server) == [found]


def test_who_refuses_and_who_does_not_answer() -> None:
    simulation, _ = listening()
    client = begin(simulation, CLIENT_HOST)
    assert simulation.apply(Connect(CLIENT_HOST, client, ADDRESS, 9001)) == sockets.REFUSED
    simulation.apply(network.SetInterface(SERVER_HOST, "eno3", False))
    assert simulation.apply(Connect(CLIENT_HOST, client, ADDRESS, 9000)) == sockets.NO_ROUTE
    assert isinstance(simulation.apply(Connect(CLIENT_HOST, client, "10.30.0.13", 9000)), int)


def test_a_port_has_one_listener() -> None:
    simulation, pid = listening()
    assert simulation.apply(Listen(SERVER_HOST, 9000, pid, "alex", "nc")) == sockets.IN_USE
    assert simulation.apply(Listen(SERVER_HOST, 22, pid, "alex", "nc")) == sockets.IN_USE
    simulation.apply(StopListening(SERVER_HOST, 9000))
    assert simulation.apply(Listen(SERVER_HOST, 9000, pid, "alex", "nc")) is None


def test_a_listener_for_one_client_is_gone_after_it() -> None:
    simulation, _, client, _ = connected(once=True)
    assert simulation.apply(Connect(CLIENT_HOST, client, ADDRESS, 9000)) == sockets.REFUSED


def test_what_was_written_before_the_end_is_still_read() -> None:
    simulation, _, _, number = connected()
    simulation.apply(Say(number, CLIENT, "last words"))
    simulation.apply(Close(number, CLIENT))
    assert sockets.heard(simulation.world, number, SERVER) == ("last words",)
    assert sockets.ended(simulation.world, number, SERVER)
    assert not simulation.apply(Say(number, SERVER, "to nobody"))
    simulation.apply(Close(number, SERVER))
    assert sockets.connection(simulation.world, number) is None


def test_a_killed_process_lets_go_of_its_sockets() -> None:
    simulation, server, _, number = connected()
    simulation.apply(Kill(SERVER_HOST, server, 9, "alex"))
    assert not runs(simulation.world, SERVER_HOST, server)
    assert sockets.listener(simulation.world, SERVER_HOST, 9000) is None
    assert sockets.ended(simulation.world, number, CLIENT)


def test_nothing_is_left_when_both_have_ended() -> None:
    simulation, server, client, _ = connected()
    for host, pid in ((SERVER_HOST, server), (CLIENT_HOST, client)):
        simulation.apply(EndProgram(host, pid))
    assert simulation.world.sockets[""] == Sockets(made=1)


def test_the_way_follows_the_address() -> None:
    world = open_site("dgx-h100-4").world
    ways = {address: sockets.way(world, CLIENT_HOST, address) for address in ("10.20.0.13", "10.30.0.13", "127.0.0.1")}
    names = {address: (way.own.name, way.theirs.name, way.target) for address, way in ways.items() if way}
    assert names == {
        "10.20.0.13": ("eno3", "eno3", "dgx-03"),
        "10.30.0.13": ("bond0", "bond0", "dgx-03"),
        "127.0.0.1": ("lo", "lo", "dgx-04"),
    }
    assert sockets.way(world, CLIENT_HOST, "192.0.2.1") is None
