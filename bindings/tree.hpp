// The functions of the native module for trees, labels and units.
#pragma once

#include "arguments.hpp"

void register_tree(nb::module_& module);
