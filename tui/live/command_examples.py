"""Ready lines for the commands: what a person who runs a cluster would try with each, by topic.

The table below has a topic per `==` line and a ready line per other line, with what it shows after `  # `. A line
belongs to the command that it begins with (behind `sudo`), or to the one named before a colon. Marks before a line:
`!` it changes something; `+` it means hosts with GPUs only. `{host}`, `{job}` and `{reason}` are filled in.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

_TABLE = """
== GPUs
nvidia-smi  # all GPUs and what runs on them
nvidia-smi -L  # the GPUs and their UUIDs
nvidia-smi -q -d TEMPERATURE  # temperatures and their limits
nvidia-smi -q -d CLOCK,PERFORMANCE  # clocks, and why they are not higher
nvidia-smi -q -d POWER  # power and its limits
nvidia-smi -q -d ECC,ROW_REMAPPER  # memory errors and remapped rows
nvidia-smi --query-gpu=index,temperature.gpu,power.draw,clocks.sm,utilization.gpu --format=csv  # a table
nvidia-smi topo -m  # how GPUs and RDMA devices are connected
nvidia-smi nvlink -s  # the NVLinks and their speeds
nvidia-smi dmon -s pucv -c 5  # power, use, clocks: five samples
nvidia-smi -q -i 0  # everything about one GPU
! sudo nvidia-smi -pm 1  # persistence mode on
! sudo nvidia-smi -r -i 0  # reset one GPU; nothing may run on it
== Slurm
sinfo  # partitions and the states of their nodes
sinfo -N -l  # node by node
sinfo -R  # why nodes are down or drained
squeue  # jobs that run and wait
squeue -w {host}  # jobs of one node
squeue -l  # with times and limits
scontrol show node {host}  # everything about a node
scontrol show job {job}  # everything about a job
scontrol show partition  # the partitions
scontrol show config  # the configuration in force
scontrol ping  # whether the controller answers
! scontrol update nodename={host} state=drain reason="{reason}"  # no new jobs; those that run go on
! scontrol update nodename={host} state=resume  # back to service
! scontrol reboot ASAP nextstate=RESUME reason="{reason}" {host}  # reboot when its jobs have ended
! scontrol requeue {job}  # stop a job and queue it again
sacct  # your jobs of today
sacct -a -X -S now-1day  # everybody's jobs since yesterday
srun -w {host} hostname  # run something on a node, as a job
! scancel {job}  # end a job
sbatch --wrap "hostname"  # queue a small job
== BMC
sudo ipmitool sdr  # all sensors and whether they are ok
sudo ipmitool sdr type Temperature  # temperatures
sudo ipmitool sdr type Fan  # fans
sudo ipmitool sdr type "Power Supply"  # power supplies
sudo ipmitool sensor  # sensors with their thresholds
sudo ipmitool sel elist  # the event log, in words
sudo ipmitool sel info  # how full the event log is
sudo ipmitool chassis status  # power state and faults
sudo ipmitool chassis power status  # whether it is on
sudo ipmitool fru  # what it is made of
sudo ipmitool mc info  # the BMC itself
! sudo ipmitool sel clear  # empty the event log
! sudo ipmitool chassis power cycle  # power off and on again, at once
== InfiniBand
ibstat  # the RDMA devices and their ports
ibstat mlx5_0  # one device
ibstatus  # state and rate of each port
ibv_devices  # RDMA devices with their GUIDs
ibv_devinfo  # firmware, ports, MTU
ibv_devinfo -d mlx5_0  # one device
ibdev2netdev  # which network interface is which device
sudo iblinkinfo  # all links of the fabric
sudo iblinkinfo --switches-only  # links of the switches
sudo ibswitches  # the switches
sudo ibhosts  # the hosts
sudo ibnetdiscover  # the whole fabric
sudo ibportstate 1 1  # a port, by its LID and number
sudo sminfo  # the subnet manager
== PCI
lspci  # all devices
lspci -tv  # as a tree
lspci -nn -d 10de:  # NVIDIA's devices
lspci -nn -d 15b3:  # Mellanox's devices
sudo lspci -vvv -d 10de:  # with link speed and error bits
== Machine room
hands list  # what can be ordered
hands status  # your orders and their reports
== Logs
sudo dmesg -T | tail -50  # the kernel's last messages
sudo dmesg -T -l err,warn  # errors and warnings
sudo dmesg -T | grep -i -E "nvrm|xid|mlx5|pcie"  # messages about devices
journalctl -n 50 --no-pager  # the journal's last lines
journalctl -p err -b --no-pager  # errors since boot
journalctl -k -b --no-pager | tail -50  # the kernel's messages
journalctl -u ssh -n 20 --no-pager  # one service
journalctl --list-boots  # when it was booted
sudo tail -n 50 /var/log/syslog  # the end of the system log
sudo less /var/log/syslog  # page by page
sudo more /var/log/syslog  # page by page
sudo zcat /var/log/syslog.2.gz | tail -20  # an older log
sudo zgrep -i error /var/log/syslog.2.gz | tail -20  # search an older log
sudo zless /var/log/syslog.2.gz  # an older log, page by page
logger "looked at this host"  # write to the journal
== Services and power
systemctl --failed  # services that have failed
systemctl list-units --type=service --no-pager  # the services
systemctl status ssh --no-pager  # one service
+ systemctl status slurmd --no-pager  # Slurm's daemon on the node
+ systemctl status nvidia-fabricmanager --no-pager  # the NVSwitch fabric's manager
+! sudo systemctl restart slurmd  # start a service again
uptime  # since when it runs, and its load
last -n 20  # logins and reboots
last -x reboot  # reboots
! sudo reboot  # restart: everything that runs there ends
! sudo shutdown -r +1 "maintenance"  # restart in a minute
! sudo shutdown -c  # call that off
! sudo poweroff  # switch off
! sudo halt  # stop without switching off
wall "maintenance in ten minutes"  # a message to everybody
== Processes and load
ps aux --sort=-%cpu | head -15  # the busiest processes
ps -ef  # all processes
ps -eo pid,user,stat,etime,cmd  # with state and age
top  # the busiest, as they change
top -b -n 1 | head -20  # one picture of it
pgrep -a ssh  # processes by name, with their words
pidof sshd  # their numbers
sudo lsof /var/log/syslog  # who has a file open
+ sudo lsof /dev/nvidia0  # who has a GPU open
+ sudo fuser -v /dev/nvidia0  # who has a GPU open
kill -l  # the signals
! killall sleep  # end processes by name
! pkill -u $USER sleep  # end your processes by name
mpstat -P ALL 1 2  # each CPU, two samples
watch -n 2 uptime  # again and again
timeout 5 sleep 10  # for a limited time
sleep 2  # wait
== Machine and kernel
free -h  # memory
lscpu  # processors
nproc  # how many
numactl -H  # NUMA nodes
sudo dmidecode -t system  # maker, product, serial number
sudo dmidecode -t memory  # memory modules
uname -a  # the running kernel
arch
hostname -f  # the full name
hostnamectl  # name, system, kernel
lsmod  # kernel modules in memory
+ lsmod | grep nvidia  # the driver's modules
+ modinfo nvidia  # what the module's file says
modinfo mlx5_core  # what the module's file says
modprobe -n -v mlx5_core  # what loading would do
insmod --help
rmmod --help
sysctl -a | grep vm.  # settings of the kernel
sysctl kernel.hostname  # one setting
cat /proc/cmdline  # what the kernel was started with
+ cat /proc/driver/nvidia/version  # the driver that is loaded
== Disks and file systems
df -h  # how full they are
df -i  # inodes
lsblk  # block devices
mount  # what is mounted
findmnt  # as a tree
findmnt -t nfs4  # NFS
swapon --show  # swap space
umount --help
== Network
ip -br address  # addresses
ip -br link  # links
ip route  # routes
ip -s link  # traffic and errors
ethtool {interface}  # speed and link of an interface
ethtool -i {interface}  # its driver
ping -c 3 {host}  # whether a host answers
nc -zv {host} 22  # whether a port is open
telnet {host} 80  # connect to a port
curl -I http://{host}  # ask a web server
wget --spider http://{host}  # ask a web server
getent hosts {host}  # its address
== Other hosts
ssh {host}  # log in there
ssh {host} uptime  # run one command there
clush -a -b uptime  # on all hosts, like answers together
clush -w {host} uptime  # on some
pdsh -w {host} uptime  # on some
dshbak: pdsh -w {host} uptime | dshbak -c  # like answers together
nodeset -e node-[1-4]  # spell a set of hosts out
nodeset -f node-1 node-2 node-3  # fold it
scp /etc/hostname {host}:/tmp/  # copy a file there
== Files
ls -la  # what is in the folder
ls -l /var/log  # the logs
sudo find /var/log -mmin -60  # changed in the last hour
stat /etc/hosts  # size, owner, times
touch notes.txt  # a new file
nano notes.txt  # edit
vi notes.txt  # edit
vim notes.txt  # edit
mktemp  # a file with a fresh name
! chmod 600 notes.txt  # permissions
! sudo chown $USER /data/scratch  # owner
! sudo chgrp operators /data/scratch  # group
! rm -i notes.txt  # remove, and ask before
== Text
cat /etc/hosts  # the site's names and addresses
cat /etc/os-release  # which system this is
grep -r -i slurm /etc/slurm  # search files
sudo head -20 /var/log/syslog  # the beginning
sort -k 2 /etc/hosts | head  # sorted
uniq -c /etc/hosts | head  # how often
wc -l /etc/hosts  # how many lines
awk '{{print $1}}' /etc/hosts | head  # a column
tee: uptime | tee load.txt  # to the screen and to a file
shuf: seq 5 | shuf  # in random order
== Packages
apt list --upgradable  # what could be newer
apt-cache policy openssh-server  # which versions there are
apt-mark showhold  # what stays as it is
dpkg -l | less  # what is installed
+ dpkg -l | grep -i nvidia  # the driver's packages
dpkg-query -W  # packages and versions
apt-get -s upgrade  # what an upgrade would do
== People and time
w  # who is logged in and does what
who  # who is logged in
users
whoami
id  # your groups
groups
logname
tty
getent passwd $USER  # an account
sudo -l  # what you may do as root
sudo -i  # become root
su --help
crontab -l  # your timed commands
date  # what time it is
timedatectl  # clock and time zone
uuidgen
== Help
apropos memory  # commands about something
whatis sinfo  # a command in one line
man ssh  # the manual
"""

SHELL_SUMMARIES: Mapping[str, str] = {
    "awk": "take columns out of text",
    "cat": "print files",
    "grep": "search text",
    "head": "print the beginning of files",
    "sort": "sort lines",
    "uniq": "count lines that come again",
    "wc": "count lines, words and bytes",
}
"""What the shell's own utilities do that ready lines exist for."""

