"""What a host's journal is full of: cron, timers, logins and sudo. From before the site's start, day by day.

Lines as Ubuntu 24.04 writes them (cron 3.0, OpenSSH 9.6, sudo 1.9.15, systemd 255 and its timers).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control.history.logins import past_logins
from engine.control.history.past import PastBoot, past_boots
from engine.control.process_ids import pid_at
from engine.kernel.random import Stream, hash64
from engine.kernel.units import DAY, HOUR, MILLISECOND, MINUTE, SECOND
from engine.world.records import LogEntry, Login, Priority
from engine.world.world import World

# Timer services: unit, description, time of day, spread, every how many days.
_TIMERS = (
    ("dpkg-db-backup.service", "Daily dpkg database backup service", 0, 2 * SECOND, 1),
    ("logrotate.service", "Rotate log files", 0, 20 * SECOND, 1),
    ("man-db.service", "Daily man-db regeneration", 2 * HOUR, 12 * HOUR, 1),
    ("apt-daily-upgrade.service", "Daily apt upgrade and clean activities", 6 * HOUR, HOUR, 1),
    ("apt-daily.service", "Daily apt download activities", 9 * HOUR, 6 * HOUR, 1),
    ("systemd-tmpfiles-clean.service", "Cleanup of Temporary Directories", 11 * HOUR, 10 * HOUR, 1),
    ("motd-news.service", "Message of the Day", 3 * HOUR, 8 * HOUR, 1),
    ("fstrim.service", "Discard unused blocks on filesystems from /etc/fstab", 40 * MINUTE, 90 * MINUTE, 7),
    ("e2scrub_all.service", "Online ext4 Metadata Check for All Filesystems", 3 * HOUR + 10 * MINUTE, MINUTE, 7),
)
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_LOOKED_AT = (
    "/usr/bin/nvidia-smi",
    "/usr/bin/dmesg",
    "/usr/bin/journalctl -u slurmd -n 50",
    "/usr/bin/ipmitool sel list",
    "/usr/bin/lspci -vv",
)
_LOOKED_AT_HEAD = (
    "/usr/bin/journalctl -u slurmctld -n 100",
    "/usr/sbin/ibnetdiscover",
    "/usr/bin/tail /var/log/slurm/slurmctld.log",
    "/usr/bin/dmesg",
)


def days(world: World, host: str) -> range:
    """The days (since 1970, UTC) that the journal reaches over before the site's start."""
    start = world.inventory.start
    return range((start + past_boots(world, host)[0].kept_from) // DAY, start // DAY + 1)


def day_entries(world: World, host: str, day: int) -> tuple[LogEntry, ...]:
    """The routine of one day, by time."""
    first = past_boots(world, host)[-1].start
    return world.inventory.once(("routine", world.seed, host, first, day), lambda: _day(world, host, day))


def _day(world: World, host: str, day: int) -> tuple[LogEntry, ...]:
    midnight = day * DAY - world.inventory.start
    entries: list[LogEntry] = []
    for boot in past_boots(world, host):
        # systemd's first half hour after a boot and its last minutes before a shutdown are quiet of timers.
        since = max(midnight, boot.kept_from if not boot.whole else boot.start + 3 * MINUTE)
        until = min(midnight + DAY, 0, (boot.end or 0) - MINUTE)
        if since < until:
            found = (
                *_cron(world, host, boot, midnight),
                *_timers(world, host, boot, day),
                *_logins(world, host, boot, midnight),
            )
            entries += [entry for entry in found if since <= entry.time < until]
    return tuple(sorted(entries, key=lambda entry: entry.time))


def _cron(world: World, host: str, boot: PastBoot, midnight: int) -> Iterator[LogEntry]:
    for hour in range(24):
        time = (
            midnight
            + hour * HOUR
            + 17 * MINUTE
            + SECOND
            + hash64(world.seed, host, midnight, hour) % (40 * MILLISECOND)
        )
        if boot.start < time < (boot.end or 0):
            pid = pid_at(world, host, boot.start, time)
            yield LogEntry(
                time,
                "pam_unix(cron:session): session opened for user root(uid=0) by root(uid=0)",
                "CRON",
                Priority.INFO,
                pid,
                "cron.service",
                "authpriv",
            )
            yield LogEntry(
                time + 900_000,
                "(root) CMD (cd / && run-parts --report /etc/cron.hourly)",
                "CRON",
                Priority.INFO,
                pid + 1,
                "cron.service",
                "cron",
            )
            yield LogEntry(
                time + 6_300_000,
                "pam_unix(cron:session): session closed for user root",
                "CRON",
                Priority.INFO,
                pid,
                "cron.service",
                "authpriv",
            )


def _timers(world: World, host: str, boot: PastBoot, day: int) -> Iterator[LogEntry]:
    midnight = day * DAY - world.inventory.start
    for unit, description, at, spread, every in _TIMERS:
        draw = hash64(world.seed, host, unit, day)
        time = midnight + at + draw % spread
        if day % every or not boot.start < time < (boot.end or 0):
            continue
        took = 30 * MILLISECOND + draw % (900 * MILLISECOND)
        yield _systemd(time, f"Starting {unit} - {description}...", unit)
        yield _systemd(time + took, f"{unit}: Deactivated successfully.", unit)
        yield _systemd(time + took + 90_000, f"Finished {unit} - {description}.", unit)


def _systemd(time: int, text: str, unit: str | None) -> LogEntry:
    return LogEntry(time, text, "systemd", Priority.INFO, 1, unit, "daemon")


def _logins(world: World, host: str, boot: PastBoot, midnight: int) -> Iterator[LogEntry]:
    for login in past_logins(world, host):
        today = login.start < midnight + DAY and (login.end or 0) >= midnight
        if today and boot.start < login.start < (boot.end or 0):
            yield from login_lines(world, host, login)
            yield from _looks(world, host, login)
            yield from logout_lines(login, login_port(world, host, login))


def login_lines(world: World, host: str, login: Login) -> Iterator[LogEntry]:
    """sshd and logind when a session begins."""
    user = world.inventory.user(login.user)
    uid, port = user.uid if user else 0, login_port(world, host, login)
    key = f"ED25519 SHA256:{_fingerprint(world.inventory.name, login.user)}"
    time = login.start
    yield _sshd(
        time, f"Accepted publickey for {login.user} from {login.source} port {port} ssh2: {key}", login.pid, "auth"
    )
    yield _sshd(
        time + 4_000_000,
        f"pam_unix(sshd:session): session opened for user {login.user}(uid={uid}) by {login.user}(uid=0)",
        login.pid,
        "authpriv",
    )
    yield LogEntry(
        time + 9_000_000,
        f"New session {login.number} of user {login.user}.",
        "systemd-logind",
        Priority.INFO,
        None,
        "systemd-logind.service",
        "auth",
    )
    yield _systemd(
        time + 12_000_000, f"Started session-{login.number}.scope - Session {login.number} of User {login.user}.", None
    )


def logout_lines(login: Login, port: int) -> Iterator[LogEntry]:
    """sshd and logind when a session ends."""
    if login.end is None:
        return
    time, child = login.end, login.pid + 76
    yield _sshd(time, f"Received disconnect from {login.source} port {port}:11: disconnected by user", child, "auth")
    yield _sshd(time + 200_000, f"Disconnected from user {login.user} {login.source} port {port}", child, "auth")
    yield _sshd(time + 900_000, f"pam_unix(sshd:session): session closed for user {login.user}", login.pid, "authpriv")
    logind = "systemd-logind", Priority.INFO, None, "systemd-logind.service", "auth"
    yield LogEntry(time + 4_100_000, f"Session {login.number} logged out. Waiting for processes to exit.", *logind)
    yield LogEntry(time + 6_000_000, f"Removed session {login.number}.", *logind)


def _looks(world: World, host: str, login: Login) -> Iterator[LogEntry]:
    """An administrator's commands with sudo."""
    user = world.inventory.user(login.user)
    if user is None or "sudo" not in user.groups or login.end is None:
        return
    stream = Stream(world.seed, f"sudo/{host}/{login.start}")
    for step in range(stream.integer(0, 2)):
        time = login.start + (step + 1) * (login.end - login.start) // 4 + stream.bits() % SECOND
        command = stream.choice(_LOOKED_AT if world.node(host).gpus else _LOOKED_AT_HEAD)
        pid = login.pid + 200 + step
        text = f"{login.user:>8} : TTY={login.terminal} ; PWD={user.home} ; USER=root ; COMMAND={command}"
        yield LogEntry(time, text, "sudo", Priority.NOTICE, pid, None, "authpriv")
        opened = f"pam_unix(sudo:session): session opened for user root(uid=0) by {login.user}(uid={user.uid})"
        yield LogEntry(time + 700_000, opened, "sudo", Priority.INFO, pid, None, "authpriv")
        yield LogEntry(
            time + 900 * MILLISECOND,
            "pam_unix(sudo:session): session closed for user root",
            "sudo",
            Priority.INFO,
            pid,
            None,
            "authpriv",
        )


def login_port(world: World, host: str, login: Login) -> int:
    """The port of the client's side of a session."""
    return 33_000 + hash64(world.seed, host, login.user, login.start) % 27_000


def _sshd(time: int, text: str, pid: int, facility: str) -> LogEntry:
    return LogEntry(time, text, "sshd", Priority.INFO, pid, "ssh.service", facility)


def _fingerprint(site: str, user: str) -> str:
    """The fingerprint of somebody's key: 43 characters of base64."""
    digits = [hash64(site, user, "key", number) for number in range(5)]
    return "".join(_BASE64[draw >> 6 * place & 63] for draw in digits for place in range(9))[:43]
