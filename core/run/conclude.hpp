// The end of every search for one tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "run/finish.hpp"
#include "model/result.hpp"
#include "run/control.hpp"

namespace streed::run {

// What a search has proven, in the unit of the costs: the value of its tree if it was not stopped, else a
// bound. `rounding`: how far two sums of the same costs may be apart.
struct Proof {
    Status status = Status::optimal;
    double bound = 0;
    double rounding = 0;
};

// Puts the counted tree, bounds and statistics of all searches together. A tree that does not cost what was
// proven is an error.
inline void conclude(const Control& control, FinishedTree tree, const Proof& proof, Statistics statistics,
                     Result& result) {
    const bool optimal = proof.status == Status::optimal;
    if (optimal && std::abs(proof.bound - tree.objective) > proof.rounding)
        throw std::logic_error("internal error, please report it: the tree costs " +
                               std::to_string(tree.objective) + ", but " + std::to_string(proof.bound) +
                               " was proven");
    result.tree = std::move(tree.tree);
    result.objective = tree.objective;
    result.magnitude = tree.magnitude;
    result.status = proof.status;
    result.lower_bound = optimal ? tree.objective : std::min(tree.objective, proof.bound);
    statistics.peak_memory = control.memory.peak();
    statistics.threads = static_cast<std::size_t>(control.options.n_threads);
    result.statistics = statistics;
    result.seconds = control.elapsed();
}

}  // namespace streed::run
