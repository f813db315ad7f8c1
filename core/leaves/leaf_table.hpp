// Costs of leaves in a table, for leaf functions of few statistics that are small whole numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/problem.hpp"

namespace streed {

// The sums of a leaf are its position: with the totals (3, 5) the statistics (2, 1) are at 2 * 6 + 1 = 13.
// Positions add up as the statistics do, so that those of all cells of a pair table are differences of a few
// numbers. The function is asked once for each position, so it may be slow; positions that no leaf has may
// have any cost, or none.
class LeafTable {
public:
    static constexpr double kNone = 1e300;  // too few rows
    static constexpr double kWrong =
        -1e302;  // not finite, or less than the rows must cost; stays so when kNone is added

    // Costs in ticks of `n` leaves with the sums [statistic][leaf]; kWrong where there is none.
    using Evaluate = std::function<void(const double* sums, std::size_t n, double* ticks)>;

    // Fills the table if it has no more than `most` entries. The number of rows of a leaf must follow from
    // its statistics: one of them is it, or all of them add up to it.
    void fill(const ReducedProblem& reduced, double min_samples_leaf, std::size_t most,
              const Evaluate& evaluate);

    // Entries that a table may have: it shall cost less than asking for the cells of a search.
    static std::size_t most_entries(std::size_t features, int max_depth) {
        const double f = static_cast<double>(features);
        const double cells = 2 * f * f * (max_depth > 2 ? 2 * f : 1.0);
        return static_cast<std::size_t>(cells < 0x1p19 ? cells : 0x1p19);
    }

    bool ready() const { return !costs_.empty(); }
    const double* costs() const { return costs_.data(); }
    const std::vector<std::int32_t>& factors() const { return factors_; }
    std::size_t bytes() const { return costs_.capacity() * sizeof(double); }

private:
    std::vector<double> costs_;
    std::vector<std::int32_t> factors_;  // of the statistics
};

}  // namespace streed
