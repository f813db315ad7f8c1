// Looks for conjunctions of tests whose rows cost more than they may, or proves that there is none.
//
// A leaf with the label k may cost its errors and the price of a split. With v = price - cost under k of
// every group, a conjunction exceeds that if the v of its groups add up to more than the price of a split.
// Groups with v > 0 are its own ones, those with v < 0 the others. Sets of own groups are searched, not
// conjunctions: a set is closed under the tests that all its own groups pass (those only take others away),
// and met once. All numbers are whole, so that a proof is not a matter of rounding.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "priced/kernels/kernels.hpp"
#include "priced/prices/groups.hpp"
#include "priced/prices/programme.hpp"

namespace streed::priced {

struct Conjunction {
    std::int64_t excess = 0;  // over what a leaf may cost; positive
    std::vector<std::uint32_t> groups;
};

class Conjunctions {
public:
    // `prices` and `costs` of the groups, and what a split costs, in the same whole numbers. Their sums must
    // fit 31 bits. The search ends after `effort` operations, or when `stop` returns true.
    Conjunctions(const Groups& groups, const Kernels& kernels, const std::vector<std::int32_t>& prices,
                 const std::vector<std::int32_t>& costs, std::int32_t branch, double effort,
                 const Stop& stop);

    // Adds conjunctions that exceed, grown from all groups by the best further tests.
    void grow(std::vector<Conjunction>& found);
    // Adds conjunctions that exceed, until there are `enough`. False if it ended before all were looked at.
    // True: if it has added none, none exceeds; else each that does exceeds by no more than one of those with
    // a part of its others.
    bool prove(std::size_t enough, std::vector<Conjunction>& found);
    double work() const { return work_; }

private:
    struct Step {
        std::vector<std::uint32_t> own, others;
        std::vector<int> tests, rising;  // candidates, as given and by the own groups that pass them
        std::vector<std::int32_t> passing, kept;
    };
    int best_test(std::int32_t own, std::int32_t others, const std::uint32_t* seed, std::int32_t& most) const;
    bool ended();
    bool descend(std::size_t depth, std::size_t n_explored);
    void close(Step& step, std::int32_t all);
    void sort_tests(Step& step, std::int32_t own, std::int32_t others, bool proper);
    void rate(Step& step, std::int32_t others);
    void add(const std::vector<std::uint32_t>& own, const std::vector<std::uint32_t>& others,
             std::int32_t excess);
    std::int32_t sum(const std::vector<std::uint32_t>& groups, std::vector<std::int32_t>& sums);
    void keep_passing(const std::vector<std::uint32_t>& from, int test, std::vector<std::uint32_t>& to);
    // Test 2f is passed by the groups that have feature f, test 2f + 1 by the rest.
    static std::int32_t passing(const std::vector<std::int32_t>& sums, std::int32_t all, int test) {
        const std::int32_t with = sums[static_cast<std::size_t>(test / 2)];
        return test % 2 == 0 ? with : all - with;
    }

    const Groups& groups_;
    const Kernels& kernels_;
    std::int32_t branch_;
    std::vector<std::int32_t> weights_;  // |v|
    std::vector<std::uint32_t> own_, others_;
    std::vector<Step> steps_;
    std::vector<int> explored_;
    std::vector<std::pair<std::int32_t, int>> sorted_;
    std::vector<std::uint32_t> alive_, grown_own_, grown_others_, with_, without_;
    std::vector<std::int32_t> own_sums_, other_sums_;
    std::vector<Conjunction>* found_ = nullptr;
    std::size_t enough_ = 0, found_bytes_ = 0;
    double limit_;
    const Stop& stop_;
    double next_stop_ = 0, work_ = 0;
};

}  // namespace streed::priced
