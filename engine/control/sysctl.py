"""Settings of the running kernel (/proc/sys): what Ubuntu 24.04's kernel 6.8 and the site set, and what somebody set
since the boot.

Names have dots, as sysctl(8) prints them. Values are kept as text; numbers are checked against the kernel's limits
where it has some.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.control import kernel_image
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.world import World

_TABLE_LIMIT = "net.ipv4.neigh.default.gc_thresh3"
LARGEST = 2**31 - 1
LARGEST_LONG = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its default, and which numbers the kernel takes (`limits` None: it is a text). `mode` as below
    /proc/sys.
    """

    name: str
    default: str
    limits: tuple[int, int] | None = (-LARGEST - 1, LARGEST)
    mode: int = 0o644


def _flag(name: str, default: int) -> Setting:
    return Setting(name, str(default), (0, 1))


def _text(name: str, default: str, mode: int = 0o644) -> Setting:
    return Setting(name, default, None, mode)


def _long(name: str, default: str) -> Setting:
    return Setting(name, default, (0, LARGEST_LONG))


_SETTINGS = (
    _long("fs.aio-max-nr", "65536"),
    _long("fs.file-max", "9223372036854775807"),
    Setting("fs.inotify.max_user_instances", "128", (0, LARGEST)),
    Setting("fs.inotify.max_user_watches", "1048576", (0, LARGEST)),
    Setting("fs.nr_open", "1048576", (8, LARGEST)),
    Setting("fs.protected_hardlinks", "1", (0, 1), 0o600),
    Setting("fs.protected_regular", "2", (0, 2), 0o600),
    Setting("fs.protected_symlinks", "1", (0, 1), 0o600),
    Setting("fs.suid_dumpable", "2", (0, 2)),
    _text("kernel.core_pattern", "|/usr/share/apport/apport -p%p -s%s -c%c -d%d -P%P -u%u -g%g -- %E"),
    _flag("kernel.dmesg_restrict", 1),
    Setting("kernel.hung_task_timeout_secs", "120", (0, LARGEST)),
    Setting("kernel.kptr_restrict", "1", (0, 2)),
    _flag("kernel.nmi_watchdog", 0),
    Setting("kernel.numa_balancing", "1", (0, 4)),
    Setting("kernel.panic", "0"),
    Setting("kernel.panic_on_oops", "0", (0, 1)),
    Setting("kernel.perf_event_paranoid", "4"),
    Setting("kernel.pid_max", "4194304", (301, 4_194_304)),
    Setting("kernel.printk", "4\t4\t1\t7"),
    Setting("kernel.randomize_va_space", "2", (0, 2)),
    _text("kernel.sem", "32000\t1024000000\t500\t32000"),
    _long("kernel.shmall", "18446744073692774399"),
    _long("kernel.shmmax", "18446744073692774399"),
    Setting("kernel.softlockup_panic", "0", (0, 1)),
    Setting("kernel.sysrq", "176", (0, LARGEST)),
    Setting("kernel.watchdog", "1", (0, 1)),
    Setting("kernel.yama.ptrace_scope", "1", (0, 3)),
    _text("net.core.default_qdisc", "fq_codel"),
    Setting("net.core.netdev_max_backlog", "1000", (0, LARGEST)),
    Setting("net.core.rmem_default", "212992", (256, LARGEST)),
    Setting("net.core.rmem_max", "16777216", (256, LARGEST)),
    Setting("net.core.somaxconn", "4096", (0, LARGEST)),
    Setting("net.core.wmem_default", "212992", (256, LARGEST)),
    Setting("net.core.wmem_max", "16777216", (256, LARGEST)),
    Setting("net.ipv4.conf.all.arp_announce", "0", (0, 2)),
    Setting("net.ipv4.conf.all.arp_ignore", "0", (0, 8)),
    Setting("net.ipv4.conf.all.rp_filter", "2", (0, 2)),
    _flag("net.ipv4.ip_forward", 0),
    Setting("net.ipv4.ip_local_port_range", "32768\t60999", (1, 65_535)),
    _text("net.ipv4.tcp_available_congestion_control", "reno cubic", 0o444),
    _text("net.ipv4.tcp_congestion_control", "cubic"),
    Setting("net.ipv4.neigh.default.gc_interval", "30", (0, LARGEST)),
    Setting("net.ipv4.neigh.default.gc_stale_time", "60", (0, LARGEST)),
    Setting("net.ipv4.neigh.default.gc_thresh1", "128", (0, LARGEST)),
    Setting("net.ipv4.neigh.default.gc_thresh2", "512", (0, LARGEST)),
    Setting("net.ipv4.neigh.default.gc_thresh3", "1024", (0, LARGEST)),
    Setting("net.ipv4.tcp_ecn", "2", (0, 2)),
    Setting("net.ipv4.tcp_mtu_probing", "0", (0, 2)),
    Setting("net.ipv4.tcp_rmem", "4096\t131072\t6291456", (1, LARGEST)),
    Setting("net.ipv4.tcp_wmem", "4096\t16384\t4194304", (1, LARGEST)),
    _flag("net.ipv6.conf.all.disable_ipv6", 0),
    Setting("vm.dirty_background_ratio", "10", (0, 100)),
    Setting("vm.dirty_ratio", "20", (0, 100)),
    Setting("vm.max_map_count", "1048576", (0, LARGEST)),
    _long("vm.min_free_kbytes", "90112"),
    _long("vm.nr_hugepages", "0"),
    Setting("vm.overcommit_memory", "0", (0, 2)),
    Setting("vm.overcommit_ratio", "50", (0, LARGEST)),
    Setting("vm.swappiness", "60", (0, 200)),
    Setting("vm.vfs_cache_pressure", "100", (0, LARGEST)),
    Setting("vm.zone_reclaim_mode", "0", (0, LARGEST)),
)


