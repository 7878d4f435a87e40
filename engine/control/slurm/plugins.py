"""The plugins that Slurm's settings name: which there are, and what slurmctld says of one that it does not find.

Source: the plugin folders of SchedMD/slurm 24.11, src/common/plugin.c, and the fatal texts of src/slurmctld
(controller.c, read_config.c).
"""

from __future__ import annotations

from collections.abc import Mapping

_PLUGINS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "AuthType": (("munge", "slurm", "none"), "failed to initialize auth plugin"),
    "CredType": (("munge", "slurm", "none"), "failed to initialize cred plugin"),
    "SelectType": (("cons_tres", "linear"), "failed to initialize node selection plugin"),
    "PreemptType": (("none", "partition_prio", "qos"), "failed to initialize preempt plugin"),
    "AccountingStorageType": (("slurmdbd", "none"), "failed to initialize accounting_storage plugin"),
    "PriorityType": (("basic", "multifactor"), "failed to initialize priority plugin"),
    "TopologyPlugin": (
        ("default", "flat", "tree", "block", "3d_torus", "none"),
        "Failed to initialize topology plugin",
    ),
    "JobCompType": (("none", "filetxt", "script", "mysql", "elasticsearch"), "Failed to initialize jobcomp plugin"),
    "SchedulerType": (("backfill", "builtin"), "Failed to initialize the various schedulers"),
}
"""Settings that slurmctld looks at in this order: the plugins that there are, and the end of a start without."""


def refused_plugin(settings: Mapping[str, str]) -> tuple[str, ...]:
    """slurmctld's lines about the first setting that names a plugin which there is not; none if all are there."""
    for keyword, (known, fatal) in _PLUGINS.items():
        value = settings.get(keyword.lower(), "")
        kind, _, name = value.partition("/")
        if value and name not in known:
            return (
                f"error: Couldn't find the specified plugin name for {value} looking at all files",
                f"error: cannot find {kind} plugin for {value}",
                f"error: cannot create {kind} context for {value}",
                f"fatal: {fatal}",
            )
    return ()
