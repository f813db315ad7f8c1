#include "priced/conjunctions.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace streed::priced {

Conjunctions::Conjunctions(const Root& root, const Rows& rows, const Kernels& kernels, int own,
                           double own_price, double other_price, double effort)
    : kernels_(kernels),
      unit_(root.unit),
      branch_(root.branch),
      own_price_(own_price),
      other_price_(other_price),
      limit_(effort),
      own_words_(rows.words[own]),
      other_words_(rows.words[1 - own]),
      n_own_(rows.n[own]),
      n_other_(rows.n[1 - own]),
      n_tests_(2 * rows.n_features) {
    const int own_begin = own == 0 ? 0 : rows.words[0], other_begin = own == 0 ? rows.words[0] : 0;
    tests_.resize(static_cast<std::size_t>(n_tests_) * words());
    steps_.resize(1);
    steps_[0].rows.resize(words());
    for (std::size_t w = 0; w < words(); ++w) {
        const int k = static_cast<int>(w), at = k < own_words_ ? own_begin + k : other_begin + k - own_words_;
        steps_[0].rows[w] = rows.valid(at);
        for (int f = 0; f < rows.n_features; ++f) {
            tests_[static_cast<std::size_t>(2 * f) * words() + w] = rows.bit(at, f);
            tests_[static_cast<std::size_t>(2 * f + 1) * words() + w] = ~rows.bit(at, f) & rows.valid(at);
        }
    }
    steps_[0].tests.resize(static_cast<std::size_t>(n_tests_));
    std::iota(steps_[0].tests.begin(), steps_[0].tests.end(), 0);
}

bool Conjunctions::find() { return own_price_ * n_own_ > branch_ && descend(0, n_own_, 0); }

// Tests that all own rows pass are applied, those that leave too few own rows are forgotten, the others
// sorted by own rows.
void Conjunctions::close(Step& step, int own_rows) {
    std::vector<std::pair<int, int>> left;
    for (const int l : step.tests) {
        const int own = kernels_.count_and(step.rows.data(), test(l), own_words_);
        if (own == own_rows)
            for (std::size_t w = static_cast<std::size_t>(own_words_); w < words(); ++w)
                step.rows[w] &= test(l)[w];
        else if (own_price_ * own > branch_)
            left.emplace_back(own, l);
    }
    std::sort(left.begin(), left.end());
    step.tests.clear();
    step.own.clear();
    for (const auto& [own, l] : left) {
        step.tests.push_back(l);
        step.own.push_back(own);
    }
}

// A conjunction whose first test is k keeps every other row that no test from k on removes.
void Conjunctions::rate(Step& step, int other_rows) {
    removed_.assign(static_cast<std::size_t>(other_words_), 0);
    step.hopeful.assign(step.tests.size(), 1);
    work_ += static_cast<double>(step.tests.size()) * other_words_;
    for (std::size_t k = step.tests.size(); k-- > 0;) {
        int n = 0;
        for (std::size_t w = 0; w < removed_.size(); ++w) {
            const std::size_t at = static_cast<std::size_t>(own_words_) + w;
            removed_[w] |= step.rows[at] & ~test(step.tests[k])[at];
        }
        n = kernels_.count_and(removed_.data(), removed_.data(), other_words_);
        if (!exceeds(step.own[k], other_rows - n)) step.hopeful[k] = 0;
    }
}

bool Conjunctions::descend(std::size_t depth, int own_rows, std::size_t n_explored) {
    if (steps_.size() <= depth + 1) {
        steps_.emplace_back();
        steps_.back().rows.resize(words());
    }
    work_ += static_cast<double>(steps_[depth].tests.size() + n_explored) * own_words_ + 4;
    if (work_ > limit_) {
        exhausted_ = true;
        return false;
    }
    for (std::size_t k = 0; k < n_explored; ++k)  // the same set was met below a test that it passes
        if (kernels_.count_and(steps_[depth].rows.data(), test(explored_[k]), own_words_) == own_rows)
            return false;
    close(steps_[depth], own_rows);
    const int other_rows = kernels_.count_and(steps_[depth].rows.data() + own_words_,
                                              steps_[depth].rows.data() + own_words_, other_words_);
    if ((depth > 0 || other_rows < n_other_) && exceeds(own_rows, other_rows)) {
        found_own_ = own_rows;
        found_other_ = other_rows;
        return true;
    }
    if (other_rows == 0 || steps_[depth].tests.empty()) return false;
    rate(steps_[depth], other_rows);
    const std::size_t before = explored_.size(), n = steps_[depth].tests.size();
    for (std::size_t k = 0; k < n; ++k) {
        const Step& step = steps_[depth];
        const int l = step.tests[k];
        if (step.hopeful[k] != 0) {
            Step& next = steps_[depth + 1];
            for (std::size_t w = 0; w < words(); ++w) next.rows[w] = step.rows[w] & test(l)[w];
            next.tests.assign(step.tests.begin() + static_cast<std::ptrdiff_t>(k) + 1, step.tests.end());
            if (descend(depth + 1, step.own[k], explored_.size())) return true;
            if (exhausted_) return false;
        }
        explored_.push_back(l);
    }
    explored_.resize(before);
    return false;
}

}  // namespace streed::priced
