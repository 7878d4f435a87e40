"""Site files: what they become, and how their mistakes are told."""

from __future__ import annotations

from importlib.resources import files

import pytest

from engine.kernel.documents import DocumentError, read_document
from engine.kernel.errors import BreakfixError
from engine.sites.build import build_inventory, load_site
from engine.world.inventory import Inventory

TEXT = files("engine.sites").joinpath("dgx-h100-4.yaml").read_text("utf-8")


def built(*changes: tuple[str, str]) -> Inventory:
    text = TEXT
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    return build_inventory(read_document(text, "site.yaml"), {})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("board: head-server", "board: hed-server"), 'unknown board "hed-server"; did you mean "head-server"?'),
        (("first_port: 17", "first_port: 3"), "the port leaf-01/3 has two cables"),
        (("to: leaf-01, first_port: 1,", "to: leaf-01, first_port: 60,"), "leaf-01 has ports 1 to 64"),
        (("to: leaf-02", "to: leaf-03"), 'unknown node or switch "leaf-03"'),
        (("hcas: [mlx5_0], to", "hcas: [mlx5_7], to"), "mlx5_7"),
        (('names: "dgx-[01-02]"', 'names: "dgx-[01-"'), "unbalanced bracket"),
        (('names: "dgx-[03-04]"', 'names: "dgx-[02-04]"'), "'dgx-02' is there twice"),
        (("login_host: head-01", "login_host: head-02"), 'unknown node "head-02"'),
        (("learner: alex", "learner: alexa"), 'unknown user "alexa"'),
        (("user: priya, partition", "user: pria, partition"), 'unknown user "pria"'),
        (("inlet_temperature: 24", "inlet_temperature: 240"), "45"),
        (("title:", "titel:"), "title"),
        (("timezone: Etc/UTC", "timezone: 5"), "text"),
    ],
)
def test_mistakes_are_told_with_file_and_line(change: tuple[str, str], says: str) -> None:
    with pytest.raises(DocumentError) as caught:
        built(change)
    assert says in str(caught.value)
    assert all(line.startswith("site.yaml:") for line in str(caught.value).splitlines() if says in line)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(DocumentError) as caught:
        built(("board: head-server", "board: x"), ("first_port: 17", "first_port: 3"), ("learner: alex", "learner: y"))
    assert len(caught.value.problems) >= 3


def test_the_first_site_is_what_it_says() -> None:
    site = load_site("dgx-h100-4")
    node = site.node("dgx-02")
    assert [gpu.address[5:7] for gpu in node.gpus] == ["1b", "43", "52", "61", "9d", "c3", "d1", "df"]
    assert {gpu.rail for gpu in node.gpus} == {f"mlx5_{number}" for number in (0, 3, 4, 5, 6, 9, 10, 11)}
    assert all(
        int(gpu.address[5:7], 16) - int(site.hca(f"dgx-02/{gpu.rail}").address[5:7], 16) == 3 for gpu in node.gpus
    )
    assert site.cables["dgx-02/mlx5_9/1"].other("dgx-02/mlx5_9/1").startswith("leaf-02/")
    assert "dgx-02/mlx5_1/1" not in site.cables
    assert len({gpu.serial for name in site.node_names for gpu in site.node(name).gpus}) == 32


def test_identifiers_do_not_depend_on_chance() -> None:
    assert load_site("dgx-h100-4").node("dgx-03") == load_site("dgx-h100-4").node("dgx-03")


def test_cables_follow_the_file() -> None:
    """Two HCAs that swap their places in the file swap their leaf ports, and nothing else moves."""
    site, swapped = built(), built(("hcas: [mlx5_0, mlx5_3,", "hcas: [mlx5_3, mlx5_0,"))
    moved = {port for port in site.cables if port[:3] == "dgx" and site.cables[port].ends != swapped.cables[port].ends}
    assert moved == {f"dgx-0{node}/mlx5_{hca}/1" for node in range(1, 5) for hca in (0, 3)}


def test_settings_change_software_and_nothing_unknown() -> None:
    assert load_site("dgx-h100-4", {"software.slurm": "22.05.8"}).software["slurm"] == "22.05.8"
    with pytest.raises(BreakfixError, match=r"software\.slurm"):
        load_site("dgx-h100-4", {"software.slrum": "1"})
