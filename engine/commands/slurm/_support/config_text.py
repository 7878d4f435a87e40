"""What `scontrol show config` prints: slurmctld's settings in Slurm's order, and cgroup.conf's.

Settings and defaults from SchedMD/slurm 24.11 src/api/config_info.c and src/common/read_config.h, and from the output
of 22.05 for what differs there.
"""

from __future__ import annotations

import re

from engine.control import files as host_files
from engine.control import service_state
from engine.control.accounts import identity
from engine.control.slurm import configuration, files
from engine.control.slurm.times import timestamp
from engine.control.slurm.version import at_least, release
from engine.kernel.random import hash64
from engine.world.world import World

# `keyword=default`, a keyword alone is (null); `<` marks what 23.11 dropped, `>` what came with it or later.
_SETTINGS = """\
AccountingStorageBackupHost; AccountingStorageEnforce=none; AccountingStorageHost=localhost;
AccountingStorageExternalHost; AccountingStorageParameters; AccountingStoragePort=6819; AccountingStorageTRES={tres};
AccountingStorageType; AccountingStorageUser=N/A; AccountingStoreFlags; AcctGatherEnergyType=acct_gather_energy/none;
AcctGatherFilesystemType=acct_gather_filesystem/none; AcctGatherInterconnectType=acct_gather_interconnect/none;
AcctGatherNodeFreq=0 sec; AcctGatherProfileType=acct_gather_profile/none; AllowSpecResourcesUsage=No; AuthAltTypes;
AuthAltParameters; AuthInfo; AuthType=auth/munge; BatchStartTimeout=10 sec;
BcastExclude=/lib,/usr/lib,/lib64,/usr/lib64; BcastParameters; BOOT_TIME={started}; BurstBufferType;
>CertmgrParameters; >CertmgrType; CliFilterPlugins; ClusterName; CommunicationParameters; CompleteWait=0 sec;
<CoreSpecPlugin=core_spec/none; CpuFreqDef=Unknown; CpuFreqGovernors=OnDemand,Performance,UserSpace;
CredType=cred/munge; >DataParserParameters; DebugFlags; DefMemPerNode={memory}; DependencyParameters;
DisableRootJobs=No; EioTimeout=60; EnforcePartLimits=NO; Epilog; EpilogMsgTime=2000 usec; EpilogSlurmctld;
<ExtSensorsType=ext_sensors/none; <ExtSensorsFreq=0 sec; FairShareDampeningFactor=1; FederationParameters;
FirstJobId=1; GetEnvTimeout=2 sec; GresTypes; GpuFreqDef; GroupUpdateForce=1; GroupUpdateTime=600 sec;
HASH_VAL={hash}; >HashPlugin=hash/k12; HealthCheckInterval=0 sec; HealthCheckNodeState=ANY; HealthCheckProgram;
InactiveLimit=0 sec; InteractiveStepOptions=--interactive --preserve-env --pty $SHELL; JobAcctGatherFrequency=30;
JobAcctGatherType; JobAcctGatherParams; JobCompHost=localhost; JobCompLoc=/var/log/slurm_jobcomp.log; >JobCompParams;
JobCompPort=0; JobCompType=jobcomp/none; JobCompUser=root; JobContainerType=job_container/none;
<JobCredentialPrivateKey; <JobCredentialPublicCertificate; JobDefaults; JobFileAppend=0; JobRequeue=1;
JobSubmitPlugins; KillOnBadExit=0; KillWait=30 sec; LaunchParameters; <LaunchType=launch/slurm; Licenses;
LogTimeFormat=iso8601_ms; MailDomain; MailProg=/bin/mail; MaxArraySize=1001; >MaxBatchRequeue=5;
MaxDBDMsgs={messages}; MaxJobCount=10000; MaxJobId=67043328; MaxMemPerNode=UNLIMITED; MaxNodeCount={nodes};
MaxStepCount=40000; MaxTasksPerNode=512; MCSPlugin=mcs/none; MCSParameters; MessageTimeout=10 sec; MinJobAge=300 sec;
MpiDefault=none; MpiParams; <MULTIPLE_SLURMD=Yes; NEXT_JOB_ID={next_job}; NodeFeaturesPlugins; OverTimeLimit=0 min;
PluginDir=/usr/lib/x86_64-linux-gnu/slurm; PlugStackConfig; <PowerParameters; <PowerPlugin=; PreemptMode=OFF;
>PreemptParameters; PreemptType=preempt/none; PreemptExemptTime=00:00:00; PrEpParameters; PrEpPlugins=prep/script;
PriorityParameters; PrioritySiteFactorParameters; PrioritySiteFactorPlugin; PriorityDecayHalfLife=7-00:00:00;
PriorityCalcPeriod=00:05:00; PriorityFavorSmall=No; PriorityFlags=; PriorityMaxAge=7-00:00:00;
>PriorityType=priority/multifactor; PriorityUsageResetPeriod=NONE; <PriorityType=priority/multifactor;
PriorityWeightAge=0; PriorityWeightAssoc=0; PriorityWeightFairShare=0; PriorityWeightJobSize=0;
PriorityWeightPartition=0; PriorityWeightQOS=0; PriorityWeightTRES; PrivateData=none; ProctrackType=proctrack/cgroup;
Prolog; PrologEpilogTimeout=65534; PrologSlurmctld; PrologFlags; PropagatePrioProcess=0;
PropagateResourceLimits=ALL; PropagateResourceLimitsExcept; RebootProgram; ReconfigFlags; RequeueExit;
RequeueExitHold; ResumeFailProgram; ResumeProgram; ResumeRate=300 nodes/min; ResumeTimeout=60 sec; ResvEpilog;
ResvOverRun=0 min; ResvProlog; ReturnToService=0; <RoutePlugin=route/default; SchedulerParameters;
SchedulerTimeSlice=30 sec; SchedulerType=sched/backfill; ScronParameters; SelectType=select/cons_tres;
SelectTypeParameters=NONE; SlurmUser=root; SlurmctldAddr; SlurmctldDebug=info; SlurmctldHost[0]={controller};
SlurmctldLogFile; SlurmctldPort=6817; SlurmctldSyslogDebug; SlurmctldPrimaryOffProg; SlurmctldPrimaryOnProg;
SlurmctldTimeout=120 sec; SlurmctldParameters; SlurmdDebug=info; SlurmdLogFile; SlurmdParameters;
SlurmdPidFile=/var/run/slurmd.pid; SlurmdPort=6818; SlurmdSpoolDir=/var/spool/slurmd; SlurmdSyslogDebug;
SlurmdTimeout=300 sec; SlurmdUser=root(0); SlurmSchedLogFile; SlurmSchedLogLevel=0;
SlurmctldPidFile=/var/run/slurmctld.pid; <SlurmctldPlugstack; SLURM_CONF=/etc/slurm/slurm.conf;
SLURM_VERSION={version}; SrunEpilog; SrunPortRange=0-0; SrunProlog; StateSaveLocation=/var/spool; SuspendExcNodes;
SuspendExcParts; >SuspendExcStates; SuspendProgram; SuspendRate=60 nodes/min; SuspendTime=INFINITE;
SuspendTimeout=30 sec; SwitchParameters; <SwitchType=switch/none; >SwitchType; TaskEpilog; TaskPlugin;
TaskPluginParam=(null type); TaskProlog; TCPTimeout=2 sec; >TLSParameters; >TLSType=tls/none; TmpFS=/tmp;
TopologyParam; <TopologyPlugin=topology/none; >TopologyPlugin=topology/default; TrackWCKey=No; <TreeWidth=50;
>TreeWidth=16; UsePam=No; UnkillableStepProgram; UnkillableStepTimeout=60 sec; VSizeFactor=0 percent; WaitTime=0 sec;
X11Parameters
"""

