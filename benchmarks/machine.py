"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """Processor, number of processors, memory, system and Python version."""
    return {
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "memory": total_memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "vector_flags": vector_flags(),
    }


def version_of(distribution: str) -> str:
    """Version of an installed package; one that is only on the path has none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "(not installed, only on the path)"


def total_memory() -> int:
    """Physical memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def cpu_model() -> str:
    """Processor's name as the system gives it."""
    return cpu_field("model name") or platform.processor() or platform.machine()


def vector_flags() -> list[str]:
    """SIMD extensions that the processor reports and that matter here (Linux only)."""
    wanted = ("popcnt", "bmi2", "avx2", "avx512f", "avx512bw", "avx512_vpopcntdq", "avx512_bitalg", "asimd")
    flags = set((cpu_field("flags") or cpu_field("Features")).split())
    return [flag for flag in wanted if flag in flags]


def cpu_field(name: str) -> str:
    """First value of one field of ``/proc/cpuinfo``, or nothing."""
    path = Path("/proc/cpuinfo")
    if path.is_file():
        for line in path.read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return ""
