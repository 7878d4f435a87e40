"""Command lines whose time the bench takes on the small site, in their plain forms: (host, user, line) by family."""

from __future__ import annotations

_DGX, _HEAD = "dgx-01", "head-01"

LINES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "gpu": (
        (_DGX, "alex", "nvidia-smi"),
        (_DGX, "alex", "nvidia-smi -L"),
        (_DGX, "alex", "nvidia-smi -q"),
        (_DGX, "alex", "nvidia-smi --query-gpu=index,temperature.gpu,power.draw,utilization.gpu --format=csv"),
        (_DGX, "alex", "nvidia-smi --query-compute-apps=pid,used_memory --format=csv"),
        (_DGX, "alex", "nvidia-smi topo -m"),
        (_DGX, "alex", "nvidia-smi nvlink -s"),
    ),
    "pci": (
        (_DGX, "alex", "lspci"),
        (_DGX, "root", "lspci -vv -s 1b:00.0"),
        (_DGX, "alex", "lspci -tv"),
        (_DGX, "alex", "lspci -nn"),
    ),
    "bmc": (
        (_DGX, "root", "ipmitool sdr"),
        (_DGX, "root", "ipmitool sel list"),
        (_DGX, "root", "ipmitool chassis status"),
        (_DGX, "root", "ipmitool sensor"),
    ),
    "infiniband": (
        (_DGX, "alex", "ibstat"),
        (_DGX, "alex", "ibv_devinfo"),
        (_DGX, "alex", "ibdev2netdev"),
        (_HEAD, "root", "sminfo"),
        (_HEAD, "root", "ibhosts"),
        (_HEAD, "root", "iblinkinfo"),
        (_DGX, "root", "ibportstate 1 1 query"),
    ),
    "slurm": (
        (_HEAD, "alex", "sinfo"),
        (_HEAD, "alex", "sinfo -R"),
        (_HEAD, "alex", "squeue"),
        (_HEAD, "alex", "scontrol show node dgx-01"),
        (_HEAD, "alex", "scontrol show config"),
        (_HEAD, "alex", "sacct -a"),
    ),
    "linux": (
        (_DGX, "root", "dmesg"),
        (_DGX, "root", "dmesg -T"),
        (_DGX, "root", "journalctl -n 50"),
        (_DGX, "root", "journalctl -k -b"),
        (_DGX, "root", "journalctl -u slurmd"),
        (_DGX, "alex", "systemctl status slurmd"),
        (_DGX, "alex", "systemctl --failed"),
        (_DGX, "alex", "ps aux"),
        (_DGX, "alex", "ps -ef"),
        (_DGX, "alex", "free -h"),
        (_DGX, "alex", "df -h"),
        (_DGX, "alex", "lscpu"),
        (_DGX, "alex", "lsblk"),
        (_DGX, "alex", "lsmod"),
        (_DGX, "alex", "modinfo nvidia"),
        (_DGX, "alex", "ip addr"),
        (_DGX, "alex", "uptime"),
        (_DGX, "alex", "uname -a"),
        (_DGX, "alex", "hostname"),
        (_DGX, "alex", "ls -l /dev"),
        (_DGX, "alex", "dpkg -l"),
        (_DGX, "alex", "top -b -n 1"),
        (_DGX, "alex", "ethtool eno3"),
        (_DGX, "root", "dmidecode"),
        (_DGX, "alex", "last"),
        (_HEAD, "alex", "getent hosts dgx-02"),
    ),
}
