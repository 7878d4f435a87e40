"""What plugs into the cages of network ports: transceivers, the connectors of their fibres, and adapters' firmware."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ModuleState:
    """A plug in a cage, which serves the two ports of the cage where it is a twin-port one.

    `dead` says that it does not send light any more. `heat` is what it is hotter than its like (m°C) in the end, since
    `heating` (None: it is as warm as the others). `alarm` says that it is past its warning temperature, `shut_down` is
    latched when it has switched itself off as too hot. `spare` counts the modules that have been there before it.
    """

    dead: bool = False
    heat: int = 0
    heating: int | None = None
    alarm: bool = False
    shut_down: bool = False
    spare: int = 0


@dataclass(frozen=True, slots=True)
class ConnectorState:
    """The optical connector at a port: what dirt takes of the light that comes in, in hundredths of a dB by lane."""

    loss: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AdapterState:
    """The firmware of a network card, kept under the id of its first device.

    `stored` are the settings in its non-volatile memory that differ from the factory's, `running` those of them that
    the firmware started with. `image` is the version on the flash, `firmware` the one that runs ("": the site's).
    `guid` is the base GUID that was written to the flash, `running_guid` the one that the card tells (0: its own).
    """

    stored: tuple[tuple[str, int], ...] = ()
    running: tuple[tuple[str, int], ...] = ()
    image: str = ""
    firmware: str = ""
    guid: int = 0
    running_guid: int = 0
