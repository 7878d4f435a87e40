"""The packaged scenarios: each is proved, and what its proof stands on cannot be taken away unnoticed."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.control.history.incidents import crashes
from engine.kernel.errors import BreakfixError
from scenarios.catalogue import find, packaged, places, scenario_names
from scenarios.debrief import page, result_json
from scenarios.evidence import find_sightings
from scenarios.proof.prove import SEEDS, prove
from scenarios.result import Result
from scenarios.scoring import score
from scenarios.script import script_lines
from scenarios.session import DrillSession
from scenarios.stage import Stage
from tests.scenarios.fake import FakeTerminals

BLOCKS = [SEEDS[start : start + 5] for start in range(0, len(SEEDS), 5)]


def proofs() -> list[tuple[str, tuple[int, ...]]]:
    """Each scenario with a tenth of the seeds, or all of them where BREAKFIX_LONG is set (`make prove`)."""
    everything = bool(os.environ.get("BREAKFIX_LONG"))
    tenth = {name: [BLOCKS[len(name) % len(BLOCKS)][:2]] for name in scenario_names()}
    chosen = {name: BLOCKS for name in tenth} if everything else tenth
    return [(name, tuple(block)) for name, blocks in chosen.items() for block in blocks]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seeds"), proofs(), ids=lambda part: str(part).replace(", ", "-"))
def test_every_packaged_scenario_is_proved(name: str, seeds: tuple[int, ...]) -> None:
    report = prove(packaged(name), seeds)
    assert report.proved, "\n".join(report.lines())


def test_the_first_drills_are_there() -> None:
    assert {"gpu-off-the-bus", "driver-library-mismatch", "hot-node"} <= set(scenario_names("drill"))
    assert "all-quiet" in scenario_names("healthy")
    assert len({packaged(name).uuid for name in places()}) == len(places())


def test_no_two_drills_teach_the_same() -> None:
    """Component, cause and what shows it together are those of one drill."""
    seen: dict[object, str] = {}
    for name in scenario_names("drill", "healthy", "incident"):
        scenario = packaged(name)
        for truth in scenario.truths:
            facts = frozenset(one.fact for one in scenario.evidence)
            same = seen.setdefault((scenario.site, truth.component, truth.cause, facts), name)
            assert same == name, f"{name} and {same}"


def test_who_complains_of_a_crash_had_one() -> None:
    """Where the node has a GPU on which a job crashed, it is the one complained of, by the job's owner."""
    had = 0
    for seed in range(1, 9):
        stage = Stage.build(packaged("all-quiet"), seed, FakeTerminals)
        world, texts = stage.base.world, stage.choices.texts
        crashed = {(crash.gpu.id, crash.job.user) for crash in crashes(world, texts["node"])}
        assert not crashed or (texts["gpu"], texts["user"]) in crashed
        had += bool(crashed)
    assert had > 4


def test_a_scenario_is_found_by_its_name_or_its_path(tmp_path: Path) -> None:
    pack, entry = places()["hot-node"]
    copy = tmp_path / "hot-node.yaml"
    copy.write_bytes(entry.read_bytes())
    assert pack == "first-drills"
    assert find(str(copy)) == find("hot-node")
    with pytest.raises(BreakfixError, match='unknown scenario "hot-nod"; did you mean "hot-node"'):
        find("hot-nod")
    with pytest.raises(BreakfixError, match="cannot be read: no such file"):
        find(str(tmp_path / "gone.yaml"))


def test_without_its_xid_the_lost_gpu_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.control.driver.report_loss", lambda *_: None)
    failures = [str(failure) for failure in prove(packaged("gpu-off-the-bus"), [3]).failures]
    assert any(line.startswith("gpu-off-the-bus, seed 3, seen xid: no line of the reference") for line in failures)


async def _played(name: str, lines: list[str], seed: int) -> tuple[DrillSession, Result, list[str]]:
    session = await DrillSession.start(packaged(name), seed)
    for line in lines:
        await session.perform(session.stage.fill(line))
    found = await find_sightings(session.stage, session.journal.entries)
    if not session.submitted:
        session.submit()
    judged = await score(session)
    session.close()
    return session, judged, sorted({one.evidence for one in found})


def played(name: str, lines: list[str], seed: int = 2) -> tuple[DrillSession, Result, list[str]]:
    return asyncio.run(_played(name, lines, seed))


