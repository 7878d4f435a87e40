"""The settings of network cards' firmware that mlxconfig shows: names, factory values, and how values are written.

Names, order and forms: queries of ConnectX-6 and -7 cards in public texts (`False(0)`, `_256KB(1)`, `IB(1)`), NVIDIA's
MFT manual. A card has some three hundred; these are those that people set and a few around them (DCQCN's are kept and
change nothing; those of notifications count from the next reset on). Factory values of a ConnectX-7 of a DGX: guesses
where no query shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.world.adapters import ETHERNET, INFINIBAND, functions, setting_of_link_type
from engine.world.inventory import Hca
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its value from the factory, the words for its values (empty: plain numbers), the largest number."""

    name: str
    factory: int
    words: tuple[tuple[int, str], ...] = ()
    most: int = 0xFFFF_FFFF
    read_only: bool = False

    def text(self, value: int) -> str:
        """`True(1)`, `16`."""
        word = dict(self.words).get(value)
        return f"{word}({value})" if word else str(value)

    def value(self, text: str) -> int | None:
        """What a person means by `ETH`, `2`, `0x10` or `True`; None if nothing fits."""
        for number, word in self.words:
            if text.lower() == word.lower():
                return number
        try:
            number = int(text, 0)
        except ValueError:
            return None
        allowed = number in dict(self.words) if self.words else 0 <= number <= self.most
        return number if allowed else None


_SWITCH = ((0, "False"), (1, "True"))
_LINK = ((INFINIBAND, "IB"), (ETHERNET, "ETH"))


def _flag(name: str, factory: bool) -> Setting:
    return Setting(name, int(factory), _SWITCH)


_SHARED = (
    Setting("MEMIC_BAR_SIZE", 0),
    Setting("MEMIC_SIZE_LIMIT", 1, ((0, "DISABLED"), (1, "_256KB"), (2, "_512KB"))),
    Setting("HOST_CHAINING_MODE", 0, ((0, "DISABLED"), (1, "BASIC"))),
    Setting("FLEX_PARSER_PROFILE_ENABLE", 0),
    _flag("PCI_ATOMIC_MODE", False),
    _flag("ROCE_NEXT_PROTOCOL", False),
    _flag("NON_PREFETCHABLE_PF_BAR", False),
    _flag("VF_VPD_ENABLE", False),
    Setting("PF_NUM_PF_MSIX", 63),
    Setting("NUM_OF_VFS", 0, most=127),
    Setting("NUM_OF_PF", 1, read_only=True),
    _flag("SRIOV_EN", False),
    Setting("PF_LOG_BAR_SIZE", 5, most=63),
    Setting("VF_LOG_BAR_SIZE", 0, most=63),
    Setting("NUM_PF_MSIX", 63),
    Setting("NUM_VF_MSIX", 11),
    Setting("INT_LOG_MAX_PAYLOAD_SIZE", 0, ((0, "AUTOMATIC"), (12, "_4096"))),
    Setting("PCI_WR_ORDERING", 0, ((0, "per_mkey"), (1, "force_relax"))),
    Setting("MAX_ACC_OUT_READ", 0, most=128),
    _flag("ATS_ENABLED", False),
    _flag("ADVANCED_PCI_SETTINGS", False),
    Setting("SAFE_MODE_THRESHOLD", 10),
    _flag("SAFE_MODE_ENABLE", True),
    Setting("ROCE_CC_PRIO_MASK_P1", 255, most=255),
    _flag("CLAMP_TGT_RATE_AFTER_TIME_INC_P1", True),
    _flag("CLAMP_TGT_RATE_P1", False),
    Setting("RPG_TIME_RESET_P1", 300),
    Setting("RPG_BYTE_RESET_P1", 32_767),
    Setting("RPG_THRESHOLD_P1", 1),
    Setting("RPG_MAX_RATE_P1", 0),
    Setting("RPG_AI_RATE_P1", 5),
    Setting("RPG_HAI_RATE_P1", 50),
    Setting("RPG_GD_P1", 11),
    Setting("RPG_MIN_DEC_FAC_P1", 50),
    Setting("RPG_MIN_RATE_P1", 1),
    Setting("RATE_TO_SET_ON_FIRST_CNP_P1", 0),
    Setting("DCE_TCP_G_P1", 1019),
    Setting("DCE_TCP_RTT_P1", 1),
    Setting("RATE_REDUCE_MONITOR_PERIOD_P1", 4),
    Setting("INITIAL_ALPHA_VALUE_P1", 1023),
    Setting("MIN_TIME_BETWEEN_CNPS_P1", 4),
    Setting("CNP_802P_PRIO_P1", 6, most=7),
    Setting("CNP_DSCP_P1", 48, most=63),
    _flag("USER_PROGRAMMABLE_CC", False),
    Setting("LOG_DCR_HASH_TABLE_SIZE", 14),
    _flag("KEEP_ETH_LINK_UP_P1", True),
    _flag("KEEP_IB_LINK_UP_P1", False),
    _flag("KEEP_LINK_UP_ON_BOOT_P1", False),
    _flag("KEEP_LINK_UP_ON_STANDBY_P1", False),
    _flag("DO_NOT_CLEAR_PORT_STATS_P1", False),
    _flag("AUTO_POWER_SAVE_LINK_DOWN_P1", False),
    _flag("EXP_ROM_UEFI_x86_ENABLE", False),
    _flag("EXP_ROM_PXE_ENABLE", True),
)


def settings(world: World, hca: Hca) -> tuple[Setting, ...]:
    """The settings of a card in the order of mlxconfig, with a link type for each of its ports."""
    node = world.inventory.node(hca.node)
    kinds = [
        Setting(setting_of_link_type(each), ETHERNET if each.link_layer == "Ethernet" else INFINIBAND, _LINK)
        for each in functions(node, hca)
    ]
    at = next(index for index, each in enumerate(_SHARED) if each.name == "ROCE_CC_PRIO_MASK_P1")
    return (*_SHARED[:at], *kinds, *_SHARED[at:])


def values(world: World, hca: Hca, changed: tuple[tuple[str, int], ...]) -> Mapping[str, int]:
    """Every setting's value, where `changed` differs from the factory."""
    factory = {each.name: each.factory for each in settings(world, hca)}
    return MappingProxyType(factory | dict(changed))
