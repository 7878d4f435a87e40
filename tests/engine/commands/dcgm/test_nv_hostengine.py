"""nv-hostengine by hand, beside the service and instead of it."""

from __future__ import annotations

from engine.kernel.units import SECOND
from tests.engine.commands.dcgm.conftest import IDLE
from tests.support.run import run_command


def test_the_service_has_the_port_and_is_not_ended(root, dcgmi) -> None:
    assert root("nv-hostengine").stdout == "Err: Failed to start DCGM Server: -7\n"
    assert root("nv-hostengine -t").stdout == "Unable to terminate host engine, it may not be running.\n"
    assert dcgmi("group -l").status == 0


def test_a_daemon_answers_until_it_is_ended(root, dcgmi) -> None:
    root("systemctl stop nvidia-dcgm")
    started = root("nv-hostengine --denylist-modules 8")
    assert started.stdout == "Started host engine version 4.4.2 using port number: 5555 \n" and started.status == 0
    assert "| 8         | Profiling          | Denylisted" in dcgmi("modules -l").stdout
    again = root("nv-hostengine")
    assert again.stdout.startswith("Host engine already running with pid ") and again.status == 1
    assert root("nv-hostengine -t").stdout == "Host engine successfully terminated.\n"
    assert dcgmi("group -l").status == 235


def test_who_is_not_root_cannot_write_the_file(site, root) -> None:
    root("systemctl stop nvidia-dcgm")
    result = run_command(site, IDLE, "alex", "nv-hostengine")
    assert result.stderr == "nv-hostengine running as non-root. Some functionality will be limited.\n"
    assert "Error writing pidfile '/var/run/nvhostengine.pid':\nPermission denied." in result.stdout
    assert result.status == 1


def test_in_the_foreground_it_ends_with_ctrl_c(site, root, dcgmi) -> None:
    root("systemctl stop nvidia-dcgm")
    result = run_command(site, IDLE, "root", "nv-hostengine -n", interrupt_after=20 * SECOND)
    assert "using port number: 5555" in result.stdout and dcgmi("group -l").status == 235


def test_options_are_refused_in_its_own_form(root) -> None:
    refused = root("nv-hostengine --nonsense")
    assert refused.stderr.startswith(
        "PARSE ERROR: Argument: --nonsense\n             Couldn't find match for argument\n"
    )
    assert "For complete USAGE and HELP type:" in refused.stderr and refused.status == 1
    assert root("nv-hostengine --version").stdout == "Version : 4.4.2\n"
    assert "USAGE:" in root("nv-hostengine -h").stdout
    assert "not modelled" in root("nv-hostengine -p 5556").stderr
