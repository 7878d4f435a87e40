"""Prolog, epilog and health check: what their end means, and who runs them."""

from __future__ import annotations

from engine.control import files as host_files
from engine.control import processes
from engine.control.slurm import configuration, files, node_scripts
from engine.control.slurm.administration import Reconfigure
from engine.control.slurm.job_scripts import BeginNodeScript, EndNodeScript
from tests.engine.control.slurm.scene import Sim, job, log, opened, state, submit, wait
from tests.support.sessions import screen

HEAD, NODE = "head-01", "dgx-04"
PATH = "/etc/slurm/script.sh"


def configured(setting: str, text: str = "#!/bin/bash\nexit 0\n", mode: int = 0o755) -> Sim:
    """A site whose nodes have a script, and a line of slurm.conf that names it."""
    simulation = opened()
    for host in (HEAD, "dgx-01", "dgx-02", "dgx-03", NODE):
        conf = configuration.text_on(simulation.world, host, files.SLURM_CONF) + f"{setting}={PATH}\n"
        host_files.write(simulation, host, files.SLURM_CONF, conf.encode(), uid=0, gid=0)
        if text:
            host_files.write(simulation, host, PATH, text.encode(), uid=0, gid=0, mode=mode)
    assert simulation.apply(Reconfigure("root")) is None
    return simulation


def running(simulation: Sim) -> list[str]:
    return [each.kind for each in simulation.world.slurm[""].node_scripts]


def finish(simulation: Sim, status: int, said: str = "") -> None:
    """The one script that runs ends."""
    (script,) = simulation.world.slurm[""].node_scripts
    simulation.apply(BeginNodeScript(script.number))
    simulation.apply(EndNodeScript(script.number, status, said))


def test_a_job_waits_for_its_prolog() -> None:
    simulation = configured("Prolog", "#!/bin/bash\nsleep 20\n")
    number = submit(simulation, node_list=(NODE,))
    wait(simulation, 10)
    assert (job(simulation, number).state, running(simulation)) == ("RUNNING", ["prolog"])
    commands = [each.command for each in simulation.world.systems[NODE].processes]
    assert commands == [f"/bin/bash {PATH}"]
    wait(simulation, 15)
    assert running(simulation) == []
    assert any(each.job == number for each in simulation.world.systems[NODE].processes)


def test_a_prolog_that_fails_drains_the_node_and_holds_the_job() -> None:
    simulation = configured("Prolog")
    number = submit(simulation, node_list=(NODE,))
    wait(simulation, 1)
    finish(simulation, 3, "no scratch\n")
    assert log(simulation, NODE)[-2:] == [
        "error: prolog failed: rc:3 output:no scratch",
        f"error: [job {number}] prolog failed status=3:0",
    ]
    wait(simulation, 5)
    assert (state(simulation, NODE), simulation.world.slurm_nodes[NODE].reason) == ("drain", "Prolog error")
    wait(simulation, 300)
    assert (job(simulation, number).state, job(simulation, number).reason) == ("PENDING", "launch failed requeued held")


def test_a_prolog_that_is_not_there_or_may_not_be_executed_fails() -> None:
    for simulation, line in (
        (configured("Prolog", ""), f"error: prolog: Unable to create list of paths [{PATH}]"),
        (
            configured("Prolog", mode=0o644),
            f"error: run_command: prolog can not be executed ({PATH}) Permission denied",
        ),
    ):
        submit(simulation, node_list=(NODE,))
        wait(simulation, 3)
        assert line in log(simulation, NODE)
        assert simulation.world.slurm_nodes[NODE].reason == "Prolog error"


def test_an_epilog_keeps_its_node_completing() -> None:
    simulation = configured("Epilog", "#!/bin/bash\nsleep 400\n")
    number = submit(simulation, node_list=(NODE,), sleep=1)
    wait(simulation, 60)
    assert (job(simulation, number).state, state(simulation, NODE)) == ("COMPLETED", "comp")
    wait(simulation, 200)
    assert f"Resending TERMINATE_JOB request JobId={number} Nodelist={NODE}" in log(simulation)
    wait(simulation, 300)
    assert state(simulation, NODE) == "idle"


def test_an_epilog_that_somebody_kills_has_failed() -> None:
    simulation = configured("Epilog", "#!/bin/bash\nsleep 4000\n")
    submit(simulation, node_list=(NODE,), sleep=1)
    wait(simulation, 30)
    (script,) = simulation.world.slurm[""].node_scripts
    processes.end(simulation, NODE, [script.pid], "killed", 9)
    assert log(simulation, NODE)[-1].endswith("epilog failed status=0:9")
    assert (state(simulation, NODE), simulation.world.slurm_nodes[NODE].reason) == ("drain", "Epilog error")


def test_a_time_limit_ends_an_epilog() -> None:
    simulation = configured("PrologEpilogTimeout=30\nEpilog", "#!/bin/bash\nsleep 4000\n")
    submit(simulation, node_list=(NODE,), sleep=1)
    wait(simulation, 60)
    assert simulation.world.slurm_nodes[NODE].reason == "Epilog error"


def test_health_checks_come_in_rounds_and_drain_nobody_by_themselves() -> None:
    simulation = configured("HealthCheckInterval=60\nHealthCheckProgram")
    wait(simulation, 59)
    assert running(simulation) == []
    wait(simulation, 1)
    assert running(simulation) == ["health_check"] * 4
    script = simulation.world.slurm[""].node_scripts[-1]
    simulation.apply(EndNodeScript(script.number, 1, "bad\n"))
    assert log(simulation, script.node)[-1] == "error: health_check failed: rc:1 output:bad"
    wait(simulation, 5)
    assert state(simulation, NODE) == "idle"


def test_all_scripts_that_a_pattern_names_run() -> None:
    simulation = opened()
    for name in ("10-a", "20-b"):
        host_files.write(simulation, NODE, f"/etc/slurm/prolog.d/{name}", b"#!/bin/sh\n", uid=0, gid=0, mode=0o755)
    conf = files.slurm_conf(simulation.world.inventory) + "Prolog=/etc/slurm/prolog.d/*\n"
    host_files.write(simulation, NODE, files.SLURM_CONF, conf.encode(), uid=0, gid=0)
    assert simulation.apply(Reconfigure("root")) is None
    assert node_scripts.order(simulation, "prolog", NODE) == ()
    assert [each.path for each in simulation.world.slurm[""].node_scripts] == [
        "/etc/slurm/prolog.d/10-a",
        "/etc/slurm/prolog.d/20-b",
    ]


def test_bash_runs_them_on_their_node_as_root_with_the_jobs_variables() -> None:
    text = '#!/bin/bash\necho "$(hostname) $(id -un) $SLURM_JOB_USER $SLURM_JOB_ID $(nvidia-smi -L | wc -l)"\nexit 4\n'
    simulation = configured("Prolog", text)
    screen(simulation, [f"sbatch -w {NODE} --gres=gpu:2 --wrap hostname", "sleep 5"])
    number = max(simulation.world.slurm[""].active_jobs)
    assert f"error: prolog failed: rc:4 output:{NODE} root alex {number} 8" in log(simulation, NODE)
