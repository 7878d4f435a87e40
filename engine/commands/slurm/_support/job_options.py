"""The options that sbatch and srun share, and what they ask slurmctld for.

Source: SchedMD/slurm 24.11 src/common/slurm_opt.c and proc_args.c (names, letters, texts of errors and their exit
status), src/sbatch/opt.c and src/srun/opt.c (environment variables).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.commands.options import Option, Parsed, UsageError
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.numbers import whole
from engine.control.slurm.times import parse_limit, parse_moment
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.world.inventory import Inventory

# `letter,name=`: an option with an argument; `[=]` where the argument may be left out.
MODELLED = """\
A,account= b,begin= D,chdir= comment= C,constraint= c,cpus-per-task= d,dependency= e,error= x,exclude= exclusive[=]
G,gpus= gpus-per-node= gpus-per-task= gres= H,hold i,input= J,job-name= mem= mem-per-cpu= mem-per-gpu= w,nodelist=
N,nodes= nice[=] n,ntasks= ntasks-per-node= tasks-per-node= o,output= p,partition= priority= q,qos= Q,quiet
reservation= test-only t,time= v,verbose"""

# Options that change nothing here: binding, mail, limits, the ways of launching that all come to the same.
_WITHOUT_EFFECT = """\
acctg-freq= cpu-bind= cpu_bind= m,distribution= export= gpu-bind= hint= mail-type= mail-user= mem-bind= k,no-kill[=]
open-mode= profile= propagate[=] signal= wait-all-nodes= use-min-nodes"""
SBATCH_MODELLED = "a,array="
SBATCH_WITHOUT_EFFECT = "get-user-env[=] ignore-pbs"
SALLOC_WITHOUT_EFFECT = "bell no-bell K,kill-command[=] get-user-env[=]"
SALLOC_NOT_MODELLED = "gid= uid= x11[=]"
SRUN_WITHOUT_EFFECT = """\
accel-bind= X,disable-status E,preserve-env exact K,kill-on-bad-exit[=] mpi= msg-timeout= overlap[=] pty[=]
quit-on-interrupt u,unbuffered W,wait= whole"""

_NOT_MODELLED = """\
bb= bbf= cluster-constraint= cluster= M,clusters= container= container-id= context= contiguous S,core-spec=
cores-per-socket= cpu-freq= cpus-per-gpu= deadline= delay-boot= extra= B,extra-node-info= gpu-freq=
gpus-per-socket= gres-flags= L,licenses= mcs-label= oom-kill-step[=] mincpus= network= F,nodefile=
ntasks-per-core= ntasks-per-gpu= ntasks-per-socket= ntasks-per-tres= O,overcommit s,oversubscribe prefer=
reboot resv-ports[=] segment= sockets-per-node= spread-job stepmgr switches= thread-spec= threads-per-core= time-min=
tmp= tres-bind= tres-per-task= wckey="""
SBATCH_NOT_MODELLED = "batch= export-file= gid= kill-on-invalid-dep= uid="
SRUN_NOT_MODELLED = """\
bcast[=] bcast-exclude= compress[=] debugger-test epilog= external-launcher[=] het-group= interactive multi-prog
Z,no-allocate pack-group= prolog= r,relative= send-libs[=] slurmd-debug= task-epilog= task-prolog= T,threads=
treewidth= x11[=]"""

# Environment variables without their SBATCH_ or SLURM_, where they are not the option's own name.
_VARIABLES = {
    "account": "ACCOUNT", "array": "ARRAY_INX", "constraint": "CONSTRAINT", "dependency": "DEPENDENCY",
    "exclusive": "EXCLUSIVE", "gres": "GRES", "gpus": "GPUS", "gpus_per_node": "GPUS_PER_NODE",
    "gpus_per_task": "GPUS_PER_TASK", "job_name": "JOB_NAME", "mem": "MEM_PER_NODE",
    "mem_per_cpu": "MEM_PER_CPU", "mem_per_gpu": "MEM_PER_GPU", "partition": "PARTITION", "qos": "QOS",
    "reservation": "RESERVATION", "time": "TIMELIMIT",
}  # fmt: skip
SBATCH_VARIABLES = {"error": "ERROR", "input": "INPUT", "output": "OUTPUT"}
SRUN_VARIABLES = {
    "nodes": "NNODES", "ntasks": "NTASKS", "ntasks_per_node": "NTASKS_PER_NODE", "cpus_per_task": "CPUS_PER_TASK",
}  # fmt: skip

_MEMORY = ("mem", "mem_per_cpu", "mem_per_gpu")
_SIZE = re.compile(r"(\d{1,15})([kmgt]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "m": 1, "g": 1024, "t": 1024 * 1024}


class BadOption(Exception):
    """A value that the tool refuses: its line, the exit status, and what is printed before the line."""

    def __init__(self, text: str, status: int = 255, before: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.before = before


class NotModelled(Exception):
    """A value that the simulator lacks."""


class WillBeRefused(Exception):
    """What the controller refuses whatever else is asked for."""

    def __init__(self, error: SlurmError) -> None:
        super().__init__(error.text)
        self.error = error


@dataclass(frozen=True, slots=True)
class Setting:
    """Where values are read: the site and the time."""

    inventory: Inventory
    now: int
    directory: str


def options(*tables: str, gap: bool = False) -> tuple[Option, ...]:
    """The options of the tables."""
    found = []
    for word in " ".join(tables).split():
        match = re.fullmatch(r"(?:(\w),)?([\w-]+?)(\[=\]|=)?", word)
        assert match
        short, name, argument = match.groups()
        key = "ntasks_per_node" if name == "tasks-per-node" else None
        shown = "VALUE" if argument else None
        found.append(Option(short, name, shown, argument == "[=]", "not modelled" if gap else "", key))
    return tuple(found)


def shared_options() -> tuple[Option, ...]:
    """What both tools have and the model knows."""
    return options(MODELLED, _WITHOUT_EFFECT)


def shared_gaps() -> tuple[Option, ...]:
    """What both tools have and the model lacks."""
    return options(_NOT_MODELLED, gap=True)


def from_environment(environment: Mapping[str, str], prefix: str, more: Mapping[str, str]) -> dict[str, Any]:
    """Options that environment variables give."""
    names = {**_VARIABLES, **more}
    return {key: environment[f"{prefix}{name}"] for key, name in names.items() if f"{prefix}{name}" in environment}


def first_gap(parsed: Parsed, gaps: Sequence[Option]) -> str | None:
    """The first option given that is not modelled, as it is written."""
    keys = {option.key: option.long for option in gaps}
    return next((f"--{keys[key]}" for key, _ in parsed.given if key in keys), None)


def wanted(layers: Iterable[Mapping[str, Any]], setting: Setting) -> dict[str, Any]:
    """Fields of SubmitJob from layers of options, later ones winning. Raises BadOption, NotModelled, WillBeRefused."""
    merged: dict[str, Any] = {}
    for layer in layers:
        memory = [key for key in _MEMORY if key in layer]
        if len(memory) > 1:
            raise BadOption("fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.", 1)
        if memory:
            merged = {key: value for key, value in merged.items() if key not in _MEMORY}
        merged |= layer
    fields: dict[str, Any] = {}
    for key, value in merged.items():
        if key in _READ:
            fields |= _READ[key](value, setting)
    return fields | _gpu_request(fields)


def given(parsed: Parsed) -> dict[str, Any]:
    """The last value of each option of a line."""
    return dict(parsed.given)


def usage_error(tool: str, bad: BadOption) -> UsageError:
    """The refusal as the tool writes it."""
    mark = "" if str(bad).startswith(("fatal:", "error:")) else "error: "
    return UsageError(f"{bad.before}{tool}: {mark}{bad}\n", bad.status)


def _gpu_request(fields: Mapping[str, Any]) -> dict[str, Any]:
    """GPUs in Slurm's notation, as they were asked for."""
    kind = f":{fields['gpu_type']}" if fields.get("gpu_type") else ""
    for key, mark in (("gpus_per_node", ""), ("gpus", "job="), ("gpus_per_task", "task=")):
        if fields.get(key):
            return {"gpu_request": f"{mark}gres/gpu{kind}:{fields[key]}"}
    return {}


