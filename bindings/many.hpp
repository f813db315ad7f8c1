// Registers columns in bins, and the search over them.
#pragma once

#include <nanobind/nanobind.h>

void register_many(nanobind::module_& module);
