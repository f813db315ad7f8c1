// The submodule for roots that several searches share.
#pragma once

#include "arguments.hpp"

void register_shared_root(nb::module_& module);
