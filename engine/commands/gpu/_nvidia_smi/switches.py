"""The options of nvidia-smi itself, by the groups of its help. Names: `nvidia-smi -h` of driver 590.48.01."""

from __future__ import annotations

from engine.commands.gpu._nvidia_smi.words import HELP, Switch

ID = Switch("id", ("-i", "--id"), "ID", "Which GPUs: index, bus id, UUID or serial, with commas.")
LOOP = Switch("loop", ("-l", "--loop"), "SECONDS", "Again every so many seconds (5), until Ctrl-C.", True, "5")
LOOP_MS = Switch("loop_ms", ("-lms", "--loop-ms"), "MILLISECONDS", "The same in milliseconds.")
FILENAME = Switch("filename", ("-f", "--filename"), "FILE", "Write to a file instead of standard output.")


def _missing(key: str, names: str, argument: str | None, text: str) -> Switch:
    return Switch(key, tuple(names.split()), argument, text, modelled=False)


_QUERIES = (
    ("gpu", "Properties of the GPUs."),
    ("supported-clocks", "Clocks that can be asked for."),
    ("compute-apps", "Processes that compute."),
    ("accounted-apps", "Finished processes with their statistics."),
    ("retired-pages", "Pages of memory taken out of use."),
    ("remapped-rows", "Rows of memory replaced by spare ones."),
)

QUERY_SWITCHES = tuple(Switch(f"query-{name}", (f"--query-{name}",), "FIELDS", text) for name, text in _QUERIES)
QUERY_HELP_SWITCHES = tuple(
    Switch(f"help-query-{name}", (f"--help-query-{name}",), None, f"The fields of --query-{name}.")
    for name, _ in _QUERIES
)

_CHANGES = (
    ("persistence", "-pm --persistence-mode", "MODE", "Keep the driver loaded: 0/DISABLED or 1/ENABLED."),
    ("ecc", "-e --ecc-config", "MODE", "ECC from the next restart on: 0/DISABLED or 1/ENABLED."),
    ("ecc_reset", "-p --reset-ecc-errors", "COUNTS", "Set counts to zero: 0/VOLATILE or 1/AGGREGATE."),
    ("compute_mode", "-c --compute-mode", "MODE", "Who may compute: 0/DEFAULT, 2/PROHIBITED, 3/EXCLUSIVE_PROCESS."),
    ("lock_clocks", "-lgc --lock-gpu-clocks", "MIN,MAX", "Keep the SM clock between two values, MHz."),
    ("reset_clocks", "-rgc --reset-gpu-clocks", None, "Let the SM clock free again."),
    ("lock_memory", "-lmc --lock-memory-clocks", "MIN,MAX", "Keep the memory clock between two values, MHz."),
    ("reset_memory", "-rmc --reset-memory-clocks", None, "Let the memory clock free again."),
    ("lock_deferred", "-lmcd --lock-memory-clocks-deferred", "CLOCK", "The same from the next load on."),
    ("reset_deferred", "-rmcd --reset-memory-clocks-deferred", None, "Take that back."),
    (
        "applications",
        "-ac --applications-clocks",
        "MEMORY,GRAPHICS",
        "Clocks of applications, MHz (before 590).",
    ),
    ("reset_applications", "-rac --reset-applications-clocks", None, "Their defaults."),
    ("power_limit", "-pl --power-limit", "WATTS", "The most power that the GPU may draw."),
    ("cuda_clocks", "-cc --cuda-clocks", "MODE", "Clocks of CUDA work: 0/RESTORE_DEFAULT or 1/OVERRIDE."),
    ("accounting", "-am --accounting-mode", "MODE", "Statistics of processes that end: 0/DISABLED or 1/ENABLED."),
    ("clear_accounting", "-caa --clear-accounted-apps", None, "Forget them."),
    ("auto_boost", "--auto-boost-default", "MODE", "Auto boost: 0/DISABLED or 1/ENABLED."),
    ("auto_boost_right", "--auto-boost-permission", "MODE", "Who may set it: 0/UNRESTRICTED or 1/RESTRICTED."),
    ("mig", "-mig --multi-instance-gpu", "MODE", "Multi-Instance GPU: 0/DISABLED or 1/ENABLED."),
    ("gom", "--gom", "MODE", "GPU operation mode: 0/ALL_ON, 1/COMPUTE or 2/LOW_DP."),
    ("virtualization", "-vm --virt-mode", "MODE", "Virtualization mode: 3/VGPU or 4/VSGA."),
    ("target_temperature", "-gtt --gpu-target-temp", "CELSIUS", "Target temperature."),
    ("dram_encryption", "-den --dram-encryption", "MODE", "Encryption of memory: 0/DISABLED or 1/ENABLED."),
)

