"""slurmdbd, the daemon in front of the accounting database: its file, and what keeps it from starting.

slurmdbd.conf holds the database's password, so that slurmdbd refuses a file which others may read. Texts: SchedMD/slurm
src/slurmdbd/read_config.c; what it says without its database, src/database/mysql_common.c of 24.11.
"""

from __future__ import annotations

from engine.control import files as host_files
from engine.control import service_state
from engine.control.slurm import files
from engine.control.slurm.config_file import FileParser
from engine.world.world import World

PATH = files.SLURMDBD_CONF
DATABASE = "mariadb"
_OWN_MODES = (0o600,)


def refusal(world: World, host: str) -> tuple[str, ...]:
    """Why slurmdbd would not start: its last lines, none if it would. For the start check of the unit."""
    if host_files.removed(world, host, PATH):
        return (f"fatal: slurmdbd.conf file {PATH} not found",)
    held = host_files.written(world, host, PATH)
    if held is not None and held.mode & 0o777 not in _OWN_MODES:
        return (
            f"fatal: slurmdbd.conf file {PATH} should be 600 is {held.mode & 0o777:o} accessible for group or others",
        )
    parser = FileParser("slurmdbd.conf", PATH)
    records = parser.parse(host_files.text(world, host, PATH, files.slurmdbd_conf(world.inventory)))
    if parser.errors:
        return (*parser.errors, f"fatal: Could not open/read/parse slurmdbd.conf file {PATH}")
    if not any(record.keyword == "dbdhost" for record in records):
        return ("fatal: slurmdbd.conf lacks DbdHost parameter",)
    if service_state.find(world, host, DATABASE) and not service_state.is_active(world, host, DATABASE):
        return (
            "error: mysql_real_connect failed: 2002 Can't connect to local server through socket "
            "'/run/mysqld/mysqld.sock' (2)",
            "error: unable to re-connect to as_mysql database",
            "fatal: Couldn't connect to database",
        )
    return ()