_FROM_HERE = {
    "clush",
    "curl",
    "dshbak",
    "getent",
    "man",
    "nc",
    "nodeset",
    "pdsh",
    "ping",
    "scp",
    "ssh",
    "telnet",
    "wget",
}
"""Commands that are run where one is, and that mean another host if any."""

_NEED_TERMINAL = {"less", "man", "more", "nano", "su", "top", "vi", "vim", "watch", "zless"}
_SPECIAL = set("'\"*?$;<>(){}[]&~\\!#`")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Example:
    """A ready line with its placeholders, what it shows, and whether it changes something or needs GPUs."""

    line: str
    about: str
    changes: bool = False
    needs_gpus: bool = False

    def filled(self, values: Mapping[str, Sequence[str]]) -> list[str]:
        """The line with each combination of its placeholders' values; none where one has no value."""
        names = list(dict.fromkeys(_PLACEHOLDER.findall(self.line)))
        choices = product(*(values.get(name, ()) for name in names))
        return [self.line.format(**dict(zip(names, choice, strict=True))) for choice in choices]


@cache
def topics() -> Mapping[str, Mapping[str, tuple[Example, ...]]]:
    """The examples by topic and command, in the table's order."""
    found: dict[str, dict[str, tuple[Example, ...]]] = {}
    commands: dict[str, tuple[Example, ...]] = {}
    for text in _TABLE.strip().splitlines():
        if text.startswith("== "):
            commands = found.setdefault(text.removeprefix("== "), {})
        else:
            command, example = _read(text)
            commands[command] = (*commands.get(command, ()), example)
    return found