@pytest.mark.parametrize("name", scenario_names("drill", "healthy"))
def test_the_reference_solution_earns_nearly_everything(name: str) -> None:
    lines = [line for _, line in script_lines(packaged(name).solution)]
    session, judged, seen = played(name, lines)
    assert judged.passed
    assert judged.score.total >= 95
    assert seen == sorted(one.id for one in session.scenario.evidence)
    assert "passed" in page(session, judged)
    assert json.dumps(result_json(session, judged))


@pytest.mark.parametrize("name", scenario_names("drill"))
def test_reading_every_log_earns_half_of_the_evidence_at_most(name: str) -> None:
    logs = [
        "sudo dmesg",
        "sudo journalctl --no-pager",
        "sudo cat /var/log/*",
        "cat /var/log/apt/history.log",
        "sudo ipmitool sel elist",
    ]
    lines = [f"ssh dgx-0{node} '{command}'" for node in range(1, 5) for command in logs]
    judged = played(name, lines)[1]
    assert judged.score.points("evidence") <= 10
    assert not judged.passed


@pytest.mark.parametrize("name", scenario_names("drill", "healthy"))
def test_writing_what_was_to_be_seen_earns_nothing(name: str) -> None:
    texts = [
        pattern.source.replace("'", "") for one in packaged(name).evidence for pattern in (*one.patterns, *one.every)
        if not pattern.is_regex
    ]  # fmt: skip
    lines = [f"echo '{text}'" for text in texts] + ["cat > notes <<'END'", *texts, "END", "cat notes", "history"]
    assert played(name, lines)[2] == []


def test_what_is_seen_counts_however_one_gets_there() -> None:
    inside = ["ssh {node}", "nvidia-smi", "lspci | grep {gpu.bus}", "sudo -i", "dmesg", "exit", "exit"]
    assert played("gpu-off-the-bus", inside)[2] == ["dead-function", "handle", "recovery", "serial", "xid"]
    assert played("gpu-off-the-bus", ["for n in 1 2 3 4; do ssh dgx-0$n journalctl -k; done"])[2] == [
        "recovery",
        "serial",
        "xid",
    ]
    assert played("gpu-off-the-bus", ["ssh {node} journalctl -k > k", "grep fallen k"])[2] == ["xid"]
    assert played("gpu-off-the-bus", ["ssh {node} journalctl -k > /dev/null; grep fallen /dev/null"])[2] == []


CSV = "nvidia-smi --query-gpu=index,temperature.gpu,ecc.errors.uncorrected.volatile.total,utilization.gpu --format=csv"


@pytest.mark.parametrize(
    ("name", "line", "shown"),
    [
        ("all-quiet", "ssh {node} nvidia-smi", "at-work cool-gpus driver-answers gpu-answers no-memory-errors"),
        ("all-quiet", f"ssh {{node}} {CSV}", "at-work cool-gpus gpu-answers no-memory-errors"),
        ("all-quiet", f"clush -w dgx-0[1-4] {CSV},noheader", "at-work cool-gpus gpu-answers no-memory-errors"),
        ("all-quiet", "ssh {node} nvidia-smi -q -d TEMPERATURE -i {gpu.index}", "cool-gpus driver-answers gpu-answers"),
        ("all-quiet", "ssh {node} nvidia-smi -q -d ECC", "driver-answers gpu-answers no-memory-errors"),
        ("all-quiet", "ssh {node} 'sudo dmesg | grep -i xid'", "program-errors"),
        ("all-quiet", "ssh {node} 'sudo dmesg | grep \"Xid.*: 13\"'", ""),
        ("all-quiet", "ssh {node} nvidia-smi nvlink -s", "gpu-answers links"),
        ("all-quiet", "ssh {node} sudo ipmitool sdr", "cool-air cool-gpus fans-turn"),
        ("all-quiet", "ssh {node} sudo ipmitool sel elist", "quiet-bmc"),
        ("all-quiet", "squeue", "at-work"),
        ("gpu-off-the-bus", "ssh {node} nvidia-smi -L", "handle"),
        ("gpu-off-the-bus", "ssh {node} sudo ipmitool sensor", "handle"),
        ("gpu-off-the-bus", "ssh {node} lspci -xs {gpu.bus}", "dead-function"),
        ("gpu-off-the-bus", "sacct -j {job}", "job-failed"),
        ("driver-library-mismatch", "ssh {node} modinfo -F version nvidia", "installed"),
        ("driver-library-mismatch", "ssh {node} 'dpkg -l | grep nvidia-utils'", "installed"),
        ("driver-library-mismatch", "ssh {node} 'grep installed /var/log/dpkg.log'", "upgraded"),
        ("driver-library-mismatch", "clush -w dgx-0[1-4] nvidia-smi", "installed mismatch"),
        ("hot-node", "ssh {node} nvidia-smi", "hot-gpus"),
        ("hot-node", f"clush -w dgx-0[1-4] {CSV},noheader", "hot-gpus"),
        ("hot-node", "ssh {peer} nvidia-smi", ""),
    ],
)
def test_what_an_operator_looks_at_first_shows_evidence(name: str, line: str, shown: str) -> None:
    assert played(name, [line])[2] == shown.split()


