// The atoms of one node, packed, and sums of their vectors over cells.
#pragma once

#include <vector>

#include "data/problem.hpp"
#include "front/data/rows.hpp"

namespace streed {

class Part {
public:
    // The atoms in `mask`; the totals are ready afterwards.
    void select(const Rows& rows, const Kernels& kernels, const Words& mask);
    // Packs the columns of the features that split the node into parts of at least `least` rows.
    void pack(const std::vector<std::int32_t>& candidates, double least);

    const std::vector<double>& total() const { return total_; }
    double count() const { return total_.back(); }
    // Least and largest value that any labelling of the rows gives to a component.
    double lowest(int component) const { return low_[static_cast<std::size_t>(component)]; }
    double highest(int component) const { return high_[static_cast<std::size_t>(component)]; }

    // After pack(): active features (of the root), sums of the rows that have one or two of them.
    const std::vector<std::int32_t>& features() const { return features_; }
    const double* single(std::size_t at) const { return &singles_[at * channels_]; }
    // Least value that any labelling of the rows with a feature gives to a component (counting only).
    const double* single_lowest(std::size_t at) const { return &single_low_[at * low_.size()]; }
    void cells(std::size_t at, std::vector<double>& out) const;  // [feature][channel]
    // Its packed rows as a problem of counts, and the vector that rows of one of its blocks carry.
    void copy_to(ReducedProblem& reduced) const;
    const double* block_vector(std::size_t block) const { return &rows_->values[kinds_[block] * channels_]; }
    std::size_t n_blocks() const { return blocks_.size(); }
    double cell_work() const {
        return static_cast<double>(n_words_) * (counting_ ? 1 : 40) + 8 * static_cast<double>(blocks_.size());
    }

private:
    void sum(const std::uint64_t* a, const std::uint64_t* b, double* out) const;
    void sum_lowest(const std::uint64_t* column, double* out) const;
    const Rows* rows_ = nullptr;
    const Kernels* kernels_ = nullptr;
    const Words* mask_ = nullptr;
    bool counting_ = true;
    std::size_t channels_ = 1, n_words_ = 0;
    std::vector<Block> blocks_;
    std::vector<std::size_t> kinds_;    // counting: block of the root
    std::vector<std::uint32_t> atoms_;  // otherwise: atom of the root
    std::vector<double> total_, low_, high_, singles_, single_low_;
    std::vector<std::int32_t> features_;
    Words columns_;
};

}  // namespace streed