RESET = Switch("reset", ("-r", "--gpu-reset"), "KIND", "Reset GPUs that nobody has open; `bus` for a bus reset.", True)
CHANGES = (
    *(Switch(key, tuple(names.split()), argument, text) for key, names, argument, text in _CHANGES),
    RESET,
)
BESIDE_CHANGES = (
    Switch("clock_mode", ("-m", "--mode"), "MODE", "How -lgc keeps the clock: 0 or 1."),
    Switch("scope", ("-sc", "--scope"), "SCOPE", "What -pl limits: 0/GPU or 1/TOTAL_MODULE."),
    Switch("error_on_warning", ("-eow", "--error-on-warning"), None, "A warning gives a status other than 0."),
)
"""What only says how another option is meant."""

GROUPS: tuple[tuple[str, tuple[Switch, ...]], ...] = (
    (
        "GENERAL OPTIONS",
        (
            HELP,
            Switch("version", ("--version",), None, "Show versions."),
            *QUERY_HELP_SWITCHES,
            _missing("debug", "--debug", "FILE", "Write an encrypted log."),
        ),
    ),
    (
        "LIST OPTIONS",
        (
            Switch("list", ("-L", "--list-gpus"), None, "The GPUs with their UUIDs."),
            _missing("excluded", "-B --list-excluded-gpus", None, "GPUs that are excluded."),
        ),
    ),
    (
        "SUMMARY OPTIONS (the default)",
        (ID, LOOP, LOOP_MS, FILENAME, _missing("columns", "-col --columns", None, "In several columns.")),
    ),
    (
        "QUERY OPTIONS",
        (
            Switch("query", ("-q", "--query"), None, "All about the GPUs."),
            Switch("display", ("-d", "--display"), "SECTIONS", "Only these sections, with commas."),
            _missing("unit", "-u --unit", None, "S-class units instead."),
            Switch("xml", ("-x", "--xml-format"), None, "As XML (the whole report)."),
            _missing("dtd", "--dtd", None, "With the document type."),
        ),
    ),
    (
        "SELECTIVE QUERY OPTIONS",
        (
            *QUERY_SWITCHES,
            Switch("format", ("--format",), "FORMAT", "csv, and with commas: noheader, nounits. Needed."),
        ),
    ),
    (
        "DEVICE MODIFICATION OPTIONS (as root; with -i for some GPUs)",
        (
            *CHANGES,
            *BESIDE_CHANGES,
            _missing("set_hostname", "--set-hostname", "NAME", "Name a GPU."),
            _missing("get_hostname", "--get-hostname", None, "Show that name."),
        ),
    ),
    ("UNIT MODIFICATION OPTIONS", (_missing("led", "-t --toggle-led", "STATE", "The LED of an S-class unit."),)),
)

SWITCHES = tuple(switch for _, switches in GROUPS for switch in switches)

SUBCOMMANDS = {
    "dmon": "Readings of the GPUs, sample by sample.",
    "pmon": "Processes on the GPUs, sample by sample.",
    "topo": "How GPUs and RDMA devices are connected.",
    "drain": "Take GPUs away from the driver and give them back.",
    "nvlink": "NVLinks of the GPUs.",
    "c2c": "Chip-to-chip links between GPU and CPU.",
    "clocks": "Clocks in step with those of another system.",
    "encodersessions": "Sessions of the video encoder.",
    "fbcsessions": "Sessions of frame buffer capture.",
    "vgpu": "Virtual GPUs.",
    "mig": "Cut GPUs in MIG mode up.",
    "compute-policy": "How long a process has the GPU before the next one's turn.",
    "boost-slider": "More clock for one unit, less for others.",
    "power-hint": "What a kind of work would draw.",
    "conf-compute": "Confidential computing.",
}
"""Subcommands that there are, with what they do."""

OTHER_SUBCOMMANDS = (
    "daemon", "replay", "base-clocks", "gpm", "pci", "power-smoothing", "power-profiles", "rusd", "prm", "soc",
)  # fmt: skip
"""Subcommands of the real tool that are not modelled."""
