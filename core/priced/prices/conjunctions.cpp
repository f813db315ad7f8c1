// The search over sets of groups for conjunctions that cost more than a leaf may.
#include "priced/prices/conjunctions.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace streed::priced {
namespace {

constexpr std::size_t kSeeds = 1000;                      // groups that conjunctions are grown from, at most
constexpr std::size_t kMostBytes = std::size_t{1} << 25;  // of those that are found
constexpr std::size_t kTestsTogether = 3;  // 1 took as long, 6 a tenth longer, 16 half as long again
constexpr double kStopAfter = 1e6;  // operations between two looks at the clock: less than a millisecond

}  // namespace

Conjunctions::Conjunctions(const Groups& groups, const Kernels& kernels,
                           const std::vector<std::int32_t>& prices, const std::vector<std::int32_t>& costs,
                           std::int32_t branch, double effort, const Stop& stop)
    : groups_(groups), kernels_(kernels), branch_(branch), limit_(effort), stop_(stop) {
    weights_.resize(static_cast<std::size_t>(groups.n));
    const auto lanes = static_cast<std::size_t>(32 * groups.blocks);
    own_sums_.resize(lanes);
    other_sums_.resize(lanes);
    for (std::uint32_t g = 0; g < static_cast<std::uint32_t>(groups.n); ++g) {
        const std::int32_t value = prices[g] - costs[g];
        weights_[g] = std::abs(value);
        if (value > 0) own_.push_back(g);
        if (value < 0) others_.push_back(g);
    }
}

bool Conjunctions::ended() {
    if (work_ > limit_ || found_bytes_ > kMostBytes) return true;
    if (work_ < next_stop_) return false;
    next_stop_ = work_ + kStopAfter;
    return stop_();
}

// The weights of the groups that have each feature; returns that of all.
std::int32_t Conjunctions::sum(const std::vector<std::uint32_t>& groups, std::vector<std::int32_t>& sums) {
    work_ += 2.0 * static_cast<double>(groups.size()) * groups_.blocks;
    return kernels_.sum_lanes(groups_.lanes.data(), groups_.blocks, groups.data(),
                              static_cast<int>(groups.size()), weights_.data(), sums.data());
}

void Conjunctions::keep_passing(const std::vector<std::uint32_t>& from, int test,
                                std::vector<std::uint32_t>& to) {
    work_ += static_cast<double>(from.size());
    const std::uint32_t* lanes = groups_.lanes.data() + test / 2 / 32;
    const auto blocks = static_cast<std::size_t>(groups_.blocks);
    const int bit = test / 2 % 32;
    const std::uint32_t wanted = test % 2 == 0 ? 1 : 0;
    to.resize(from.size());
    std::size_t n = 0;
    for (const std::uint32_t g : from) {
        to[n] = g;
        n += ((lanes[g * blocks] >> bit) & 1) == wanted ? 1 : 0;
    }
    to.resize(n);
}

// All groups of the conjunction, also those with v = 0: what the tests that its own groups pass leave of
// them.
void Conjunctions::add(const std::vector<std::uint32_t>& own, const std::vector<std::uint32_t>& others,
                       std::int32_t excess) {
    Conjunction out;
    out.excess = excess;
    work_ += 2.0 * groups_.n * groups_.blocks;
    const auto blocks = static_cast<std::size_t>(groups_.blocks);
    std::vector<std::uint32_t> with(blocks, ~0u), without(blocks, ~0u);
    const auto meet = [&](std::uint32_t g) {
        for (std::size_t b = 0; b < blocks; ++b) {
            with[b] &= groups_.lanes[g * blocks + b];
            without[b] &= ~groups_.lanes[g * blocks + b];
        }
    };
    for (const std::uint32_t g : own) meet(g);
    for (const std::uint32_t g : others) meet(g);
    for (std::uint32_t g = 0; g < static_cast<std::uint32_t>(groups_.n); ++g) {
        bool in = true;
        for (std::size_t b = 0; b < blocks && in; ++b) {
            const std::uint32_t lanes = groups_.lanes[g * blocks + b];
            in = (with[b] & ~lanes) == 0 && (without[b] & lanes) == 0;
        }
        if (in) out.groups.push_back(g);
    }
    found_bytes_ += 4 * out.groups.size();
    found_->push_back(std::move(out));
}

// The test that makes the conjunction exceed most, among those that the groups `with` them pass; -1 if none
// improves it.
int Conjunctions::best_test(std::int32_t own, std::int32_t others, const std::uint32_t* seed,
                            std::int32_t& most) const {
    int best = -1;
    for (int f = 0; f < groups_.n_features; ++f) {
        const auto at = static_cast<std::size_t>(f);
        const std::int32_t with = own_sums_[at] - other_sums_[at];
        const bool has = ((seed[f / 32] >> (f % 32)) & 1) != 0;
        const std::int32_t value = has ? with : own - others - with;
        if (value <= most) continue;
        most = value;
        best = has ? 2 * f : 2 * f + 1;
    }
    return best;
}

// One conjunction per own group, or for some of many, which it has to hold: those of other groups lie
// elsewhere.
void Conjunctions::grow(std::vector<Conjunction>& found) {
    found_ = &found;
    const std::size_t step = own_.size() / kSeeds + 1;
    for (std::size_t k = 0; k < own_.size() && !ended(); k += step) {
        const std::uint32_t group = own_[k];
        const std::uint32_t* seed = groups_.lanes.data() + static_cast<std::size_t>(group) * groups_.blocks;
        grown_own_ = own_;
        grown_others_ = others_;
        for (bool first = true;; first = false) {
            const std::int32_t own = sum(grown_own_, own_sums_), others = sum(grown_others_, other_sums_);
            std::int32_t most = first ? std::numeric_limits<std::int32_t>::min() : own - others;
            const int best = best_test(own, others, seed, most);
            if (best < 0) {
                if (most > branch_) add(grown_own_, grown_others_, most - branch_);
                break;
            }
            keep_passing(grown_own_, best, alive_);
            grown_own_.swap(alive_);
            keep_passing(grown_others_, best, alive_);
            grown_others_.swap(alive_);
        }
    }
}

