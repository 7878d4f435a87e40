"""The command line as a person or a script meets it: whole processes, with their streams and exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BREAKFIX = Path(sys.executable).with_name("breakfix")


def run(*words: str, stdin: str = "", home: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """A breakfix process that has ended."""
    variables = {**os.environ, **environment} | ({"BREAKFIX_HOME": str(home)} if home else {})
    return subprocess.run(
        [BREAKFIX, *words], input=stdin, env=variables, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("nosuch",), 2, 'unknown verb "nosuch"'),
        (("shell", "--site", "dgx-h100-5", "-c", "true"), 2, "dgx-h100-4"),
        (("shell", "--seed", "x", "-c", "true"), 2, "--seed x: not a whole number"),
        (("shell", "--seed", "-1", "-c", "true"), 2, "not a whole number"),
        (("shell", "--host", "dgx-9", "-c", "true"), 2, "dgx-01"),
        (("shell", "--user", "alx", "-c", "true"), 2, "alex"),
        (("shell", "--set", "software.slrm=1", "-c", "true"), 2, "software.slurm"),
        (("shell", "--set", "x", "-c", "true"), 2, "PATH=VALUE"),
        (("shell", "--fault", "gpu.fell_of_bus target=dgx-01/gpu0", "-c", "true"), 2, "gpu.fell_off_bus"),
        (("shell", "--fault", "gpu.fell_off_bus target=dgx-01/gpu9", "-c", "true"), 2, "dgx-01/gpu"),
        (("shell", "--fault", "gpu.fell_off_bus", "-c", "true"), 2, "target"),
        (("shell", "--fault", "", "-c", "true"), 2, "fault"),
        (("drill", "gpu-off-bus", "--script", "/dev/null"), 2, "gpu-off-the-bus"),
        (("drill", "gpu-off-the-bus", "--script", "/nosuch"), 2, "/nosuch"),
        (("drill", "--resume"), 2, "no drill to take up"),
        (("drill", "./nosuch.yaml", "--script", "/dev/null"), 2, "nosuch.yaml"),
        (("author", "check", "/etc/passwd"), 1, "/etc/passwd"),
        (("list", "nosuch"), 2, "invalid choice"),
    ],
)
def test_mistakes_are_told_in_a_sentence(words: tuple[str, ...], status: int, says: str, tmp_path: Path) -> None:
    done = run(*words, home=tmp_path)
    assert done.returncode == status
    assert says in done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""


def test_shell_prints_only_what_commands_print_and_ends_with_their_status(tmp_path: Path) -> None:
    done = run("shell", "-c", "echo out; echo err >&2; exit 7", home=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 7)
    assert run("shell", "-c", "x=4", "-c", "echo $x; false", home=tmp_path).stdout == "4\n"


def test_standard_input_feeds_the_shell(tmp_path: Path) -> None:
    done = run("shell", stdin="for i in 1 2\ndo echo $i\ndone\nssh dgx-02\nhostname\nexit 3\necho $?\n", home=tmp_path)
    assert done.stdout.splitlines()[:2] == ["1", "2"]
    assert done.stdout.splitlines()[-2:] == ["dgx-02", "3"]
    unfinished = run("shell", stdin="if true\n", home=tmp_path)
    assert unfinished.stderr == "-bash: syntax error: unexpected end of file\n" and unfinished.returncode == 2


def test_settings_and_faults_change_the_world(tmp_path: Path) -> None:
    done = run("shell", "--set", "software.slurm=22.05.8", "-c", "sinfo -V", home=tmp_path)
    assert "22.05.8" in done.stdout
    fault = ("--fault", "driver.library_mismatch target=dgx-01")
    done = run("shell", *fault, "-c", "ssh dgx-01 nvidia-smi", home=tmp_path)
    assert "Driver/library version mismatch" in done.stdout and done.returncode == 18


@pytest.mark.parametrize("what", ["sites", "faults", "facts", "commands", "hands", "drills", "labs"])
def test_lists_are_tables_and_json(what: str, tmp_path: Path) -> None:
    plain, data = run("list", what, home=tmp_path), run("list", what, "--json", home=tmp_path)
    assert plain.returncode == data.returncode == 0
    assert isinstance(json.loads(data.stdout), list)
    assert plain.stdout and plain.stderr == ""


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    variables = {**os.environ, "BREAKFIX_HOME": str(tmp_path)}
    done = subprocess.run(
        f"'{BREAKFIX}' list facts | head -1; '{BREAKFIX}' shell -c 'seq 100000' | head -1",
        shell=True, env=variables, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == "" and done.stdout.splitlines()[-1] == "1"


def test_an_empty_script_earns_nothing_and_tells_no_truth(tmp_path: Path) -> None:
    done = run("drill", "gpu-off-the-bus", "--script", "/dev/null", "--json", home=tmp_path)
    result = json.loads(done.stdout)
    assert done.returncode == 1
    assert result["passed"] is False and result["score"]["total"] == 0
    assert "truth" not in result and "fell_off_bus" not in done.stdout


@pytest.mark.parametrize("name", ["gpu-off-the-bus", "driver-library-mismatch", "hot-node", "all-quiet"])
def test_the_reference_solution_passes_as_a_script(name: str, tmp_path: Path) -> None:
    from scenarios.catalogue import packaged
    from scenarios.stage import Stage

    scenario = packaged(name)
    script = tmp_path / "script"
    script.write_text(Stage.build(scenario, 5).fill(scenario.solution))
    done = run("drill", name, "--seed", "5", "--script", str(script), "--json", home=tmp_path)
    result = json.loads(done.stdout)
    assert (done.returncode, result["passed"]) == (0, True)
    assert result["score"]["total"] >= 95 and set(result["truth"]) == {"component", "cause"}


def test_a_script_with_a_wrong_move_names_its_line(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("true\n:diagnos component=x cause=y\n")
    done = run("drill", "all-quiet", "--script", str(script), home=tmp_path)
    assert done.returncode == 2 and "line 2" in done.stderr and ":diagnose" in done.stderr


def test_a_data_folder_that_cannot_be_written_loses_only_the_saving(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = run("drill", "all-quiet", "--seed", "1", stdin="echo here\n:quit\n", home=blocked, TERM="dumb")
    assert "here" in done.stdout and "can't be saved" in done.stderr and "Traceback" not in done.stderr


def test_text_that_is_not_utf8_is_told_and_ends_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "BREAKFIX_HOME": str(tmp_path)}
    done = subprocess.run(
        [BREAKFIX, "shell"], input=b"\xff\xfe\necho on\n", env=environment, capture_output=True, timeout=60, check=False
    )
    assert done.stdout == b"on\n" and b"Traceback" not in done.stderr
    done = subprocess.run(
        [BREAKFIX, "shell", "-c", b"echo \xff; echo on"], env=environment, capture_output=True, timeout=60, check=False
    )
    assert done.stdout.endswith(b"on\n") and b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams_are_no_error(closed: str, tmp_path: Path) -> None:
    line = f"'{BREAKFIX}' shell -c 'ls /nosuch' {closed}; echo $?"
    environment = {**os.environ, "BREAKFIX_HOME": str(tmp_path)}
    done = subprocess.run(line, shell=True, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.endswith("2\n") and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        ("sudo rm -rf /; ls / | wc -l", 0, "it is dangerous to operate recursively on '/'"),
        ("ln -s nowhere d && rm d && ls d", 2, "cannot access 'd'"),
        ("cat <<EOF", 0, "delimited by end-of-file (wanted `EOF')"),
        (":(){ :|:& };:", 0, "breakfix stopped this line"),
    ],
)
def test_dangerous_and_unfinished_lines(line: str, status: int, says: str, tmp_path: Path) -> None:
    done = run("shell", "-c", line, "-c", "echo $?; ls /etc/hostname", home=tmp_path)
    assert says in done.stderr and "__epilogue" not in done.stdout + done.stderr
    assert done.stdout.splitlines()[-2:] == [str(status), "/etc/hostname"]


def test_a_script_that_ends_in_a_shell_on_another_host_ends_quietly() -> None:
    result = run("shell", "--site", "dgx-h100-4", stdin="ssh dgx-04\nsudo -i\nhostname\n")
    assert result.stdout.endswith("dgx-04\n")
    assert "Task" not in result.stderr and "Traceback" not in result.stderr
