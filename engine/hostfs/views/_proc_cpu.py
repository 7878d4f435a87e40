"""/proc/cpuinfo, /proc/stat and /proc/meminfo, by Linux 6.8's arch/x86/kernel/cpu/proc.c and fs/proc."""

from __future__ import annotations

from itertools import pairwise

from engine.control.processes import memory, processes
from engine.hostfs.machine import Machine
from engine.hostfs.views._cpu_sets import cpu_count
from engine.kernel.units import SECOND

TICKS = 100  # USER_HZ
MICROCODE = "0x2b000603"
ADDRESS_SIZES = "46 bits physical, 57 bits virtual"
BUGS = "spectre_v1 spectre_v2 spec_store_bypass swapgs eibrs_pbrsb bhi"
_INTERRUPTS_PER_SECOND, _SWITCHES_PER_SECOND = 2400, 3900  # of an idle node, a guess


def cpuinfo(machine: Machine) -> str:
    """One block for each logical CPU."""
    return machine.inventory.once(("cpuinfo", machine.host), lambda: _cpuinfo(machine))


def stat(machine: Machine) -> str:
    """/proc/stat: CPU time since the boot in ticks, events, processes."""
    count = cpu_count(machine.node)
    each = [_ticks(machine, count, number) for number in range(count)]
    total = [sum(column) for column in zip(*each, strict=True)]
    seconds = (machine.now - machine.booted) // SECOND
    known = processes(machine.world, machine.host)
    running = sum(process.state.startswith("R") or process.cpu_permille >= 1000 for process in known)
    lines = [f"cpu  {_spaced(total)}", *(f"cpu{number} {_spaced(values)}" for number, values in enumerate(each))]
    lines += [
        f"intr {seconds * _INTERRUPTS_PER_SECOND}",
        f"ctxt {seconds * _SWITCHES_PER_SECOND}",
        f"btime {machine.epoch(machine.booted) // SECOND}",
        f"processes {machine.system.next_pid}",
        f"procs_running {max(1, running)}",
        "procs_blocked 0",
        f"softirq {seconds * _INTERRUPTS_PER_SECOND // 3}",
    ]
    return "\n".join(lines) + "\n"


def idle_time(machine: Machine) -> int:
    """ns that all CPUs together were idle since the boot."""
    return (machine.now - machine.booted) * cpu_count(machine.node) - busy_time(machine)


def busy_time(machine: Machine) -> int:
    """CPU time that was used since the boot, ns: what people's and jobs' processes asked for at each time, and the
    system's own.
    """
    count = cpu_count(machine.node)
    own = count * _SYSTEM_PERMILLE
    steps = [(machine.booted, 0), *machine.system.runnable, (machine.now, 0)]
    used = 0
    for (since, wanted), (until, _) in pairwise(steps):
        used += max(0, until - max(since, machine.booted)) * min(wanted + own, count * 990) // 1000
    return used


_SYSTEM_PERMILLE = 1


def meminfo(machine: Machine) -> str:
    """/proc/meminfo. How the cache divides into its kinds is a guess; sums and totals are those of `free`."""
    figures = memory(machine.world, machine.host)
    cached = figures.buff_cache * 92 // 100
    slab = figures.buff_cache - cached - figures.buff_cache // 50
    lines = {
        "MemTotal": figures.total,
        "MemFree": figures.free,
        "MemAvailable": figures.available,
        "Buffers": figures.buff_cache // 50,
        "Cached": cached,
        "SwapCached": 0,
        "Active": cached // 3 + figures.used // 8,
        "Inactive": cached * 2 // 3,
        "AnonPages": figures.used * 7 // 10,
        "Mapped": figures.used // 20,
        "Shmem": figures.shared,
        "SReclaimable": slab,
        "SUnreclaim": figures.used // 25,
        "SwapTotal": figures.swap_total,
        "SwapFree": figures.swap_free,
        "Dirty": 412,
        "Writeback": 0,
        "CommitLimit": figures.total // 2,
        "Committed_AS": figures.used * 11 // 10,
        "HugePages_Total": 0,
        "HugePages_Free": 0,
        "Hugepagesize": 2048,
    }
    return "".join(
        f"{name + ':':<16}{kib:>8}{'' if name.startswith('HugePages_') else ' kB'}\n" for name, kib in lines.items()
    )


def _cpuinfo(machine: Machine) -> str:
    return "\n".join(_block(machine, number) for number in range(cpu_count(machine.node))) + "\n"


def _block(machine: Machine, number: int) -> str:
    cpu = machine.node.cpu
    core = number % (cpu.sockets * cpu.cores)
    thread = number // (cpu.sockets * cpu.cores)
    package, core_id = core // cpu.cores, core % cpu.cores
    apic = package * 128 + core_id * 2 + thread
    fields = {
        "processor\t": number,
        "vendor_id\t": cpu.vendor,
        "cpu family\t": cpu.family,
        "model\t\t": cpu.model_number,
        "model name\t": cpu.model,
        "stepping\t": cpu.stepping,
        "microcode\t": MICROCODE,
        "cpu MHz\t\t": f"{int(cpu.bogomips.partition('.')[0]) // 2}.000",
        "cache size\t": f"{cpu.cache_l3} KB",
        "physical id\t": package,
        "siblings\t": cpu.cores * cpu.threads,
        "core id\t\t": core_id,
        "cpu cores\t": cpu.cores,
        "apicid\t\t": apic,
        "initial apicid\t": apic,
        "fpu\t\t": "yes",
        "fpu_exception\t": "yes",
        "cpuid level\t": 32,
        "wp\t\t": "yes",
        "flags\t\t": cpu.flags,
        "bugs\t\t": BUGS,
        "bogomips\t": cpu.bogomips,
        "clflush size\t": 64,
        "cache_alignment\t": 64,
        "address sizes\t": ADDRESS_SIZES,
    }
    return "".join(f"{name}: {text}\n" for name, text in fields.items()) + "power management:\n"


def _ticks(machine: Machine, count: int, number: int) -> list[int]:
    """user nice system idle iowait irq softirq steal guest guest_nice of one CPU: all have the same share."""
    busy, idle = busy_time(machine) // count, idle_time(machine) // count
    system, soft = busy // 6, busy // 120
    times = [busy - system - soft, 0, system, idle, 0, 0, soft, 0, 0, 0]
    return [(time + number) * TICKS // SECOND for time in times]


def _spaced(values: list[int]) -> str:
    return " ".join(map(str, values))
