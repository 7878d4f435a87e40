"""/etc, apart from what has a file of its own: accounts, names, mounts, and the configuration files of Ubuntu 24.04
and the NVIDIA stack.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import accounts, adapter_qos, grub, host_clock, host_names, kernel_image, limits, modprobe_settings
from engine.control.files import SHARED_DIRECTORIES
from engine.control.munge import site_key
from engine.hostfs import mounts
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.views._texts import texts

SHADOW = 42
LOCKED, NO_LOGIN = "!", "*"
GPU_TEXTS = frozenset(
    {
        "dcgm-exporter/default-counters.csv",
        "nvidia-container-runtime/config.toml",
    }
)
MODES = {"sudoers": 0o440, "sudoers.d/90-site": 0o440}
DAY_SECONDS = 86_400
USUAL_MTU = 1_500


def passwd(machine: Machine) -> str:
    """/etc/passwd."""
    lines = [f"{a.name}:x:{a.uid}:{a.gid}:{a.comment}:{a.home}:{a.shell}" for a in accounts.accounts(machine.inventory)]
    return "\n".join(lines) + "\n"


def group(machine: Machine) -> str:
    """/etc/group."""
    members = accounts.group_members(machine.inventory)
    ids = accounts.group_ids(machine.inventory)
    return "".join(f"{name}:x:{number}:{','.join(members[name])}\n" for name, number in ids.items())


def shadow(machine: Machine) -> str:
    """/etc/shadow: nobody has a password, people log in with keys."""
    day = machine.epoch(machine.installed) // 1_000_000_000 // DAY_SECONDS
    known = accounts.accounts(machine.inventory)
    return "".join(f"{a.name}:{LOCKED if a.shell == '/bin/bash' else NO_LOGIN}:{day}:0:99999:7:::\n" for a in known)


def hosts(machine: Machine) -> str:
    """/etc/hosts: this host, and every name of the site."""
    host, domain = machine.host, machine.inventory.domain
    lines = ["127.0.0.1 localhost", f"127.0.1.1 {host}.{domain} {host}", ""]
    lines.append(machine.inventory.once(("/etc/hosts",), lambda: _site_hosts(machine)))
    lines += ["", "::1     ip6-localhost ip6-loopback", "ff02::1 ip6-allnodes", "ff02::2 ip6-allrouters"]
    return "\n".join(lines) + "\n"


def _site_hosts(machine: Machine) -> str:
    entries = host_names.host_entries(machine.world)[1:]
    return "\n".join(f"{entry.address} {' '.join(entry.names)}" for entry in entries)


def motd(machine: Machine) -> str:
    """What a login shows: which cluster this is."""
    node = machine.node
    return f"\n  {machine.inventory.cluster}: {machine.host} ({node.product_name}), {machine.inventory.title}\n\n"


def lsb_values(machine: Machine) -> dict[str, str]:
    """What lsb_release tells, from `Ubuntu 24.04.1 LTS`."""
    name = machine.software("os", "Ubuntu 24.04.1 LTS")
    number = ".".join(name.split()[1].split(".")[:2])
    codename = CODENAMES.get(number, "noble")
    return {
        "DISTRIB_ID": "Ubuntu",
        "DISTRIB_RELEASE": number,
        "DISTRIB_CODENAME": codename,
        "DISTRIB_DESCRIPTION": name,
    }


def lsb_release(machine: Machine) -> str:
    """/etc/lsb-release."""
    values = lsb_values(machine)
    quoted = {**values, "DISTRIB_DESCRIPTION": f'"{values["DISTRIB_DESCRIPTION"]}"'}
    return "".join(f"{name}={value}\n" for name, value in quoted.items())


CODENAMES = {"20.04": "focal", "22.04": "jammy", "24.04": "noble"}


def netplan(machine: Machine) -> str:
    """The addresses that the host gives itself, as netplan has them."""
    lines = ["network:", "  version: 2", "  renderer: networkd"]
    ethernets = [address for address in machine.node.addresses if not address.members]
    members = [member for address in machine.node.addresses for member in address.members]
    if ethernets or members:
        lines.append("  ethernets:")
    lines += [
        line
        for address in ethernets
        for line in (
            f"    {address.interface}:",
            f"      addresses: [{address.cidr}]",
            *([f"      mtu: {address.mtu}"] if address.mtu != USUAL_MTU else []),
        )
    ]
    lines += [line for member in members for line in (f"    {member}:", "      dhcp4: false")]
    bonds = [address for address in machine.node.addresses if address.members]
    if bonds:
        lines.append("  bonds:")
    for address in bonds:
        lines += [
            f"    {address.interface}:",
            f"      interfaces: [{', '.join(address.members)}]",
            f"      addresses: [{address.cidr}]",
            f"      mtu: {address.mtu}",
            "      parameters:",
            "        mode: 802.3ad",
            "        mii-monitor-interval: 100",
        ]
    return "\n".join(lines) + "\n"


def exports(machine: Machine) -> str:
    """/etc/exports of the host that serves the shared directories."""
    lines = [f"{path} *(rw,sync,no_root_squash,no_subtree_check)" for path in SHARED_DIRECTORIES]
    return "\n".join(["# See exports(5).", *lines]) + "\n"


def package_sources(machine: Machine) -> str:
    """Where packages come from: the site's own mirror, which the head serves."""
    codename = lsb_values(machine)["DISTRIB_CODENAME"]
    return f"Types: deb\nURIs: http://{machine.head}/ubuntu\nSuites: {codename}\nComponents: main\n"


