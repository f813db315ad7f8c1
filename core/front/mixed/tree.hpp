// Trees of a mixed search, with splits removed where their values stay the same.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "front/mixed/leaves.hpp"

namespace streed {

class MixedTrees {
public:
    MixedTrees(const ReducedProblem& reduced, MixedLeaves& leaves, Control& control)
        : reduced_(reduced), leaves_(leaves), control_(control) {}

    // Replaces nodes by leaves or by their own subtrees as long as no objective gets worse (by more than
    // rounding) and all limits are kept.
    Tree simplified(Tree tree);
    // Over the features of the problem.
    Tree finished(Tree tree) const;

private:
    using Slots = std::vector<std::uint32_t>;
    // Values of the parts in ticks; empty if a leaf has too few rows.
    std::vector<double> values(const Tree& tree);
    const std::vector<double>& leaf(const Slots& slots);
    bool within(const std::vector<double>& now, const std::vector<double>& before) const;

    const ReducedProblem& reduced_;
    MixedLeaves& leaves_;
    Control& control_;
    double work_ = 2e8;                           // slots sent down
    std::map<Slots, std::vector<double>> known_;  // ticks [part][label]
};

}  // namespace streed