_CGROUP = """\
AllowedRAMSpace=100.0%; AllowedSwapSpace=0.0%; CgroupMountpoint=/sys/fs/cgroup; CgroupPlugin=autodetect;
ConstrainCores=no; ConstrainDevices=no; ConstrainRAMSpace=no; ConstrainSwapSpace=no; EnableControllers=no;
IgnoreSystemd=no; IgnoreSystemdOnFailure=no; MaxRAMPercent=100.0%; MaxSwapPercent=100.0%; MemorySwappiness;
MinRAMSpace=30MB; SystemdTimeout=1000 ms
"""
_TRES = "cpu,mem,energy,node,billing,fs/disk,vmem,pages"
_SCRIPTS = ("Prolog", "Epilog", "PrologSlurmctld", "EpilogSlurmctld")
_COUNTED = re.compile(r"\d+( \D+)$")


def config_text(world: World, host: str, now: int) -> str:
    """The settings, as a tool on `host` shows them."""
    known = configuration.in_force(world)
    worked_out = _worked_out(world, host, known)
    lines = [f"Configuration data as of {timestamp(world.inventory, now)}"]
    for keyword, default in _entries(_SETTINGS, at_least(world.inventory, 23, 11)):
        if keyword == "DefMemPerNode" and (per_cpu := known.text("DefMemPerCPU")):
            lines.append(_line("DefMemPerCPU", per_cpu))
            continue
        value = worked_out.get(keyword)
        lines.append(_line(keyword, _setting(known.text(keyword), default) if value is None else value))
        if keyword == "SlurmctldHost[0]":
            backups = enumerate(known.controllers[1:], 1)
            lines += [_line(f"SlurmctldHost[{number}]", name) for number, name in backups]
        if keyword in _SCRIPTS:
            lines[-1:] = [_line(*pair) for pair in _scripts(known, keyword, at_least(world.inventory, 23, 11))]
    return "\n".join([*lines, *_cgroup_lines(world, known), ""])


