"""Messages of Open MPI 4.1's mpirun, in their frames.

Source: open-mpi/ompi v4.1 help files (orterun, rmaps base, errmgr base, hostfile) and orterun.c; occurrences in
open-mpi/ompi#8955 (slots), deepmodeling/dpgen#1733 (executable), gajendra-iitm/starplat#10 (signal, with PID 0).
"""

from __future__ import annotations

_RULE = "-" * 74

_SLOTS = """\
There are not enough slots available in the system to satisfy the {count}
slots that were requested by the application:

  {program}

Either request fewer slots for your application, or make more slots
available for use.

A "slot" is the Open MPI term for an allocatable unit where we can
launch a process.  The number of slots available are defined by the
environment in which Open MPI processes are run:

  1. Hostfile, via "slots=N" clauses (N defaults to number of
     processor cores if not provided)
  2. The --host command line parameter, via a ":N" suffix on the
     hostname (N defaults to 1 if not provided)
  3. Resource manager (e.g., SLURM, PBS/Torque, LSF, etc.)
  4. If none of a hostfile, the --host command line parameter, or an
     RM is present, Open MPI defaults to the number of processor cores

In all the above cases, if you want Open MPI to default to the number
of hardware threads instead of the number of processor cores, use the
--use-hwthread-cpus option.

Alternatively, you can use the --oversubscribe option to ignore the
number of available slots when deciding the number of processes to
launch."""

_ROOT = """\
{name} has detected an attempt to run as root.

Running as root is *strongly* discouraged as any mistake (e.g., in
defining TMPDIR) or bug can result in catastrophic damage to the OS
file system, leaving your system in an unusable state.

We strongly suggest that you run {name} as a non-root user.

You can override this protection by adding the --allow-run-as-root option
to the cmd line or by setting two environment variables in the following way:
the variable OMPI_ALLOW_RUN_AS_ROOT=1 to indicate the desire to override this
protection, and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 to confirm the choice and
add one more layer of certainty that you want to do so.
We reiterate our advice against doing so - please proceed at your own risk."""

_DAEMONS = """\
ORTE was unable to reliably start one or more daemons.
This usually is caused by:

* not finding the required libraries and/or binaries on
  one or more nodes. Please check your PATH and LD_LIBRARY_PATH
  settings, or configure OMPI with --enable-orterun-prefix-by-default

* lack of authority to execute on one or more specified nodes.
  Please verify your allocation and authorities.

* the inability to write startup files into /tmp (--tmpdir/orte_tmpdir_base).
  Please check with your sys admin to determine the correct location to use.

*  compilation of the orted with dynamic libraries when static are required
  (e.g., on Cray). Please check your configure cmd line and consider using
  one of the contrib/platform definitions for your system type.

* an inability to create a connection back to mpirun due to a
  lack of common network interfaces and/or no route found between
  them. Please check network connectivity (including firewalls
  and network routing requirements)."""

_EXECUTABLE = """\
{name} was unable to find the specified executable file, and therefore
did not launch the job.  This error was first reported for process
rank {rank}; it may have occurred for other processes as well.

NOTE: A common cause for this error is misspelling a {name} command
      line parameter option (remember that {name} interprets the first
      unrecognized command line token as the executable).

Node:       {host}
Executable: {program}"""

_NOTHING = """\
{name} could not find anything to do.

It is possible that you forgot to specify how many processes to run
via the "-np" argument."""

_NOT_ALLOCATED = """\
Some of the requested hosts are not included in the current allocation for the
application:
  {program}
The requested hosts were:
  {hosts}

Verify that you have mapped the allocated resources properly using the
--host or --hostfile specification."""

_TOO_MANY = """\
Your job has requested more processes than the ppr for
this topology can support:

  App: {program}
  Number of procs:  {count}
  PPR: {pattern}

Please revise the conflict and try again."""

_NO_HOSTFILE = """\
Open RTE was unable to open the hostfile:
    {path}
Check to make sure the path and filename are correct."""

_FIRST_FAILED = """\
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted."""

_EXITED = """\
{name} detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[{job},1],{rank}]
  Exit code:    {status}"""

_SIGNALLED = "{name} noticed that process rank {rank} with PID 0 on node {host} exited on signal {signal} ({title})."

_NO_NUMBER = """\
{rule}
Open MPI has detected that a parameter given to a command line
option does not match the expected format:

  Option: {option}
  Param:  {value}

This is frequently caused by omitting to provide the parameter
to an option that requires one. Please check the command line and try again.
{rule}
"""

_LOST_DAEMON = """\
ORTE has lost communication with a remote daemon.

  HNP daemon   : [[{job},0],0] on node {here}
  Remote daemon: [[{job},0],{number}] on node {host}

This is usually due to either a failure of the TCP network
connection to the node, or possibly an internal failure of
the daemon itself. We cannot recover from this failure, and
therefore will terminate the job."""

MESSAGES = {
    "slots": _SLOTS, "root": _ROOT, "daemons": _DAEMONS, "executable": _EXECUTABLE, "nothing": _NOTHING,
    "not allocated": _NOT_ALLOCATED, "too many": _TOO_MANY, "no hostfile": _NO_HOSTFILE,
    "first failed": _FIRST_FAILED, "exited": _EXITED, "signalled": _SIGNALLED, "lost daemon": _LOST_DAEMON,
}  # fmt: skip


def framed(message: str, **values: object) -> str:
    """A message between two rules, filled in."""
    return f"{_RULE}\n{MESSAGES[message].format(**values)}\n{_RULE}\n"


def no_number(option: str, value: str) -> str:
    """What is said of a count that is not a number; between longer rules than the others (opal/util/cmd_line.c)."""
    return _NO_NUMBER.format(rule="-" * 76, option=option, value=value)