def settings(world: World, host: str) -> Mapping[str, Setting]:
    """Every setting of `host` by name, sorted; defaults include what the site and the boot give."""
    return world.inventory.once(("sysctl", host), lambda: MappingProxyType(_settings(world, host)))


def value(world: World, host: str, name: str) -> str:
    """What a setting is now. Raises KeyError if the kernel has none of that name."""
    setting = settings(world, host)[name]
    if name == "kernel.random.boot_id":
        return _dashed(kernel_image.boot_id(world, host, world.nodes[host].booted_at))
    return world.systems[host].sysctl.get(name, setting.default)


def checked(setting: Setting, text: str) -> str | None:
    """A value as the kernel keeps it, or None if it is none (EINVAL). Several numbers may be fewer than there are."""
    words = text.split()
    if setting.limits is None:
        return text.rstrip("\n")
    known = setting.default.split()
    low, high = setting.limits
    if not words or len(words) > len(known) or not all(_is_number(word) and low <= int(word) <= high for word in words):
        return None
    return "\t".join(words + known[len(words) :])


@dataclass(frozen=True, slots=True)
class SetSysctl(Action):
    """Set a kernel setting until the next boot. Gives False if the kernel takes no such value."""

    host: str
    name: str
    text: str

    def perform(self, simulation: Simulation[World]) -> bool:
        """Check and keep it."""
        world = simulation.world
        setting = settings(world, self.host)[self.name]
        kept = checked(setting, self.text)
        if kept is None:
            return False
        values = {name: text for name, text in world.systems[self.host].sysctl.items() if name != self.name}
        if kept != setting.default:
            values[self.name] = kept
        world.systems.update(self.host, sysctl=MappingProxyType(dict(sorted(values.items()))))
        if self.name == _TABLE_LIMIT:
            from engine.control import neighbours

            neighbours.tell_overflow(simulation, self.host)
        return True


def _is_number(word: str) -> bool:
    return word.removeprefix("-").isascii() and word.removeprefix("-").isdigit()


def _settings(world: World, host: str) -> dict[str, Setting]:
    inventory, release = world.inventory, kernel_image.running(world, host)
    driver = bool(inventory.node(host).gpus or inventory.node(host).hcas)
    own = (
        _text("kernel.hostname", host, 0o444),
        _text("kernel.osrelease", release, 0o444),
        _text("kernel.ostype", "Linux", 0o444),
        _text("kernel.version", kernel_image.version(release), 0o444),
        _text("kernel.random.boot_id", "", 0o444),
        _text("kernel.random.entropy_avail", "256", 0o444),
        Setting("kernel.tainted", "12288" if driver else "0", None, 0o444),
    )
    return {setting.name: setting for setting in sorted((*_SETTINGS, *own), key=lambda setting: setting.name)}


def _dashed(text: str) -> str:
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
