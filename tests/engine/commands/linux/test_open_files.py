"""fuser and lsof: who holds the GPUs, as the model's processes and services have it."""

from __future__ import annotations

from engine.control import processes, systemd


def holders(simulation, index: int) -> list[int]:
    known = processes.processes(simulation.world, "dgx-01")
    return [each.pid for each in known if index in each.gpus]


def test_fuser_names_the_holders_of_a_gpu(run, simulation) -> None:
    told = run("fuser /dev/nvidia3", host="dgx-01", user="root")
    found = {int(word) for word in told.stdout.split()}
    services = {systemd.service(simulation.world, "dgx-01", f"nvidia-{unit}").pid for unit in ("persistenced", "dcgm")}
    assert found == {*holders(simulation, 3), *services}
    assert told.stderr.startswith("/dev/nvidia3:        ")


def test_fuser_shows_a_table(run, simulation) -> None:
    told = run("fuser -v /dev/nvidia0", host="dgx-01", user="root")
    assert told.stderr.splitlines()[0] == f"{'':21}USER        PID ACCESS COMMAND"
    assert "priya     F...m python" in told.stderr
    assert f" {holders(simulation, 0)[0]}" in told.stdout


def test_others_files_are_hidden_from_users(run) -> None:
    assert run("fuser /dev/nvidia0", host="dgx-01").status == 1
    assert run("fuser /dev/nvidia0", host="dgx-01", user="priya").status == 0
    assert "opendir: Permission denied" in run("lsof -c slurmd", host="dgx-01").stdout


def test_fuser_kills(run, simulation) -> None:
    assert holders(simulation, 7)
    run("fuser -k /dev/nvidia7", host="dgx-01", user="root")
    assert not holders(simulation, 7)


def test_an_idle_gpu_is_held_by_daemons_alone(run, simulation) -> None:
    found = {line.split()[0] for line in run("lsof /dev/nvidia0", host="dgx-04", user="root").lines[1:]}
    assert found == {"nvidia-pe", "nv-hosten"}
    simulation.apply(systemd.StopUnit("dgx-04", "nvidia-dcgm", "root"))
    found = {line.split()[0] for line in run("lsof /dev/nvidia0", host="dgx-04", user="root").lines[1:]}
    assert found == {"nvidia-pe"}


def test_lsof_columns(run, simulation) -> None:
    pid = holders(simulation, 2)[0]
    lines = run(f"lsof -p {pid}", host="dgx-01", user="root").lines
    assert lines[0].split() == ["COMMAND", "PID", "USER", "FD", "TYPE", "DEVICE", "SIZE/OFF", "NODE", "NAME"]
    assert [line.split()[3] for line in lines[1:3]] == ["cwd", "rtd"]
    assert lines[1].endswith("/home/priya/llama-sft")
    gpu = next(line.split() for line in lines if line.endswith(" /dev/nvidia2") and "mem" not in line)
    assert gpu[3].endswith("u") and gpu[4:7] == ["CHR", "195,2", "0t0"]
    assert run("lsof -t /dev/nvidia2", host="dgx-01", user="root").lines.count(str(pid)) == 1


def test_refusals(run) -> None:
    assert run("fuser /nosuch").stderr == "Specified filename /nosuch does not exist.\n"
    assert run("lsof /nosuch").stderr == "lsof: status error on /nosuch: No such file or directory\n"
    assert run("lsof -u nosuch").stderr.startswith("lsof: can't get UID for nosuch\n")
    assert run("lsof -i").status == 125
