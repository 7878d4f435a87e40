"""Services, processes, modules, memory, disks, network, names, logins: what they show follows from the model, and
agrees.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine.control import logins, modules, network, processes, systemd
from engine.control.accounts import accounts, group_ids
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World


def test_systemctl_status_and_words(run) -> None:
    status = run("systemctl status ssh")
    assert status.status == 0
    assert status.lines[0] == "● ssh.service - OpenBSD Secure Shell server"
    assert "     Loaded: loaded (/usr/lib/systemd/system/ssh.service; enabled; preset: enabled)" in status.lines
    pid = run("systemctl show ssh -p MainPID --value").stdout.strip()
    assert f"   Main PID: {pid} (sshd)" in status.lines
    assert run("pidof sshd").stdout.split()[-1] == pid or pid in run("ps -C sshd -o pid=").stdout
    assert (run("systemctl is-active ssh nosuch").stdout, run("systemctl is-active nosuch").status) == (
        "active\ninactive\n",
        3,
    )
    assert run("systemctl is-enabled nosuch").status == 4
    missing = run("systemctl status nosuch")
    assert (missing.stderr, missing.status) == ("Unit nosuch.service could not be found.\n", 4)
    assert run("systemctl frobnicate").stderr == "Unknown command verb frobnicate.\n"


def test_systemctl_changes_need_root(run, simulation: Simulation[World]) -> None:
    refused = run("systemctl restart cron")
    assert refused.status == 1
    assert refused.stderr.startswith("Failed to restart cron.service: Interactive authentication required.\n")
    assert run("systemctl stop cron", user="root").status == 0
    assert not systemd.is_active(simulation.world, "head-01", "cron")
    assert run("systemctl status cron").lines[0].startswith("○ cron.service")
    assert run("systemctl start nosuch", user="root").status == 5
    assert "Removed" in run("systemctl disable cron", user="root").stderr
    assert run("systemctl is-enabled cron").stdout == "disabled\n"
    assert "Created symlink" in run("systemctl enable --now cron", user="root").stderr
    assert systemd.is_active(simulation.world, "head-01", "cron")


def test_failed_units_are_listed(run, simulation: Simulation[World]) -> None:
    assert run("systemctl --failed").lines[-1] == "0 loaded units listed."
    pid = int(run("systemctl show munge -p MainPID --value").stdout)
    run(f"kill -9 {pid}", user="root")
    failed = run("systemctl --failed")
    assert any(line.startswith("● munge.service") and "failed failed" in line for line in failed.lines)
    status = run("systemctl status munge")
    assert status.status == 3 and "Active: failed (Result: signal)" in status.stdout
    assert run("systemctl is-system-running").stdout == "degraded\n"


def test_ps_shows_what_runs(run, simulation: Simulation[World]) -> None:
    known = processes.processes(simulation.world, "dgx-01")
    listed = run("ps -eo pid=", host="dgx-01").stdout.split()
    assert [int(pid) for pid in listed[:-1]] == [process.pid for process in known]
    assert (
        run("ps aux", host="dgx-01").lines[0]
        == "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"
    )
    assert run("ps -ef", host="dgx-01").lines[0] == "UID          PID    PPID  C STIME TTY          TIME CMD"
    busiest = run("ps -eo user,comm --sort=-pcpu", host="dgx-01").lines
    assert busiest[1].split() == ["priya", "python"]
    chosen = run("ps -u priya -o pid,args", host="dgx-01")
    assert all(re.match(r" *\d+ ", line) for line in chosen.lines[1:])
    assert run("ps -C nosuch").status == 1
    assert run("ps -o foo").stderr.startswith('error: unknown user-defined format specifier "foo"\n')
    assert run("ps -u nosuch").stderr.startswith("error: user name does not exist\n")
    assert " \\_ [" in run("ps axf", host="dgx-01").stdout
    assert run("ps -p 1 -o user:20,comm=NAME").lines == [f"{'USER':<20} NAME", f"{'root':<20} systemd"]


def test_top_counts_what_ps_counts(run) -> None:
    top = run("top -bn1", host="dgx-01")
    total = int(re.search(r"Tasks: +(\d+) total", top.stdout)[1])
    assert total == len(run("ps -e --no-headers", host="dgx-01").lines)
    assert top.lines[6].split()[:4] == ["PID", "USER", "PR", "NI"]
    assert run("top -b -n x").stderr == "top: bad iterations argument 'x'\n"


def test_uptime_free_and_proc_agree(run, simulation: Simulation[World]) -> None:
    assert re.fullmatch(
        r" 09:00:00 up 38 days, 14:53,  0 user,  load average: \d+\.\d\d, \d+\.\d\d, \d+\.\d\d\n", run("uptime").stdout
    )
    figures = run("free -k").lines[1].split()
    known = processes.memory(simulation.world, "head-01")
    assert int(figures[1]) == known.total and int(figures[3]) == known.free
    assert int(figures[2]) == known.total - known.available
    assert run("free -h").lines[0] == "               total        used        free      shared  buff/cache   available"


def test_modules(run, simulation: Simulation[World]) -> None:
    table = run("lsmod", host="dgx-01").lines
    assert table[0] == "Module                  Size  Used by"
    assert len(table) - 1 == len(modules.loaded(simulation.world, "dgx-01"))
    assert run("modinfo -F version nvidia", host="dgx-01").stdout == "590.48.01\n"
    assert run("modinfo nosuch").stderr == "modinfo: ERROR: Module nosuch not found.\n"
    assert run("modprobe -r nvidia", host="dgx-01", user="root").stderr == "modprobe: FATAL: Module nvidia is in use.\n"
    assert run("modprobe nosuch", user="root").stderr.startswith(
        "modprobe: FATAL: Module nosuch not found in directory /lib/"
    )
    assert run("modprobe -r nvidia_drm", host="dgx-01", user="root").status == 0
    assert not modules.is_loaded(simulation.world, "dgx-01", "nvidia_drm")
    assert "insmod /lib/modules/" in run("modprobe -v nvidia_drm", host="dgx-01", user="root").stdout
    assert modules.is_loaded(simulation.world, "dgx-01", "nvidia_drm")


def test_lsmod_is_laid_out_as_the_capture(run, shared: Path) -> None:
    captured = (shared / "corpus/lsmod/lsmod-nvidia.txt").read_text().splitlines()
    form = re.compile(r"^(\S+) +(\d+)  (\d+)( \S+)?$")
    for line in [*captured[1:], *run("lsmod", host="dgx-01").lines[1:]]:
        name, size, refs, users = form.match(line).groups()  # type: ignore[union-attr]
        assert f"{name:<19} {int(size):>8}  {refs}{users or ''}" == line


def test_df(run) -> None:
    here, there = run("df -k /", host="head-01").lines[1].split(), run("df -k /home", host="dgx-01").lines[1].split()
    assert there[0] == "head-01:/home" and there[1:5] == here[1:5]
    assert run("df nosuch").stderr == "df: nosuch: No such file or directory\n"
    assert run("df -h --output=target").lines[0].strip() == "Mounted on"
    everything = run("df -k", host="dgx-01").lines[1:]
    for line in everything:
        total, used, available = (int(text) for text in line.split()[1:4])
        assert used + available <= total


def test_ip_agrees_with_the_model(run, simulation: Simulation[World]) -> None:
    facts = json.loads(run("ip -j addr", host="dgx-01").stdout)
    known = network.interfaces(simulation.world, "dgx-01")
    assert [each["ifname"] for each in facts] == [each.name for each in known]
    assert {each["ifname"] for each in facts if each["operstate"] == "DOWN"} == {"ibp41s0f0", "ibp170s0f0"}
    brief = run("ip -br link", host="dgx-01").lines
    assert [line.split()[0] for line in brief] == [each.name for each in known]
    refused = run("ip link set eno2 down")
    assert (refused.stderr, refused.status) == ("RTNETLINK answers: Operation not permitted\n", 2)
    assert run("ip link set eno2 down", user="root").status == 0
    assert " DOWN " in run("ip -br link show eno2").stdout
    assert not any("eno2" in line for line in run("ip route").lines)
    assert run("ip link show nosuch").stderr == 'Device "nosuch" does not exist.\n'
    assert run("ip frob").stderr == 'Object "frob" is unknown, try "ip help".\n'


def test_ip_statistics_are_laid_out_as_the_capture(run, shared: Path) -> None:
    captured = (shared / "realtools/linux/out/ip_-s_-s_link_show_lo.out").read_text().splitlines()[1:11]
    ours = run("ip -s -s link show lo").lines
    assert [re.sub(r" *\d+ *", "#", line) for line in ours] == [re.sub(r" *\d+ *", "#", line) for line in captured]


def test_names(run) -> None:
    assert run("hostname").stdout == "head-01\n"
    assert run("hostname -I").stdout == "10.20.0.10 10.30.0.10 \n"
    assert run("getent hosts dgx-01").stdout.split()[0] == "10.20.0.11"
    assert run("getent passwd alex nosuch").status == 2
    assert run("uname -n", host="dgx-02").stdout == "dgx-02\n"
    assert run("id -Gn").stdout == "alex adm sudo operators\n"
    assert run("whoami", user="root").stdout == "root\n"
    assert "Static hostname: dgx-01" in run("hostnamectl", host="dgx-01").stdout


def test_getent_knows_ports_by_name_and_number(run) -> None:
    lines = ["ssh                   22/tcp", "http                  80/tcp www", "domain                53/udp"]
    assert run("getent services 22 www domain/udp").lines == lines
    assert run("getent services ssh/udp").status == 2
    assert run("getent protocols 17").stdout == "udp                   17 UDP\n"
    assert not any(line.startswith("#") for line in run("getent services").lines)


def test_services_run_as_accounts_that_exist(opened) -> None:
    names = {account.name for account in accounts(opened.world.inventory)}
    for host in opened.world.inventory.node_names:
        assert {process.user for process in processes.processes(opened.world, host)} <= names
    ids = group_ids(opened.world.inventory)
    assert len(set(ids.values())) == len(ids)
    assert {account.gid for account in accounts(opened.world.inventory)} <= set(ids.values())


def test_ping(run) -> None:
    good = run("ping -c 2 dgx-01")
    assert good.status == 0 and "2 packets transmitted, 2 received, 0% packet loss" in good.stdout
    assert run("ping -c 1 nosuch").stderr == "ping: nosuch: Name or service not known\n"
    assert run("ping -c 1 8.8.8.8").stderr == "ping: connect: Network is unreachable\n"
    run("poweroff", host="dgx-02", user="root")
    run("sleep 60")
    dead = run("ping -c 1 dgx-02")
    assert dead.status == 1 and "Destination Host Unreachable" in dead.stdout


def test_reboot(run, simulation: Simulation[World]) -> None:
    refused = run("reboot")
    assert refused.status == 1 and "Call to Reboot failed: Interactive authentication required." in refused.stderr
    assert run("reboot", host="dgx-02", user="root").status == 0
    run("sleep 400")
    assert simulation.world.nodes["dgx-02"].boots == 1
    assert run("last -n 1", host="dgx-02").lines[0].startswith("reboot   system boot  6.8.0-51-generic Mon Nov 30 09:0")
    assert run("uptime", host="dgx-02").stdout.split()[2:4] != ["28", "days,"]


def test_who_and_w_see_sessions(run, simulation: Simulation[World]) -> None:
    assert run("who", host="dgx-01").stdout == ""
    number = simulation.apply(logins.OpenSession("dgx-01", "alex", "10.20.0.10"))
    assert run("who", host="dgx-01").lines == ["alex     pts/0        2026-11-30 09:00 (10.20.0.10)"]
    assert run("users", host="dgx-01").stdout == "alex\n"
    assert "1 user," in run("w", host="dgx-01").lines[0] and run("w -h", host="dgx-01").lines[0].endswith("-bash")
    assert run("last -n 1", host="dgx-01").lines[0].endswith("still logged in")
    simulation.apply(logins.CloseSession("dgx-01", number))
    assert run("who", host="dgx-01").stdout == ""


@pytest.mark.parametrize(
    "line", ["lscpu", "nproc", "uname -a", "w", "last", "users", "timedatectl", "lscpu -e", "arch"]
)
def test_looking_changes_nothing(line: str, run, simulation: Simulation[World]) -> None:
    before = simulation.state_digest()
    assert run(line, host="dgx-01").status == 0
    assert simulation.state_digest() == before


def test_lscpu_counts_the_board(run) -> None:
    values = dict(re.findall(r"^([^:]+): +(.*)$", run("lscpu", host="dgx-01").stdout, re.MULTILINE))
    assert values["CPU(s)"] == run("nproc", host="dgx-01").stdout.strip() == "224"
    assert values["NUMA node1 CPU(s)"] == "56-111,168-223"
    assert len(run("lscpu -p", host="dgx-01").lines) == 4 + 224


def test_hands(run, simulation: Simulation[World]) -> None:
    assert "reseat" in run("hands").stdout
    assert run("hands order reseat dgx-02/gpu5").stdout.startswith("Order 1: reseat dgx-02/gpu5, expected")
    assert "due at" in run("hands status").stdout
    assert run("hands reseat dgx-02/nothing").status == 1
    assert run("hands frob").status == 1
    assert "done at" in run("hands wait 1").stdout
    assert simulation.now > 30 * 60 * SECOND
