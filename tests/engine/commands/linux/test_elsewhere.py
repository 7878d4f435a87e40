"""Being somebody or somewhere else: ssh, scp, sudo, su, and the same command on many hosts."""

from __future__ import annotations

from engine.control import boot
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.world.world import World
from tests.engine.commands.linux.conftest import FakeTerminal


def test_ssh_runs_there_as_the_same_person(run) -> None:
    assert run("ssh dgx-01 uname -n").stdout == "dgx-01\n"
    assert run("ssh dgx-01 whoami").stdout == "alex\n"
    assert run("ssh dgx-01 ssh dgx-02 uname -n").stdout == "dgx-02\n"
    assert run("ssh -q -o ConnectTimeout=5 alex@dgx-01.aurora.example uname -n").stdout == "dgx-01\n"
    assert run("ssh dgx-01 stat nosuch").status == 1


def test_ssh_refusals(run, simulation: Simulation[World]) -> None:
    unknown = run("ssh nosuch true")
    assert (unknown.stderr, unknown.status) == (
        "ssh: Could not resolve hostname nosuch: Name or service not known\n",
        255,
    )
    for who in ("root", "mara"):
        assert run(f"ssh {who}@dgx-01 id").stderr == f"{who}@dgx-01: Permission denied (publickey).\n"
    assert run("ssh dgx-01 uname", user="root").status == 255
    assert run("ssh -p 2222 dgx-01 id").stderr == "ssh: connect to host dgx-01 port 2222: Connection refused\n"
    assert run("ssh leaf-01 x").stderr == "alex@leaf-01: Permission denied (publickey,password).\n"
    assert run("ssh -Z x").stderr.startswith("unknown option -- Z\nusage: ssh")
    run("systemctl stop ssh", host="dgx-03", user="root")
    assert run("ssh dgx-03 id").stderr == "ssh: connect to host dgx-03 port 22: Connection refused\n"


def test_ssh_to_a_node_without_power_gives_up_after_a_while(run, simulation: Simulation[World]) -> None:
    simulation.apply(boot.ChassisPower("dgx-02", "off", "alex"))
    before = simulation.now
    assert run("ssh dgx-02 id").stderr == "ssh: connect to host dgx-02 port 22: No route to host\n"
    assert 3 * SECOND <= simulation.now - before < 4 * SECOND
    assert run("ssh -o ConnectTimeout=1 dgx-02 id").stderr.endswith("Connection timed out\n")
    simulation.apply(boot.ChassisPower("dgx-02", "on", "alex"))
    run("sleep 10m")
    assert run("ssh dgx-02 uname -n").stdout == "dgx-02\n"


def test_a_host_that_goes_down_ends_the_connection(run) -> None:
    assert run("ssh dgx-02 sudo reboot").status == 0
    assert run("ssh dgx-02 uname").status == 255


def test_ssh_login_is_a_session(run) -> None:
    terminal = FakeTerminal()
    result = run("ssh dgx-01", terminal=terminal, environment={"TERM": "xterm"})
    place = terminal.logins[0]
    assert (place.host, place.identity.name, place.login) == ("dgx-01", "alex", True)
    assert place.environment["SSH_CONNECTION"].startswith("10.20.0.10 ")
    assert place.directory == place.environment["HOME"] == "/home/alex"
    assert result.lines[0].startswith("Welcome to Ubuntu 24.04.1 LTS")
    assert result.status == 3 and result.stderr == "Connection to dgx-01 closed.\n"
    again = run("ssh dgx-01", terminal=FakeTerminal())
    assert again.lines[-1] == "Last login: Mon Nov 30 09:00:00 2026 from 10.20.0.10"


def test_ssh_reads_commands_from_standard_input(run) -> None:
    result = run("ssh dgx-01", stdin=b"uname -n\nwhoami\n")
    assert result.stdout == "dgx-01\nalex\n"
    assert "Pseudo-terminal will not be allocated" in result.stderr


def test_ssh_config_gives_names(run, simulation: Simulation[World]) -> None:
    from engine.control.accounts import identity
    from engine.hostfs.host_tree import HostTree

    tree = HostTree(simulation, "head-01", identity(simulation.world.inventory, "alex"))
    tree.make_directory("/home/alex/.ssh", True)
    tree.write("/home/alex/.ssh/config", b"Host gpu\n  HostName dgx-04\n  User alex\n")
    assert run("ssh gpu uname -n").stdout == "dgx-04\n"


