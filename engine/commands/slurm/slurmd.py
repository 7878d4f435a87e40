"""slurmd of Slurm 24.11, typed by hand: its version, and the host as slurm.conf could describe it (`slurmd -C`).

Source: SchedMD/slurm src/slurmd/slurmd/slurmd.c (_print_config) and gres.c for `slurmd -G`.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.slurm._support.daemon_program import daemon_program
from engine.control.slurm import configuration, slurmd
from engine.control.slurm.files import gpu_type
from engine.control.slurm.gres_file import parse_gres_conf
from engine.kernel.units import SECOND


def _configuration(ctx: Context) -> int:
    known = slurmd.hardware(ctx.world, ctx.host)
    found = slurmd.detected_gpus(ctx.world, ctx.host, "AutoDetect=nvml\n")
    gres = f" Gres=gpu:{gpu_type(ctx.node)}:{found}" if found else ""
    ctx.line(
        f"NodeName={ctx.host} CPUs={known.cpus} Boards=1 SocketsPerBoard={known.sockets} CoresPerSocket={known.cores} "
        f"ThreadsPerCore={known.threads} RealMemory={known.memory}{gres}"
    )
    up = (ctx.now - ctx.world.nodes[ctx.host].booted_at) // SECOND
    ctx.line(f"UpTime={up // 86400}-{up // 3600 % 24:02d}:{up // 60 % 60:02d}:{up % 60:02d}")
    return 0


def _gres(ctx: Context) -> int:
    """A line for each device file, or for all that NVML found."""
    refused = slurmd.refusal(ctx.world, ctx.host)
    if refused:
        for line in refused:
            ctx.error(f"slurmd: {line}")
        return 1
    detection, lines = parse_gres_conf(configuration.on_host(ctx.world, ctx.host)[1]).of(ctx.host)
    kind = next((line.type for line in lines if line.type), gpu_type(ctx.node) if detection == "nvml" else "(null)")
    count = slurmd.detected_gpus(ctx.world, ctx.host)
    files = [path for line in lines for path in line.device_files] or [f"/dev/nvidia{index}" for index in range(count)]
    flags = "HAS_FILE,HAS_TYPE,ENV_NVML" if detection == "nvml" else "HAS_FILE,HAS_TYPE"
    for index, path in enumerate(files[:count]):
        ctx.error(f"slurmd: Gres Name=gpu Type={kind} Count=1 Index={index} ID=7696487 File={path} Flags={flags}")
    return 0


COMMAND = daemon_program(
    "slurmd",
    "Slurm's daemon of a compute node",
    {"configuration": _configuration, "gres": _gres},
)