@pytest.mark.parametrize("pin", ["Xid (PCI:{gpu.pci}): 13", "Xid (PCI:{gpu.pci}): 43", "N/A   6", "{gpu.bus_id}"])
def test_what_is_normal_on_a_healthy_node_is_worth_a_pin(pin: str) -> None:
    looks = ["ssh {node} nvidia-smi", "ssh {node} 'sudo dmesg | grep -i xid'"]
    judged = played("all-quiet", [*looks, f":pin {pin}"])[1]
    assert any(one.pinned for one in judged.evidence)


def test_nothing_broken_said_at_once_does_not_pass() -> None:
    """Luck earns the diagnosis's points and none of the rest; a few looks make it a finding."""
    guess = ":diagnose component=none cause=nothing-broken"
    lucky = played("all-quiet", ["sinfo", guess])[1]
    assert (lucky.score.total, lucky.passed) == (35, False)
    looks = ["ssh {node} nvidia-smi", "ssh {node} 'sudo dmesg | grep -i xid'", "ssh {node} sudo ipmitool sdr"]
    assert played("all-quiet", [*looks, guess])[1].passed


def test_a_diagnosis_of_everything_earns_nothing() -> None:
    guesses = [
        f":diagnose component=dgx-0{node}/gpu{gpu} cause=gpu.fell_off_bus" for node in range(1, 5) for gpu in range(8)
    ]
    _, judged, _ = played("gpu-off-the-bus", [*guesses, *guesses])
    assert judged.score.total == 0


def test_an_empty_script_scores_nothing_and_tells_nothing() -> None:
    for name in scenario_names("drill", "healthy"):
        session, judged, _ = played(name, [])
        assert (judged.score.total, judged.passed) == (0.0, False)
        told = json.dumps(result_json(session, None))
        component = session.stage.fill(packaged(name).diagnosis.component)  # type: ignore[union-attr]
        assert component not in told
        assert "cause" not in told


@pytest.mark.slow
def test_results_do_not_depend_on_the_machine() -> None:
    """The same seed gives the same result with another hash seed, time zone and locale."""
    program = (
        "import asyncio, json, hashlib\n"
        "from tests.scenarios.test_library import played\n"
        "from scenarios.catalogue import packaged\n"
        "from scenarios.debrief import result_json\n"
        "from scenarios.script import script_lines\n"
        "lines = [line for _, line in script_lines(packaged('hot-node').solution)]\n"
        "session, judged, _ = played('hot-node', lines, 5)\n"
        "outputs = [entry.shown for entry in session.journal.entries]\n"
        "print(hashlib.sha256(json.dumps([outputs, result_json(session, judged)]).encode()).hexdigest())\n"
    )
    root = Path(__file__).resolve().parents[2]
    seen = set()
    for hash_seed, zone, locale in (("0", "UTC", "C"), ("1", "Asia/Tokyo", "C.UTF-8"), ("77", "America/Lima", "POSIX")):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": zone, "LC_ALL": locale, "PYTHONPATH": str(root)}
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, cwd=root, capture_output=True, text=True, check=True
        )
        seen.add(run.stdout)
    assert len(seen) == 1


def test_two_learners_of_one_seed_meet_the_same_world() -> None:
    async def digest() -> str:
        session = await DrillSession.start(packaged("hot-node"), 4)
        session.close()
        return session.simulation.state_digest()

    assert asyncio.run(digest()) == asyncio.run(digest())