def test_sudo(run) -> None:
    assert run("sudo whoami").stdout == "root\n"
    assert run("sudo -u priya id -un").stdout == "priya\n"
    assert run("sudo ls", user="priya").stderr == "priya is not in the sudoers file.\n"
    assert run("sudo -l", user="priya").stderr == "Sorry, user priya may not run sudo on head-01.\n"
    assert run("sudo -l").lines[-1] == "    (ALL : ALL) NOPASSWD: ALL"
    assert run("sudo nosuch").stderr == "sudo: nosuch: command not found\n"
    assert "shell built-in command" in run("sudo cd /").stderr
    assert run("sudo -u foo id").stderr.startswith("sudo: unknown user foo\n")
    assert run("sudo").status == 1
    assert run("sudo dmesg -t -n").status == 1
    assert run("sudo dmesg").lines[0].startswith("[    0.000000] Linux version")
    terminal = FakeTerminal()
    assert run("sudo -i", terminal=terminal).status == 3
    assert terminal.logins[0].identity.uid == 0 and terminal.logins[0].directory == "/root"


def test_su(run) -> None:
    refused = run("su -")
    assert (refused.stderr, refused.status) == ("su: Authentication failure\n", 1)
    assert run("su priya -c whoami", user="root").stdout == "priya\n"
    assert "does not exist" in run("su nosuch").stderr
    assert run("su - munge", user="root").status == 1


def test_clush(run) -> None:
    assert run("clush -w dgx-[01-02] uname -n").stdout == "dgx-01: dgx-01\ndgx-02: dgx-02\n"
    line = "-" * 15
    assert run("clush -bw dgx-[01-04] uname -r").stdout == f"{line}\ndgx-[01-04] (4)\n{line}\n6.8.0-51-generic\n"
    assert run("clush -bL -g compute uname -r").stdout == "dgx-[01-04]: 6.8.0-51-generic\n"
    failed = run("clush -bw dgx-[01-02] stat nosuch")
    assert failed.stderr.endswith("clush: dgx-[01-02] (2): exited with exit code 1\n") and failed.status == 0
    assert run("clush -S -w dgx-01 stat nosuch").status == 1
    assert run("clush -w dgx-[01").stderr == 'clush: Parse error: missing bracket: "dgx-[01"\n'
    assert run("clush uname").status == 2
    slow = run("clush -u 2 -w dgx-01 sleep 60")
    assert slow.status == 0


def test_unreachable_hosts_in_a_fan_out(run, simulation: Simulation[World]) -> None:
    simulation.apply(boot.ChassisPower("dgx-02", "off", "alex"))
    result = run("clush -bw dgx-[01-02] uname -n")
    assert "dgx-02: ssh: connect to host dgx-02 port 22: No route to host\n" in result.stderr
    assert result.stderr.endswith("clush: dgx-02: exited with exit code 255\n")
    pdsh = run("pdsh -w dgx-[01-02] uname -n")
    assert pdsh.stdout == "dgx-01: dgx-01\n"
    assert pdsh.stderr.endswith("pdsh@head-01: dgx-02: ssh exited with exit code 255\n")


def test_dshbak_and_nodeset(run) -> None:
    text = b"dgx-01: a\ndgx-02: a\ndgx-03: b\n"
    line = "-" * 16
    assert run("dshbak -c", stdin=text).stdout == f"{line}\ndgx-[01-02]\n{line}\na\n{line}\ndgx-03\n{line}\nb\n"
    for words, answer in {
        "-f dgx-01 dgx-02 head-01": "dgx-[01-02],head-01",
        "-e n[1-3,05]": "n1 n2 n3 n05",
        "-c @compute": "4",
        "-f n01 n02 n3": "n[3,01-02]",
        "-f n[1-9] -X n[3-20]": "n[1-2,10-20]",
        "-f n[1-4]-ib[0-1]": "n[1-4]-ib[0-1]",
        "-e n10 n9 n1": "n1 n9 n10",
        "-f b2 a1 b1": "a1,b[1-2]",
        "-f n[1-10/2]": "n[1,3,5,7,9]",
    }.items():
        assert run(f"nodeset {words}").stdout == f"{answer}\n", words


def test_scp(run) -> None:
    assert run("scp dgx-01:/etc/hostname /tmp/x").status == 0
    assert run("less /tmp/x").stdout == "dgx-01\n"
    assert run("scp -r dgx-01:/etc/slurm /tmp/s").status == 0
    assert "slurm.conf" in run("ls /tmp/s").lines
    assert run("scp /etc/hostname dgx-01:/root/x").stderr == 'scp: dest open "/root/x": Permission denied\n'
    assert run("scp nosuch dgx-01:").stderr == 'scp: stat local "nosuch": No such file or directory\n'
    assert run("scp /etc/hostname nosuch:").status == 255


def test_the_time_of_a_fan_out_is_that_of_one_host(run, simulation: Simulation[World]) -> None:
    run("clush -w dgx-01 sleep 60")
    assert MINUTE <= simulation.now < 2 * MINUTE