@cache
def examples() -> Mapping[str, tuple[Example, ...]]:
    """The examples of each command, whatever the topic."""
    found: dict[str, tuple[Example, ...]] = {}
    for commands in topics().values():
        for name, lines in commands.items():
            found[name] = (*found.get(name, ()), *lines)
    return found


def _read(text: str) -> tuple[str, Example]:
    marks, rest = _split_marks(text)
    line, _, about = rest.partition("  # ")
    named = re.match(r"([\w-]+): ", line)
    if named:
        line = line.removeprefix(named[0])
    command = named[1] if named else _command_of(line)
    return command, Example(line, about, "!" in marks, "+" in marks)


def _split_marks(text: str) -> tuple[str, str]:
    rest = text.lstrip("!+ ")
    return text[: len(text) - len(rest)], rest


def _command_of(line: str) -> str:
    words = line.split()
    return words[1] if words[0] == "sudo" and not words[1].startswith("-") else words[0]


def is_from_here(command: str, family: str) -> bool:
    """Whether a command is run where one is, also when it is about another host."""
    return command in _FROM_HERE or family in ("slurm", "hands")


def on_host(line: str, host: str) -> str:
    """The line that runs `line` on another host. What follows its first pipe runs here, on what comes back."""
    command, pipe, rest = _first_pipe(line)
    terminal = "-t " if _command_of(command) in _NEED_TERMINAL or command == "sudo -i" else ""
    quoted = shlex.quote(command) if _SPECIAL & set(command) else command
    return f"ssh {terminal}{host} {quoted}{pipe}{rest}"


