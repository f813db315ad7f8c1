// Three levels left: the children are pair problems. One look at the pair table of a child gives its values
// with one, two and three branching nodes; those without any and, but for leaf functions, with one are known
// from the table of the node itself.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sizes/worker.hpp"

namespace streed {

void SizeWorker::try_pairs_of(Level& at, SizeLevel& own, int lane) {
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    const bool known = at.known[static_cast<std::size_t>(lane)] != 0 &&
                       at.known[stride + static_cast<std::size_t>(lane)] != 0;
    if (!known) {
        at.fused ? solve_both_sides(at, lane) : solve_one_by_one(at, own, lane);
        push_vectors(at, lane);
    }
    offer_lane(at, own, lane);
}

// Both children from the bits of the smaller one. Their values with two nodes come from the same extremes:
// one side of a root is split, the other one a leaf.
void SizeWorker::solve_both_sides(Level& at, int lane) {
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    const bool small_side = smaller_side(at.node, lane);
    const ChildBenefits benefit = three_levels.both_benefits(at, lane, true);
    for (const bool side : {false, true}) {
        char& known = at.known[(side ? stride : 0) + static_cast<std::size_t>(lane)];
        if (known != 0) continue;
        ++statistics.depth_two_solves;
        const int child = side == small_side ? 0 : 1;
        const SharedLock lock(at);
        const double leaf = at.bound(0, side, lane), all = leaf + pairs.side_benefit(at, lane, side);
        at.bound(2, side, lane) = std::min(at.bound(1, side, lane), all - benefit.two[child]);
        at.bound(3, side, lane) = std::min(at.bound(1, side, lane), all - benefit.of[child]);
        known = 1;
    }
}

// The larger child first; it may close the feature.
void SizeWorker::solve_one_by_one(Level& at, const SizeLevel& own, int lane) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    char* const known[2] = {&at.known[static_cast<std::size_t>(lane)],
                            &at.known[stride + static_cast<std::size_t>(lane)]};
    const bool small_side = smaller_side(node, lane);
    const bool first = *known[0] != *known[1] ? *known[1] != 0 : !small_side;
    pairs.begin_children(at, lane, small_side);
    for (const bool side : {first, !first}) {
        if (*known[side] != 0) continue;
        if (side != first && !is_open(at, own, lane)) return;
        look_at_clock(node);
        const PairProblem problem = pairs.child_problem(at, lane, small_side, side != small_side);
        const PairBenefit benefit = pairs.benefit(node, problem, pairs.child_prices(), 0, nullptr);
        const SharedLock lock(at);
        const double leaf = at.bound(0, side, lane), all = leaf + pairs.side_benefit(at, lane, side);
        for (int n = first_unknown(); n <= 3; ++n)
            at.bound(n, side, lane) = std::min(at.bound(n - 1, side, lane), all - benefit.at_most[n]);
        *known[side] = 1;
    }
}

// What is known of both children of a feature, pushed to all others, for every number of nodes that is not
// known of them anyway.
void SizeWorker::push_vectors(Level& at, int lane) {
    if (!similarity.on) return;
    const SharedLock lock(at);
    similarity.make_weights(at);
    const std::size_t own = static_cast<std::size_t>(lane),
                      stride = static_cast<std::size_t>(at.node.stride());
    for (int n = first_unknown(); n <= 3; ++n) {
        const double left = at.bound(n, false, lane), right = at.bound(n, true, lane);
        if (search.prices.any()) {
            if (left > search.floor()) similarity.push(at, lane, false, n, left);
            if (right > search.floor()) similarity.push(at, lane, true, n, right);
            continue;
        }
        const double slack = similarity.rounding_slack(n);
        const SolvedChildren children{left - slack,           right - slack,
                                      at.single_weight[own],  at.all_weight,
                                      search.per_weight(),    at.pair_weights.as<double>() + own * stride,
                                      at.single_weight.data()};
        search.kernels.push_both(at.node.active().back() + 1, children, &at.bound(n, false, 0),
                                 &at.bound(n, true, 0));
    }
}

// As KnownChildren::recall(), with one entry per child budget from the first unknown one to 3 nodes.
void SizeWorker::recall_vectors(Level& at) {
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    at.known.assign(2 * stride, 0);
    if (!uses_paths() || !search.options.switches.child_records) return;
    const ChildRecords::Reading reading(cache_.records);
    known_children.each_record(
        cache_.records, at,
        [&](const ChildRecords::Record* record, int literal) {
            cache_.records.prefetch(record, number_of(literal, first_unknown()));
            cache_.records.prefetch(record, number_of(literal, 3));
        },
        [&](const ChildRecords::Record* record, int literal, int lane, int side) {
            bool exact = true;  // another thread may have written only some of the numbers
            for (int n = first_unknown(); n <= 3; ++n) {
                const ChildRecords::Number number = cache_.records.load(record, number_of(literal, n));
                exact = exact && number != ChildRecords::kNothing && (number & 1) != 0;
                if (number == ChildRecords::kNothing) continue;
                double& bound = at.bound(n, side == 1, lane);
                bound = std::max(bound, static_cast<double>(number >> 1));
            }
            if (exact) at.known[static_cast<std::size_t>(side) * stride + static_cast<std::size_t>(lane)] = 1;
        });
}

void SizeWorker::record_vectors(Level& at) {
    if (!uses_paths() || !search.options.switches.child_records || !cache_.records.make(path)) return;
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    const ChildRecords::Reading reading(cache_.records);
    ChildRecords::Record* record = cache_.records.find(path);
    if (record == nullptr) return;  // given back by another thread
    for (const std::int32_t f : at.node.active())
        for (int side = 0; side < 2; ++side) {
            bool exact = at.known[static_cast<std::size_t>(side) * stride + static_cast<std::size_t>(f)] != 0;
            ChildRecords::Number numbers[4] = {};
            for (int n = first_unknown(); n <= 3; ++n) {
                const double bound = std::clamp(at.bound(n, side == 1, f), -0x1p59, 0x1p59);
                numbers[n] = static_cast<ChildRecords::Number>(std::floor(bound));
                exact = exact && static_cast<double>(numbers[n]) == bound;
            }
            for (int n = first_unknown(); n <= 3; ++n)
                cache_.records.raise(record,
                                     number_of(PathKeyMaker::literal(at.node.feature(f), side == 1), n),
                                     2 * numbers[n] + (exact ? 1 : 0));
        }
}

}  // namespace streed
