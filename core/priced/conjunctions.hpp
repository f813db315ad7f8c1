// Looks for a conjunction of tests whose rows exceed given prices, or proves that there is none.
#pragma once

#include <cstdint>
#include <vector>

#include "priced/rows/rows.hpp"

namespace streed::priced {

// Conjunctions that predict the label `own`: with q rows of that label and p of the other, one exceeds the
// prices if own_price q + other_price p - unit p > branch. Sets of rows are searched, not conjunctions: each
// is closed under the tests that all its own rows pass (those only take rows of the other label away), and
// met once.
class Conjunctions {
public:
    Conjunctions(const Root& root, const Rows& rows, const Kernels& kernels, int own, double own_price,
                 double other_price, double effort);

    // True if one was found. `exhausted`: the effort was spent before that was known.
    bool find();
    bool exhausted() const { return exhausted_; }
    double effort() const { return work_; }
    int own_rows() const { return found_own_; }
    int other_rows() const { return found_other_; }

private:
    struct Step {
        std::vector<std::uint64_t> rows;
        std::vector<int> tests, own;  // candidates and the own rows that pass them too
        std::vector<char> hopeful;
    };
    bool descend(std::size_t depth, int own_rows, std::size_t n_explored);
    void close(Step& step, int own_rows);
    void rate(Step& step, int other_rows);
    const std::uint64_t* test(int l) const { return tests_.data() + static_cast<std::size_t>(l) * words(); }
    std::size_t words() const { return static_cast<std::size_t>(own_words_ + other_words_); }
    bool exceeds(double q, double p) const { return own_price_ * q + other_price_ * p - unit_ * p > branch_; }

    const Kernels& kernels_;
    double unit_, branch_, own_price_, other_price_, limit_, work_ = 0;
    int own_words_, other_words_, n_own_, n_other_, n_tests_;
    std::vector<std::uint64_t> tests_;  // [feature x side][words], own rows first
    std::vector<Step> steps_;
    std::vector<int> explored_;
    std::vector<std::uint64_t> removed_;
    bool exhausted_ = false;
    int found_own_ = 0, found_other_ = 0;
};

}  // namespace streed::priced