def _first_pipe(line: str) -> tuple[str, str, str]:
    """A line at its first pipe outside of quotes."""
    parts = re.match(r"((?:[^'\"|]|'[^']*'|\"[^\"]*\")*)( \| )(.*)", line)
    return (parts[1], parts[2], parts[3]) if parts else (line, "", "")


def reason_text(text: str) -> str:
    """A text as it can stand between double quotes in a line: one line, nothing that the shell would read."""
    plain = " ".join(re.sub(r"[`$\\!]", "", text.replace('"', "'")).split())
    return plain[:100].rstrip()


def searched(names: Sequence[str], text: str, summary_of: Mapping[str, str]) -> list[str]:
    """The commands that a text finds: every word of it stands in the name, the summary or the ready lines. Those whose
    name begins with it come first, then those whose name holds it.
    """
    first = " ".join(text.lower().split())
    fitting = [name for name in names if holds(f"{name} {summary_of.get(name, '')} {_told(name)}", text)]
    return sorted(fitting, key=lambda name: (not name.startswith(first), first not in name))


def holds(told: str, text: str) -> bool:
    """Whether every word of `text` stands in what is told."""
    told = told.lower()
    return all(word in told for word in text.lower().split())


def _told(name: str) -> str:
    return " ".join(f"{one.line} {one.about}" for one in examples().get(name, ()))
