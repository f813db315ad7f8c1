// Registers the functions for all thresholds of columns.
#pragma once

#include <nanobind/nanobind.h>

void register_thresholds(nanobind::module_& module);
