"""What each plugin of sos collects: files as they lie on the host, and the output of commands.

Plugins, and which files and commands are theirs, follow sos 4 (sos/report/plugins), cut down to what the simulated
host has; `nvidia`, `infiniband`, `slurm` and `ipmitool` are what a GPU node's support case turns on. A plugin is
active where one of its `needs` (paths) exists.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plugin:
    """Files, lines of commands, and logs of which `--all-logs` takes the older parts too."""

    name: str
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


PLUGINS = (
    Plugin("apt", ("/etc/apt/sources.list.d/ubuntu.sources",), ("apt-cache policy",), ("/var/log/apt/history.log",)),
    Plugin("block", (), ("lsblk", "lsblk -f -a -l")),
    Plugin("boot", ("/etc/default/grub",), ("ls -lanR /boot",)),
    Plugin("date", ("/etc/localtime",), ("date", "timedatectl")),
    Plugin("docker", ("/etc/docker/daemon.json",), ("docker info", "docker ps -a"), (), ("/usr/bin/docker",)),
    Plugin("dpkg", (), ("dpkg -l",), ("/var/log/dpkg.log",)),
    Plugin("filesys", ("/proc/mounts", "/etc/fstab"), ("df -al -x autofs", "findmnt")),
    Plugin("grub2", ("/boot/grub/grub.cfg", "/etc/default/grub"), ("ls -lanR /boot",)),
    Plugin("hardware", ("/proc/interrupts",), ("dmidecode",)),
    Plugin("host", ("/etc/hostname", "/etc/hosts"), ("hostname", "uptime", "hostnamectl status")),
    Plugin("infiniband", (), ("ibv_devices", "ibv_devinfo -v", "ibstat", "ibstatus"), (), ("/sys/class/infiniband",)),
    Plugin("ipmitool", (), ("ipmitool sel info", "ipmitool sel elist", "ipmitool sensor list", "ipmitool lan print",
                            "ipmitool chassis status", "ipmitool fru print", "ipmitool mc info", "ipmitool sdr info"),
           (), ("/dev/ipmi0",)),
    Plugin("kernel", ("/proc/version", "/proc/cmdline", "/proc/modules", "/proc/driver/nvidia/version"),
           ("uname -a", "lsmod", "dmesg", "dkms status", "sysctl -a"), ("/var/log/kern.log",)),
    Plugin("logs", (), ("journalctl --disk-usage", "journalctl --no-pager --catalog --boot",
                        "journalctl --no-pager --boot -1"), ("/var/log/syslog", "/var/log/auth.log")),
    Plugin("memory", ("/proc/meminfo", "/proc/vmstat"), ("free", "free -m", "swapon --bytes --show")),
    Plugin("networking", ("/proc/net/dev", "/etc/hosts"), ("ip -o addr", "ip route show table all", "ip -s -d link",
                                                          "ip neigh show nud noarp")),
    Plugin("numa", (), ("numactl --hardware", "numactl --show")),
    Plugin("nvidia", ("/proc/driver/nvidia/params", "/proc/driver/nvidia/registry"),
           ("nvidia-smi --list-gpus", "nvidia-smi -q -d PERFORMANCE", "nvidia-smi -q -d RETIREMENT", "nvidia-smi -q",
            "nvidia-smi -q -d ECC", "nvidia-smi nvlink -s", "nvidia-smi nvlink -e"),
           ("/var/log/fabricmanager.log",), ("/usr/bin/nvidia-smi",)),
    Plugin("pci", ("/proc/bus/pci/devices",), ("lspci -nnvv", "lspci -tv")),
    Plugin("process", (), ("ps auxwww", "ps auxwwwm")),
    Plugin("processor", ("/proc/cpuinfo",), ("lscpu", "lscpu -ae")),
    Plugin("release", ("/etc/os-release", "/etc/lsb-release", "/etc/dgx-release"), ()),
    Plugin("services", (), ("systemctl list-units",)),
    Plugin("slurm", ("/etc/slurm/slurm.conf", "/etc/slurm/gres.conf"), ("sinfo -N -l", "scontrol show node"),
           ("/var/log/slurm/slurmd.log", "/var/log/slurmd.log"), ("/etc/slurm/slurm.conf",)),
    Plugin("ssh", ("/etc/ssh/sshd_config", "/etc/ssh/ssh_config"), ()),
    Plugin("system", ("/proc/stat", "/proc/loadavg"), ()),
    Plugin("systemd", (), ("systemctl status --all", "systemctl show-environment", "systemctl list-units --failed",
                           "systemd-analyze blame", "journalctl --list-boots")),
)  # fmt: skip
