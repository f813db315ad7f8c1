// The functions of the native module that search all thresholds, and the class that evaluates some of them.
#pragma once

#include "arguments.hpp"

void register_thresholds(nb::module_& module);
void register_threshold_evaluator(nb::module_& shared);