COMPUTED: dict[str, Callable[[Machine], str]] = {
    "apt/sources.list.d/cluster.sources": package_sources,
    "fstab": mounts.fstab,
    "group": group,
    "hostname": lambda machine: f"{machine.host}\n",
    "hosts": hosts,
    "issue": lambda machine: f"{machine.software('os', 'Ubuntu 24.04.1 LTS')} \\n \\l\n\n",
    "lsb-release": lsb_release,
    "machine-id": lambda machine: f"{kernel_image.machine_id(machine.inventory, machine.host)}\n",
    "motd": motd,
    "passwd": passwd,
    "timezone": lambda machine: f"{machine.inventory.timezone}\n",
}
DIRECTORIES = (
    "alternatives", "apt/sources.list.d", "cron.d", "cron.daily", "cron.hourly", "cron.weekly", "cron.monthly",
    "init.d", "kernel", "ld.so.conf.d", "modprobe.d", "network", "pam.d", "profile.d", "ssh/ssh_config.d",
    "ssh/sshd_config.d", "udev/rules.d", "update-motd.d",
)  # fmt: skip


def _table(machine: Machine) -> Children:
    table: dict[str, Node] = {name: directory() for name in DIRECTORIES}
    table |= texts("etc", MODES, frozenset() if machine.node.gpus else GPU_TEXTS)
    table |= {name: file(content) for name, content in COMPUTED.items()}
    given = {**limits.DEFAULT_FILES, **modprobe_settings.default_files(machine.node)}
    given |= grub.default_files(machine.inventory, machine.host)
    given |= adapter_qos.default_files(machine.world, machine.host)
    table |= {path.removeprefix("/etc/"): file(content) for path, content in given.items()}
    table |= {
        "shadow": file(shadow, 0o640, gid=SHADOW),
        "netplan/50-cloud-init.yaml": file(netplan, 0o600),
        "localtime": link(f"/usr/share/zoneinfo/{machine.inventory.timezone}"),
        "mtab": link("../proc/self/mounts"),
        "os-release": link("../usr/lib/os-release"),
        "resolv.conf": link("../run/systemd/resolve/stub-resolv.conf"),
        "chrony/sources.d/cluster.sources": file(_time_source),
        "munge": directory(
            {"munge.key": file(_munge_key, 0o400, uid=MUNGE_UID, gid=MUNGE_GID)}, 0o700, uid=MUNGE_UID, gid=MUNGE_GID
        ),
    }
    if machine.is_head:
        table["exports"] = file(exports)
    return table


MUNGE_UID, MUNGE_GID = 111, 113


def _time_source(machine: Machine) -> str:
    """Where the host has the time from."""
    return f"server {host_clock.source(machine.world, machine.host)} iburst\n"


def _munge_key(machine: Machine) -> bytes:
    """The site's key, the same on every host."""
    return site_key(machine.inventory)


DIRECTORY = directory(_table, fixed=True)
