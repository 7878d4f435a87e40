"""Processes, signals, load and memory."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control import harm, logins, processes
from engine.kernel.units import HOUR, MINUTE, SECOND
from tests.engine.control.os_scene import HEAD, NODE, OTHER, site, texts


def test_the_table_is_in_order_and_every_parent_is_there() -> None:
    world = site().world
    table = processes.processes(world, NODE)
    ids = [process.pid for process in table]
    assert ids == sorted(set(ids))
    assert {process.parent for process in table} <= {0, *ids}
    assert table[0].command == "/sbin/init"
    threads = [process for process in table if process.parent == 2]
    assert {f"[migration/{cpu}]" for cpu in range(224)} <= {process.command for process in threads}


def test_a_new_process_has_an_id_of_its_own() -> None:
    simulation = site()
    pids = [processes.start(simulation, OTHER, user="wei", command="sleep 5") for _ in range(3)]
    assert len(set(pids)) == 3
    assert [processes.find(simulation.world, OTHER, pid).user for pid in pids] == ["wei"] * 3  # type: ignore[union-attr]
    processes.end(simulation, OTHER, pids, "exit")
    assert all(processes.find(simulation.world, OTHER, pid) is None for pid in pids)


def test_signals_are_for_ones_own_processes() -> None:
    simulation = site()
    pid = processes.start(simulation, OTHER, user="wei", command="sleep 5")
    assert simulation.apply(processes.Kill(OTHER, pid, 15, "priya")) == "Operation not permitted"
    assert simulation.apply(processes.Kill(OTHER, pid, 0, "wei")) is None
    simulation.apply(processes.Kill(OTHER, pid, 19, "wei"))
    assert processes.find(simulation.world, OTHER, pid).state == "T"  # type: ignore[union-attr]
    simulation.apply(processes.Kill(OTHER, pid, 15, "wei"))
    assert simulation.apply(processes.Kill(OTHER, pid, 15, "wei")) == "No such process"


def test_what_no_signal_ends() -> None:
    simulation = site()
    hung = processes.start(simulation, OTHER, user="wei", command="python3", state="D")
    for pid in (1, 2, 17, hung):
        assert simulation.apply(processes.Kill(OTHER, pid, 9, "root")) is None
        assert processes.find(simulation.world, OTHER, pid) is not None


def test_killing_somebodys_job_is_harm() -> None:
    simulation = site()
    job = next(process for process in simulation.world.systems[NODE].processes if process.gpus)
    simulation.apply(processes.Kill(NODE, job.pid, 9, "root"))
    assert [each.kind for each in harm.harms(simulation.world)] == ["job_killed"]
    assert f"job {job.job}" in harm.harms(simulation.world)[0].what


def test_load_follows_what_runs() -> None:
    simulation = site()
    one, five, fifteen = processes.load_average(simulation.world, OTHER, simulation.now)
    assert max(one, five, fifteen) < 60
    pids = [processes.start(simulation, OTHER, user="wei", command="x", cpu_permille=1000) for _ in range(16)]
    simulation.advance(90 * SECOND)
    one, five, fifteen = processes.load_average(simulation.world, OTHER, simulation.now)
    assert one > five > fifteen > 60
    simulation.advance(2 * HOUR)
    assert all(1500 < each < 1700 for each in processes.load_average(simulation.world, OTHER, simulation.now))
    processes.end(simulation, OTHER, pids, "exit")
    simulation.advance(2 * MINUTE)
    one, five, fifteen = processes.load_average(simulation.world, OTHER, simulation.now)
    assert one < five < fifteen < 1600


def test_memory_adds_up() -> None:
    simulation = site()
    for host in (HEAD, NODE, OTHER):
        memory = processes.memory(simulation.world, host)
        assert memory.total == memory.used + memory.free + memory.buff_cache
        assert memory.free < memory.available < memory.total
    before = processes.memory(simulation.world, OTHER).used
    processes.start(simulation, OTHER, user="wei", command="x", resident_kib=5_000_000)
    assert processes.memory(simulation.world, OTHER).used == before + 5_000_000


@given(st.integers(0, 10**15))
@settings(max_examples=25)
def test_shares_of_the_cpu_are_a_whole(now: int) -> None:
    use = processes.cpu_use(site().world, NODE, now)
    parts = (
        use.user,
        use.system,
        use.nice,
        use.idle,
        use.wait,
        use.hardware_interrupt,
        use.software_interrupt,
        use.steal,
    )
    assert sum(parts) == 1000
    assert min(parts) >= 0


def test_a_login_leaves_its_traces() -> None:
    simulation = site()
    number = simulation.apply(logins.OpenSession(OTHER, "alex", "10.20.0.10"))
    table = {process.command for process in processes.processes(simulation.world, OTHER)}
    assert {"sshd: alex [priv]", "sshd: alex@pts/0", "-bash"} <= table
    assert texts(simulation, OTHER, "sshd")[0].startswith("Accepted publickey for alex from 10.20.0.10 port ")
    assert [login.user for login in logins.sessions(simulation.world, OTHER)] == ["alex"]
    simulation.advance(MINUTE)
    simulation.apply(logins.CloseSession(OTHER, number))
    assert not logins.sessions(simulation.world, OTHER)
    assert not simulation.world.systems[OTHER].processes
    assert logins.history(simulation.world, OTHER)[-1].end == MINUTE
    assert texts(simulation, OTHER)[-1] == f"Removed session {number}."


def test_two_people_have_two_terminals() -> None:
    simulation = site()
    for user in ("alex", "mara"):
        simulation.apply(logins.OpenSession(OTHER, user, "10.20.0.10"))
    assert [login.terminal for login in logins.sessions(simulation.world, OTHER)] == ["pts/0", "pts/1"]
