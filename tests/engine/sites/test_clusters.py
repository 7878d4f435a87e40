"""The part of a site file that describes a Kubernetes cluster."""

from __future__ import annotations

from importlib.resources import files

import pytest

from engine.kernel.documents import DocumentError, read_document
from engine.sites.build import build_inventory, load_site


def test_hosts_know_what_cluster_software_they_belong_to() -> None:
    inventory = load_site("k8s-ib-3")
    found = {name: inventory.node(name).clusters for name in inventory.node_names}
    assert found["cp-01"] == ("kubernetes", "control-plane") and found["gpu-01"] == ("kubernetes",)
    assert found["reg-01"] == ("registry",) and found["head-01"] == ()
    assert load_site("dgx-h100-4").node("dgx-01").clusters == ("slurm",)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("registry: reg-01", "registry: reg-02"), 'unknown node "reg-02"; did you mean "reg-01"'),
        (("admins: [alex, mara]", "admins: [alexa]"), 'unknown user "alexa"'),
        (("created_before: 5h20m", "created_before: soon"), "'soon' is not a duration"),
    ],
)
def test_mistakes_are_told_with_their_lines(change: tuple[str, str], says: str) -> None:
    text = (files("engine.sites") / "k8s-ib-3.yaml").read_text(encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        build_inventory(read_document(text.replace(*change), "site.yaml"), {})
    assert says in str(caught.value) and "site.yaml:" in str(caught.value)
