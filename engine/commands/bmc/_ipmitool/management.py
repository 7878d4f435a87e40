"""`ipmitool mc`, `fru`, `lan` and `user`: what the BMC says of itself and of the machine (ipmi_mc.c, ipmi_fru.c,
ipmi_lanp.c and ipmi_user.c of 1.8.19).

Facts are the node's: firmware, maker, product, serial number, address. Device and product numbers, cipher suites and
the like are not known of any board here; they are the usual ones of MegaRAC firmware or zero, which are guesses.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.bmc._ipmitool.session import Session, integer
from engine.control import firmware
from engine.control.bmc import ResetBmc
from engine.control.bmc_identity import LAN_CHANNEL, MOST_ACCOUNTS, accounts, lan, manufacturer

_DEVICE_SUPPORT = (
    "Sensor Device", "SDR Repository Device", "SEL Device", "FRU Inventory Device", "IPMB Event Receiver",
    "IPMB Event Generator", "Chassis Device",
)  # fmt: skip
_MC_HELP = """\
MC Commands:
  reset <warm|cold>
  guid [auto|smbios|ipmi|rfc4122|dump]
  info
  watchdog <get|reset|off>
  selftest
  getenables
  setenables <option=on|off> ..."""
_USER_HELP = """\
User Commands:
               summary      [<channel number>]
               list         [<channel number>]"""
_FRU_HELP = "FRU Commands:  print read write upgEkey edit internaluse get"


def controller(session: Session, arguments: Sequence[str]) -> int:
    """`mc` (or `bmc`)."""
    word = arguments[0] if arguments else ""
    if word == "info":
        return _info(session)
    if word == "selftest":
        session.line("Selftest: passed")
        return 0
    if word == "reset":
        return _reset(session, arguments[1:])
    if word == "watchdog" and arguments[1:2] == ["get"]:
        return _watchdog(session)
    if word in ("guid", "watchdog", "getenables", "setenables", "getsysinfo", "setsysinfo"):
        return session.context.not_modelled(f"ipmitool mc {word}")
    if word != "help":
        session.context.error(f"Invalid mc/bmc command: {word}" if word else "Not enough parameters given.")
    session.context.error(_MC_HELP)
    return int(word != "help")


def _reset(session: Session, rest: Sequence[str]) -> int:
    """`mc reset`: the BMC starts again and does not answer for a while; the node runs on."""
    word = rest[0] if rest else ""
    if word not in ("cold", "warm"):
        session.context.error("usage: mc reset <warm|cold>")
        return int(word != "help")
    context = session.context
    by = context.environment.get("SUDO_USER") or context.identity.name
    context.simulation.apply(ResetBmc(session.host, word == "cold", by))
    session.line(f"Sent {word} reset command to MC")
    return 0


def _watchdog(session: Session) -> int:
    """`mc watchdog get`: nobody at these sites has started it."""
    rows = (
        ("Watchdog Timer Use:", "Reserved (0x00)"),
        ("Watchdog Timer Is:", "Stopped"),
        ("Watchdog Timer Logging:", "On"),
        ("Watchdog Timer Action:", "No action (0x00)"),
        ("Pre-timeout interrupt:", "None"),
        ("Pre-timeout interval:", "0 seconds"),
        ("Timer Expiration Flags:", "None (0x00)"),
        ("Initial Countdown:", "0.0 sec"),
        ("Present Countdown:", "0.0 sec"),
    )
    for title, value in rows:
        session.line(f"{title:<23} {value}")
    return 0


def _info(session: Session) -> int:
    number, name = manufacturer(session.world, session.host)
    major, minor, *rest = (int(part) for part in firmware.bmc(session.world, session.host).split("."))
    rows = (
        ("Device ID", "32"),
        ("Device Revision", "1"),
        ("Firmware Revision", f"{major}.{minor:02d}"),
        ("IPMI Version", "2.0"),
        ("Manufacturer ID", str(number)),
        ("Manufacturer Name", name),
        ("Product ID", "0 (0x0000)"),
        ("Product Name", "Unknown (0x00)"),
        ("Device Available", "yes"),
        ("Provides Device SDRs", "no"),
    )
    for title, value in rows:
        session.line(f"{title:<26}: {value}")
    session.line("Additional Device Support :")
    for support in _DEVICE_SUPPORT:
        session.line(f"    {support}")
    session.line("Aux Firmware Rev Info     : ")
    for part in (*rest, 0, 0, 0, 0)[:4]:
        session.line(f"    0x{part:02x}")
    return 0


def fru(session: Session, arguments: Sequence[str]) -> int:
    """`fru`: the one board that the BMC has stored data of."""
    word, *rest = arguments or ("print",)
    if word in ("print", "list"):
        if rest and rest[0] not in ("0", "0x0"):
            return _no_fru(session, rest[0])
        if not rest:
            session.line("FRU Device Description : Builtin FRU Device (ID 0)")
        _board(session)
        if not rest:
            session.line()
        return 0
    if word == "help":
        session.context.error(_FRU_HELP)
        return 0
    if word in ("read", "write", "upgEkey", "internaluse", "edit", "get"):
        return session.context.not_modelled(f"ipmitool fru {word}")
    session.context.error(f"Invalid FRU command: {word}")
    raise session.refuse(_FRU_HELP)


def _no_fru(session: Session, number: str) -> int:
    if not number.isdecimal() or int(number) > 255:
        raise session.refuse(f"FRU ID '{number}' is either invalid or out of range.")
    session.line(" Device not present (Requested sensor, data, or record not found)")
    return 1


def _board(session: Session) -> None:
    node = session.world.node(session.host)
    rows = (
        ("Chassis Type", "Rack Mount Chassis"),
        ("Chassis Serial", node.serial),
        ("Board Mfg Date", "Unspecified"),
        ("Board Mfg", node.vendor),
        ("Board Product", node.product_name),
        ("Board Serial", node.serial),
        ("Product Manufacturer", node.vendor),
        ("Product Name", node.product_name),
        ("Product Serial", node.serial),
    )
    for title, value in rows:
        session.line(f" {title:<22}: {value}")


def network(session: Session, arguments: Sequence[str]) -> int:
    """`lan`."""
    word, *rest = arguments or ("",)
    if word in ("print", "printconf") and len(rest) < 2:
        return _print_lan(session, rest[0] if rest else str(LAN_CHANNEL))
    if word in ("set", "alert", "stats"):
        return session.context.not_modelled(f"ipmitool lan {word}")
    if word in ("", "help", "print", "printconf"):
        session.context.error("LAN Commands:\n\t\t   print [<channel number>]")
        return int(word != "help")
    raise session.refuse(f"Invalid LAN command: {word}")


def _print_lan(session: Session, channel: str) -> int:
    if not channel.isdecimal() or int(channel) > 255:
        raise session.refuse(f"Invalid channel: {channel}")
    if int(channel) != LAN_CHANNEL:
        raise session.refuse(f"Invalid channel: {int(channel)}")
    own = lan(session.world, session.host)
    levels = ("Callback", "User", "Operator", "Admin", "OEM")
    rows = [("Set in Progress", "Set Complete"), ("Auth Type Support", "MD5 PASSWORD ")]
    rows += [("" if n else "Auth Type Enable", f"{level:<9}: MD5 ") for n, level in enumerate(levels)]
    rows += [
        ("IP Address Source", "Static Address"),
        ("IP Address", own.address),
        ("Subnet Mask", own.netmask),
        ("MAC Address", own.mac),
        ("SNMP Community String", "public"),
        ("IP Header", "TTL=0x40 Flags=0x40 Precedence=0x00 TOS=0x10"),
        ("BMC ARP Control", "ARP Responses Enabled, Gratuitous ARP Disabled"),
        ("Gratituous ARP Intrvl", "1.0 seconds"),
        ("Default Gateway IP", own.gateway),
        ("Default Gateway MAC", "00:00:00:00:00:00"),
        ("Backup Gateway IP", "0.0.0.0"),
        ("Backup Gateway MAC", "00:00:00:00:00:00"),
        ("802.1q VLAN ID", "Disabled"),
        ("802.1q VLAN Priority", "0"),
        ("RMCP+ Cipher Suites", "3,17"),
        ("Cipher Suite Priv Max", "aaXXXXXXXXXXXXX"),
    ]
    legend = ("X=Cipher Suite Unused", "c=CALLBACK", "u=USER", "o=OPERATOR", "a=ADMIN", "O=OEM")
    rows += [("", f"    {text}") for text in legend]
    rows += [("Bad Password Threshold", "Not Available")]
    for title, value in rows:
        session.line(f"{title:<24}: {value}")
    return 0


def users(session: Session, arguments: Sequence[str]) -> int:
    """`user`."""
    word, *rest = arguments or ("",)
    if word in ("list", "summary") and len(rest) < 2:
        _check_channel(session, rest)
        return _list_users(session) if word == "list" else _summary(session)
    if word in ("set", "test", "priv", "disable", "enable"):
        return session.context.not_modelled(f"ipmitool user {word}")
    if word not in ("help", "list", "summary"):
        session.context.error(f"Invalid user command: '{word}'\n" if word else "Not enough parameters given.")
    session.context.error(_USER_HELP)
    return int(word != "help")


def _check_channel(session: Session, rest: Sequence[str]) -> None:
    number = integer(rest[0]) if rest else LAN_CHANNEL
    if number is None or number not in (*range(0xC), 0xE, 0xF):
        session.context.error(f"Given Channel number '{rest[0]}' is either invalid or out of range.")
        raise session.refuse("Channel number must be from ranges: <0x0..0xB>, <0xE..0xF>")


def _list_users(session: Session) -> int:
    known = {account.number: account for account in accounts(session.world, session.host)}
    if not session.csv:
        session.line("ID  Name\t     Callin  Link Auth\tIPMI Msg   Channel Priv Limit")
    for number in range(1, MOST_ACCOUNTS + 1):
        account = known.get(number)
        name, limit = (account.name, account.privilege) if account else ("", "NO ACCESS")
        messages = "true" if account else "false"
        if session.csv:
            session.line(f"{number},{name},true,false,{messages},{limit}")
        else:
            session.line(f"{number:<4}{name:<17}{'true ':<8}{'false':<11}{messages:<11}{limit}")
    return 0


def _summary(session: Session) -> int:
    known = accounts(session.world, session.host)
    if session.csv:
        session.line(f"{MOST_ACCOUNTS},{len(known)},1")
        return 0
    session.line(f"Maximum IDs\t    : {MOST_ACCOUNTS}")
    session.line(f"Enabled User Count  : {len(known)}")
    session.line("Fixed Name Count    : 1")
    return 0
