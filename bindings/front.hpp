// The functions of the native module for several components.
#pragma once

#include "arguments.hpp"

void register_front(nb::module_& module);
