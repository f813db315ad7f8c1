// What leaves cost in all parts of a mixed problem, in whole ticks, and the rows that they are counted over.
#pragma once

#include <vector>

#include "data/problem.hpp"
#include "front/mixed/solve.hpp"
#include "front/search/control.hpp"
#include "search/search.hpp"

namespace streed {

// The statistics of all parts side by side, followed by one column for each part whose rows cost something in
// any tree.
class MixedLeaves {
public:
    MixedLeaves(const MixedProblem& problem, Control& control);
    MixedLeaves(const MixedLeaves&) = delete;
    MixedLeaves& operator=(const MixedLeaves&) = delete;

    // Ticks [part][label][leaf] of leaves with the sums [statistic][leaf].
    void ask(const double* sums, std::size_t n, std::vector<double>& ticks);

    const std::vector<MixedPart>& parts() const { return problem_.parts; }
    int n_labels() const { return problem_.n_labels; }
    int n_statistics() const { return n_statistics_; }                 // that leaves are asked about with
    int least_column(std::size_t part) const { return least_[part]; }  // -1: not known
    double grain(std::size_t part) const { return grain_[part]; }
    double unit(int column) const {
        return units_[static_cast<std::size_t>(column)];
    }  // of the sums that the engine has
    // Rounding of the value of a whole tree, in ticks.
    double play(std::size_t part) const { return play_[part]; }
    bool rising(std::size_t part) const { return rising_[part]; }  // no leaf costs less than nothing

    // The rows as a problem of the engine, whose leaves all cost nothing.
    const Problem& rows() const { return rows_; }

private:
    void add_least(const std::vector<std::uint32_t>& group, std::size_t groups);
    double most_nodes() const;
    void find_label_grain(std::size_t part);
    void find_grain(std::size_t part, const ReducedProblem& reduced);
    [[noreturn]] void refuse(std::size_t part, std::size_t leaf, const double* sums, std::size_t n,
                             double cost) const;

    const MixedProblem& problem_;
    Control& control_;
    int n_statistics_ = 0;
    std::vector<int> first_, least_;  // columns of the parts
    std::vector<double> grain_, play_;
    std::vector<bool> rising_;
    std::vector<double> table_;  // n_rows x columns
    std::vector<double> costs_, scaled_, units_;
    LeafFunction nothing_;
    Problem rows_;
};

}  // namespace streed
