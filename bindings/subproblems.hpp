// The class of the native module for questions about parts of one problem.
#pragma once

#include "arguments.hpp"

void register_subproblems(nb::module_& module);