def _number(field: str, option: str) -> Callable[[str, Setting], dict[str, Any]]:
    def read(text: str, setting: Setting) -> dict[str, Any]:
        if not whole(text):
            raise BadOption(f'Invalid numeric value "{text}" for --{option}.', 1)
        return {field: whole(text)}

    return read


def _text(field: str) -> Callable[[str, Setting], dict[str, Any]]:
    return lambda text, setting: {field: text}


def _size(field: str, option: str) -> Callable[[str, Setting], dict[str, Any]]:
    def read(text: str, setting: Setting) -> dict[str, Any]:
        match = _SIZE.fullmatch(text)
        if not match:
            raise BadOption(f"Invalid --{option} specification")
        count, unit = int(match[1]), match[2].lower()
        return {field: -(-count // 1024) if unit == "k" else count * _UNITS[unit]}

    return read


def _hosts(field: str) -> Callable[[str, Setting], dict[str, Any]]:
    def read(text: str, setting: Setting) -> dict[str, Any]:
        try:
            return {field: tuple(dict.fromkeys(expand(text)))}
        except BreakfixError:
            raise BadOption("fatal: Invalid node list specified", 1) from None

    return read


def _nodes(text: str, setting: Setting) -> dict[str, Any]:
    match = re.fullmatch(r"(\d{1,9})(k?)(?:-(\d{1,9})k?)?", text, re.IGNORECASE)
    if not match:
        raise BadOption(f'error: "{text}" is not a valid node count')
    least, most = int(match[1]) * (1024 if match[2] else 1), int(match[3] or 0)
    if most and most < least:
        raise BadOption(f"Maximum node count {most} is less than minimum node count {least}")
    return {"nodes": least or None}


def _time(text: str, setting: Setting) -> dict[str, Any]:
    try:
        limit = parse_limit(text)
    except ValueError:
        raise BadOption("Invalid --time specification") from None
    return {"time_limit": limit or None, "unlimited": not limit}


def _begin(text: str, setting: Setting) -> dict[str, Any]:
    try:
        return {"begin": parse_moment(text, setting.inventory, setting.now)}
    except ValueError:
        before = f"Invalid time specification (pos=0): {text}\n"
        raise BadOption("Invalid --begin specification", before=before) from None


def _exclusive(text: Any, setting: Setting) -> dict[str, Any]:
    if text in (True, "", "exclusive"):
        return {"exclusive": True}
    if text in ("user", "mcs", "topo"):
        raise NotModelled(f"--exclusive={text}")
    if text != "oversubscribe":
        raise BadOption("Invalid --exclusive specification")
    return {}


def _gpus(field: str, option: str) -> Callable[[str, Setting], dict[str, Any]]:
    """`4` or `h100:4`."""

    def read(text: str, setting: Setting) -> dict[str, Any]:
        kind, _, count = text.rpartition(":")
        number = whole(count)
        if number is None or "," in text:
            raise BadOption(f"Invalid --{option} specification")
        return {field: number, "gpu_type": kind}

    return read


def _gres(text: str, setting: Setting) -> dict[str, Any]:
    """`gpu:4`, `gpu:h100:4`, `gpu`, `none`."""
    if text.lower() == "none":
        return {}
    match = re.fullmatch(r"(?:gres[:/])?gpu(?::([a-zA-Z][\w.-]*))?(?::(\d{1,9}))?", text)
    if not match:
        raise WillBeRefused(SlurmError.INVALID_GRES)
    return {"gpus_per_node": int(match[2] or 1), "gpu_type": match[1] or ""}


def _directory(text: str, setting: Setting) -> dict[str, Any]:
    return {"directory": text if text.startswith("/") else f"{setting.directory.rstrip('/')}/{text}"}


def _nice(text: Any, setting: Setting) -> dict[str, Any]:
    """How much lower the priority is to be; 100 if it is not said."""
    if text in (True, ""):
        return {"nice": 100}
    if not re.fullmatch(r"-?\d{1,10}", text) or abs(int(text)) > (1 << 31) - 3:
        raise BadOption("error: Invalid nice value, must be between -2147483645 and 2147483645", 1)
    return {"nice": int(text)}


_READ: dict[str, Callable[[Any, Setting], dict[str, Any]]] = {
    "account": _text("account"),
    "array": _text("array"),
    "nice": _nice,
    "priority": _number("priority", "priority"),
    "begin": _begin,
    "chdir": _directory,
    "comment": _text("comment"),
    "constraint": _text("features"),
    "cpus_per_task": _number("cpus_per_task", "cpus-per-task"),
    "dependency": _text("dependency"),
    "error": _text("standard_error"),
    "exclude": _hosts("exclude"),
    "exclusive": _exclusive,
    "gpus": _gpus("gpus", "gpus"),
    "gpus_per_node": _gpus("gpus_per_node", "gpus-per-node"),
    "gpus_per_task": _gpus("gpus_per_task", "gpus-per-task"),
    "gres": _gres,
    "hold": lambda value, setting: {"hold": True},
    "job_name": _text("name"),
    "mem": _size("memory", "mem"),
    "mem_per_cpu": _size("memory_per_cpu", "mem-per-cpu"),
    "mem_per_gpu": _size("memory_per_gpu", "mem-per-gpu"),
    "nodelist": _hosts("node_list"),
    "nodes": _nodes,
    "ntasks": _number("tasks", "ntasks"),
    "ntasks_per_node": _number("tasks_per_node", "ntasks-per-node"),
    "output": _text("standard_output"),
    "partition": _text("partition"),
    "qos": _text("qos"),
    "reservation": _text("reservation"),
    "time": _time,
}
