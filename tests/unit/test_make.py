"""What `make` shows, line by line, and which kernels a full build has."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
from pathlib import Path

import pytest

from streed import _core
from tests.support import ROOT


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_step_of_the_build_is_shown_before_the_next_one_ends(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    command = ["make", "-s", "-C", str(tmp_path), "-f", str(ROOT / "Makefile"), "--no-print-directory"]
    command += ["--eval=shown: ; @cat $(SHOWN)", "shown"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as build:
        assert build.stdin is not None
        assert build.stdout is not None
        build.stdin.write(b"what pip says besides\n  [1/2] Building CXX object a.cpp.o\n")
        build.stdin.flush()
        ready = select.select([build.stdout], [], [], 60)[0]
        shown = os.read(build.stdout.fileno(), 1000) if ready else b""
        build.stdin.close()
    assert shown == b"  [1/2] Building CXX object a.cpp.o\n"
    assert "what pip says besides" in (tmp_path / "build" / "install.log").read_text(encoding="utf-8")


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="the machine does not say what it has")
def test_a_full_build_has_the_kernels_that_the_machine_can_run() -> None:
    flags = set(re.findall(r"[\w]+", Path("/proc/cpuinfo").read_text(encoding="utf-8")))
    wanted = ["baseline"]
    wanted += ["avx2"] * ({"avx2", "bmi2"} <= flags)
    wanted += ["avx512bw"] * ({"avx512bw", "avx512vl", "avx512dq"} <= flags)
    assert _core.simd_levels()[: len(wanted)] == wanted