bool Conjunctions::prove(std::size_t enough, std::vector<Conjunction>& found) {
    found_ = &found;
    enough_ = found.size() + enough;
    explored_.clear();
    steps_.assign(1, {});
    steps_[0].own = own_;
    steps_[0].others = others_;
    for (int test = 0; test < 2 * groups_.n_features; ++test) steps_[0].tests.push_back(test);
    return descend(0, 0);
}

// Tests that all own groups pass are applied to the others.
void Conjunctions::close(Step& step, std::int32_t all) {
    for (const int test : step.tests) {
        if (passing(own_sums_, all, test) != all) continue;
        keep_passing(step.others, test, alive_);
        step.others.swap(alive_);
    }
}

// Tests that leave too few own groups are forgotten, and so are those that take no others away, as the
// conjunction without them exceeds more, if it is one; the rest is sorted by own groups.
void Conjunctions::sort_tests(Step& step, std::int32_t own, std::int32_t others, bool proper) {
    sorted_.clear();
    for (const int test : step.tests) {
        const std::int32_t passed = passing(own_sums_, own, test);
        const bool useful = !proper || passing(other_sums_, others, test) < others;
        if (passed > branch_ && passed < own && useful) sorted_.emplace_back(passed, test);
    }
    std::sort(sorted_.begin(), sorted_.end());
    step.rising.clear();
    step.passing.clear();
    for (const auto& [passed, test] : sorted_) {
        step.rising.push_back(test);
        step.passing.push_back(passed);
    }
}

// A conjunction whose first test is k keeps every other group that passes all tests from k on. Some tests are
// taken together, from the last to the first: one at a time was the larger part of the search.
void Conjunctions::rate(Step& step, std::int32_t others) {
    alive_ = step.others;
    step.kept.assign(step.rising.size(), 0);
    const auto blocks = static_cast<std::size_t>(groups_.blocks);
    for (std::size_t end = step.rising.size(); end > 0 && others >= step.passing[0] - branch_;) {
        const std::size_t begin = end > kTestsTogether ? end - kTestsTogether : 0;
        with_.assign(blocks, 0);
        without_.assign(blocks, 0);
        for (std::size_t k = begin; k < end; ++k) {
            const int test = step.rising[k];
            (test % 2 == 0 ? with_ : without_)[static_cast<std::size_t>(test / 64)] |= 1u << (test / 2 % 32);
        }
        std::size_t left = 0;
        for (const std::uint32_t g : alive_) {
            std::uint32_t failed = 0;
            for (std::size_t b = 0; b < blocks; ++b) {
                const std::uint32_t lanes = groups_.lanes[g * blocks + b];
                failed |= (with_[b] & ~lanes) | (without_[b] & lanes);
            }
            alive_[left] = g;
            left += failed == 0 ? 1 : 0;
            others -= failed == 0 ? 0 : weights_[g];
        }
        work_ += static_cast<double>(alive_.size() * blocks);
        alive_.resize(left);
        std::fill(step.kept.begin() + static_cast<std::ptrdiff_t>(begin),
                  step.kept.begin() + static_cast<std::ptrdiff_t>(end), others);
        end = begin;
    }
}

bool Conjunctions::descend(std::size_t depth, std::size_t n_explored) {
    if (steps_.size() <= depth + 1) steps_.emplace_back();
    if (ended()) return false;
    const std::int32_t own = sum(steps_[depth].own, own_sums_);
    work_ += static_cast<double>(n_explored + steps_[depth].tests.size());
    for (std::size_t k = 0; k < n_explored; ++k)  // the same set was met below a test that it passes
        if (passing(own_sums_, own, explored_[k]) == own) return true;
    const std::size_t before = steps_[depth].others.size();
    close(steps_[depth], own);
    const std::int32_t others = sum(steps_[depth].others, other_sums_);
    // All rows of the node are no conjunction: a tree with a split has no such leaf. A test that all groups
    // with v != 0 pass only takes away some with v = 0.
    const auto passed_by_all = [&](int test) {
        return passing(own_sums_, own, test) == own && passing(other_sums_, others, test) == others;
    };
    const bool proper = depth > 0 || steps_[0].others.size() < before ||
                        std::any_of(steps_[0].tests.begin(), steps_[0].tests.end(), passed_by_all);
    if (proper && own - others > branch_) {
        add(steps_[depth].own, steps_[depth].others, own - others - branch_);
        if (found_->size() >= enough_) return false;
    }
    if (others == 0 && proper) return true;
    sort_tests(steps_[depth], own, others, proper);
    if (steps_[depth].rising.empty()) return true;
    rate(steps_[depth], others);
    const std::size_t n_before = explored_.size(), n = steps_[depth].rising.size();
    bool all = true;
    for (std::size_t k = 0; k < n && all; ++k) {
        const int test = steps_[depth].rising[k];
        if (steps_[depth].passing[k] - steps_[depth].kept[k] > branch_) {
            Step &step = steps_[depth], &next = steps_[depth + 1];
            keep_passing(step.own, test, next.own);
            keep_passing(step.others, test, next.others);
            next.tests.assign(step.rising.begin() + static_cast<std::ptrdiff_t>(k) + 1, step.rising.end());
            all = descend(depth + 1, explored_.size());
        }
        explored_.push_back(test);
    }
    explored_.resize(n_before);
    return all;
}

}  // namespace streed::priced