def _scripts(known: configuration.SlurmConfiguration, keyword: str, numbered: bool) -> list[tuple[str, str]]:
    """Scripts by keyword: `Prolog[0]` from 23.11 on, which may be several."""
    paths = known.scripts.get(keyword.lower(), ())
    if numbered:
        return [(f"{keyword}[{number}]", path) for number, path in enumerate(paths)]
    return [(keyword, paths[0] if paths else "(null)")]


def _worked_out(world: World, host: str, known: configuration.SlurmConfiguration) -> dict[str, str]:
    """Settings that are more than the text of slurm.conf."""
    controller, inventory = world.slurm[""], world.inventory
    head = files.controller_host(inventory)
    extra = known.text("AccountingStorageTRES")
    started = service_state.service(world, head, "slurmctld").since
    user = identity(inventory, known.text("SlurmUser", "root"))
    return {
        "AccountingStorageTRES": f"{_TRES},{extra}" if extra else _TRES,
        "BOOT_TIME": timestamp(inventory, started),
        "DefMemPerNode": known.text("DefMemPerNode") or "UNLIMITED",
        "HASH_VAL": _hash_value(world, host),
        "MaxDBDMsgs": str(2 * known.number("MaxJobCount", 10_000) + 4 * len(known.nodes)),
        "MaxNodeCount": str(len(known.nodes)),
        "NEXT_JOB_ID": str(controller.next_job),
        "SelectTypeParameters": known.text("SelectTypeParameters", "NONE").upper(),
        "SlurmUser": f"{user.name}({user.uid})",
        "SlurmctldHost[0]": next(iter(known.controllers), head),
        "SLURM_VERSION": release(inventory),
    }


def _hash_value(world: World, host: str) -> str:
    """Whether slurm.conf of this host is the one that slurmctld has read."""
    read = world.slurm[""].configuration
    theirs = read[0] if read else files.slurm_conf(world.inventory)
    ours = configuration.on_host(world, host)[0]
    if ours == theirs:
        return "Match"
    values = [hash64(text) & 0xFFFF_FFFF for text in (ours, theirs)]
    return f"Different Ours=0x{values[0]:x} Slurmctld=0x{values[1]:x}"


def _cgroup_lines(world: World, known: configuration.SlurmConfiguration) -> list[str]:
    if "cgroup" not in known.text("ProctrackType"):
        return []
    text = host_files.text(world, files.controller_host(world.inventory), files.CGROUP_CONF, files.cgroup_conf())
    given = {
        key.strip().lower(): value.strip() for key, _, value in (line.partition("=") for line in text.splitlines())
    }
    entries = [_line(key, _setting(given.get(key.lower(), ""), default)) for key, default in _entries(_CGROUP)]
    return ["", "Cgroup Support Configuration:", *entries]


def _entries(table: str, recent: bool = True) -> list[tuple[str, str]]:
    """(keyword, default) of each entry that the release has; recent ones write `no` where older ones have `No`."""
    found = []
    for entry in table.replace("\n", " ").split(";"):
        keyword, equals, default = entry.strip().partition("=")
        if keyword[0] in "<>" and (keyword[0] == ">") != recent:
            continue
        value = default if equals else "(null)"
        found.append((keyword.lstrip("<>"), "no" if value == "No" and recent else value))
    return found


def _setting(given: str, default: str) -> str:
    """A value of the file as it is shown: with the default's unit."""
    if not given:
        return default
    unit = _COUNTED.fullmatch(default)
    if default in ("yes", "no", "No"):
        word = "yes" if given.lower() in ("yes", "true", "1") else "no"
        return word if default.islower() else word.capitalize()
    return given + (unit[1] if unit and given.isdigit() else "")


def _line(keyword: str, value: str) -> str:
    return f"{keyword:<23} = {value}"
