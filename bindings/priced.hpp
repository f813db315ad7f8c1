// The functions of the native module for trees without a depth limit whose branching nodes have a price.
#pragma once

#include "arguments.hpp"

void register_priced(nb::module_& module);
