// Three levels left: the children are pair problems, which are known or solved at once from the sums of the
// node.
//
// Nearly all time of a search is spent here. Of the two children of a feature only the smaller one's pair
// table is counted, the larger one's is a difference; for two labels both are evaluated tile by tile in one
// kernel, without a table (kernels/children/children.hpp). The obvious way, loading each child as a node and
// solving it, counts every row twice: 2.1 times as long on german-credit at depth 5, 3.5 times on splice-1
// at 4.
#include "search/levels/three_levels.hpp"

#include <algorithm>
#include <utility>

namespace streed {

// Where the children have one budget, all that is known of them is in the bounds of the level: values of the
// node's record among them. A bound may rule the feature out before anything is solved, or when one side is.
void ThreeLevels::try_kept_pairs(Level& at, int lane) {
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    char* const known[2] = {&at.known[static_cast<std::size_t>(lane)],
                            &at.known[stride + static_cast<std::size_t>(lane)]};
    {
        const SharedLock lock(at);
        if (!at.open(lane)) {
            ++thread_.statistics.pruned_bound;
            if (!*known[0] && !*known[1])
                ++thread_.statistics.pruned_similarity;  // nothing else was known of the children yet
            return;
        }
    }
    const bool solving = !*known[0] || !*known[1];
    bool open = true;
    if (solving && at.fused)
        solve_both(at, lane, known);
    else if (solving && at.screened)
        open = solve_screened(at, lane, known);
    else if (solving)
        open = solve_missing(at, lane, known);
    const SharedLock lock(at);
    if (solving) similarity_.push_children(at, lane);
    if (!open) {
        ++thread_.statistics.pruned_bound;
        return;
    }
    const int n = at.least_nodes;
    const double sum = at.joined(at.bound(n, false, lane), at.bound(n, true, lane),
                                 at.branch[static_cast<std::size_t>(lane)]);
    if (sum < at.best) {
        at.best = sum;
        at.choice = {at.node.feature(lane), lane, n};
    }
}

// Children whose values were recorded bound all others before the first one is solved.
void ThreeLevels::push_known(Level& at) {
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    for (const std::int32_t f : at.node.active()) {
        const int found = at.known[static_cast<std::size_t>(f)] +
                          at.known[stride + static_cast<std::size_t>(f)];
        thread_.statistics.cache_hits += static_cast<std::size_t>(found);
        if (found > 0) similarity_.push_children(at, f);
    }
}

// Solves the children of a feature that are not known, the larger one first. Says false if one was enough to
// rule the feature out.
bool ThreeLevels::solve_missing(Level& at, int lane, char* const known[2]) {
    const bool small_side = smaller_side(at.node, lane);
    const bool first = *known[0] != *known[1] ? *known[1] != 0 : !small_side;
    pairs_.begin_children(at, lane, small_side);
    for (const bool side : {first, !first}) {
        if (*known[side]) continue;
        double value[4];
        solve_child_pairs(at, lane, side, small_side, value);
        const SharedLock lock(at);
        at.bound(at.least_nodes, side, lane) = value[at.least_nodes];
        *known[side] = 1;
        if (side == first && !at.open(lane)) return false;
    }
    return true;
}

// The same with estimates first (screen/): false if they rule the feature out, or the value of one child
// does.
bool ThreeLevels::solve_screened(Level& at, int lane, char* const known[2]) {
    const bool small_side = smaller_side(at.node, lane);
    screen_.count_child(at, lane);
    for (const bool side : {!small_side, small_side}) {
        if (*known[side]) continue;
        screen_.estimate(at, lane, side);
        const SharedLock lock(at);
        if (!at.open(lane)) return false;
    }
    for (const bool side : {!small_side, small_side}) {
        if (*known[side]) continue;
        double value[4];
        if (!screen_.solve(at, lane, side, value[at.least_nodes])) {
            pairs_.begin_children(at, lane, small_side);
            solve_child_pairs(at, lane, side, small_side, value);
        }
        const SharedLock lock(at);
        at.bound(at.least_nodes, side, lane) = value[at.least_nodes];
        *known[side] = 1;
        if (side != small_side && !at.open(lane)) return false;
    }
    return true;
}

// Whether both children can be solved by one kernel: two labels, rows that count one or have a weight per
// label, free tests. Twice the weight of the node must fit 32 bits.
bool ThreeLevels::can_fuse(const Node& node) const {
    const Switches& switches = search_.options.switches;
    const LeafModel& model = search_.model;
    const bool narrow = node.lane_type() == Lane::i8 || node.lane_type() == Lane::i16;
    const bool two_labels = search_.traits.difference
                                ? search_.reduced.steps.empty()
                                : model.scale != nullptr && model.n_values == 2 &&
                                      std::max({model.scale[0], model.scale[1],
                                                label_weight(node.totals(), node, 0)}) < 0x1p29;
    return switches.fused_children && switches.subtraction && node.counting() && narrow &&
           node.n_slots() <= 32767 && two_labels && !model.counted && !search_.prices.any();
}

// Rows with a weight per label: what the rows weigh whose counts are those in a lane of some sums of a node.
double ThreeLevels::label_weight(const void* sums, const Node& node, std::size_t lane) const {
    const std::size_t stride = sums == node.totals() ? 1 : static_cast<std::size_t>(node.stride());
    return search_.model.scale[0] * lane_value(node.lane_type(), sums, lane) +
           search_.model.scale[1] * lane_value(node.lane_type(), sums, stride + lane);
}

namespace {

// Weights of the first label minus those of the second, for n lanes of a table of counts.
template <class T>
void weigh(const T* ones, const T* others, const double scale[2], std::size_t n, std::int32_t* out) {
    const std::int32_t one = static_cast<std::int32_t>(scale[0]), other = static_cast<std::int32_t>(scale[1]);
    for (std::size_t j = 0; j < n; ++j) out[j] = one * ones[j] - other * others[j];
}

}  // namespace

// What the kernel of both children reads of a node: its bits by rows; where rows have a weight per label, the
// differences of pairs, [feature][lane], and then those of single features.
void ThreeLevels::begin_fused(Level& at) {
    thread_.turn_rows(at);
    if (search_.model.scale == nullptr) return;
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride()), table = stride * stride;
    thread_.account(at.differences.reserve((table + stride) * 4));
    std::int32_t* out = at.differences.as<std::int32_t>();
    const double* scale = search_.model.scale;
    const auto fill = [&](const auto* counts, const auto* singles) {
        for (const std::int32_t f : node.active()) {
            const std::size_t row = static_cast<std::size_t>(f) * stride;
            weigh(counts + row, counts + table + row, scale, stride, out + row);
        }
        weigh(singles, singles + stride, scale, stride, out + table);
    };
    if (node.lane_type() == Lane::i8)
        fill(at.table.as<std::int8_t>(), static_cast<const std::int8_t*>(node.singles()));
    else
        fill(at.table.as<std::int16_t>(), static_cast<const std::int16_t*>(node.singles()));
}

// What both children of a feature gain, the smaller one first, from the bits of that one
// (kernels/children/children.hpp). Its rows are in `filter_` afterwards.
ChildBenefits ThreeLevels::both_benefits(const Level& at, int lane, bool with_two) {
    if (search_.model.scale != nullptr) return both_scaled(at, lane, with_two);
    const Node& node = at.node;
    const int right = static_cast<int>(node.single(0, lane)), left = static_cast<int>(node.total(0)) - right;
    return solve_children(at, lane, node.lane_type(), at.table.as<char>(), node.singles(), {right, left},
                          search_.model, with_two);
}

// As above, with weights per label. A leaf of weight w and difference d gains (w + |d|) / 2: the kernel
// maximises half the sum of |d|, and half the weight of the child comes on top.
ChildBenefits ThreeLevels::both_scaled(const Level& at, int lane, bool with_two) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::int32_t* singles = at.differences.as<std::int32_t>() + stride * stride;
    LeafModel model = search_.model;
    model.ticks /= 2;
    const int right = singles[lane],
              left = static_cast<int>(model.scale[0] * node.total(0) - model.scale[1] * node.total(1)) -
                     right;
    ChildBenefits found = solve_children(at, lane, Lane::i32, at.differences.as<char>(), singles,
                                         {right, left}, model, with_two);
    const double with = label_weight(node.singles(), node, static_cast<std::size_t>(lane)),
                 without = label_weight(node.totals(), node, 0) - with;
    const bool small_side = smaller_side(node, lane);
    for (int child = 0; child < 2; ++child) {
        const double weight = small_side == (child == 0) ? with : without;
        found.of[child] += model.ticks * weight;
        found.two[child] += model.ticks * weight;
    }
    return found;
}

// Runs the kernel on the differences of pairs and single features, in some lane type; `totals` are those of
// the rows with the feature and of all others.
ChildBenefits ThreeLevels::solve_children(const Level& at, int lane, Lane type, const char* table,
                                          const void* singles, std::array<int, 2> totals,
                                          const LeafModel& model, bool with_two) {
    const Node& node = at.node;
    const Frame frame = node.frame();
    thread_.look_at_clock(node);
    const std::size_t stride = static_cast<std::size_t>(node.stride()), size = lane_bytes(type);
    thread_.account(children_.reserve(search_.kernels.children_bytes(frame)));
    thread_.account(other_singles_.reserve(stride * size));
    filter_.resize(static_cast<std::size_t>(node.words()));
    const bool small_side = smaller_side(node, lane);
    node.side_filter(lane, small_side, filter_.data());
    // Row `lane` of the pair table holds the sums of the child that has the feature.
    const char* row = table + static_cast<std::size_t>(lane) * stride * size;
    search_.kernels.subtract(type, singles, row, other_singles_.data(), node.stride());
    ChildrenProblem problem{node.known_row_bits(),
                            node.row_spacing(),
                            filter_.data(),
                            table,
                            {row, other_singles_.data()},
                            {totals[0], totals[1]},
                            &model,
                            children_.data(),
                            with_two};
    if (!small_side) {
        std::swap(problem.singles[0], problem.singles[1]);
        std::swap(problem.totals[0], problem.totals[1]);
    }
    ++thread_.statistics.tables_counted;
    return search_.kernels.solve_children(frame, problem);
}

// Solves both children of a feature. That the larger one alone might rule the feature out does not matter:
// its cells are counted anyway.
void ThreeLevels::solve_both(Level& at, int lane, char* const known[2]) {
    const Node& node = at.node;
    const bool small_side = smaller_side(node, lane);
    const ChildBenefits benefit = both_benefits(at, lane, false);
    const double small_potential = node.filter_potential(filter_.data());
    const SharedLock lock(at);
    for (const bool side : {false, true}) {
        if (*known[side]) continue;
        ++thread_.statistics.depth_two_solves;
        const double potential = side == small_side ? small_potential : node.potential() - small_potential;
        const double gained = std::max(benefit.of[side == small_side ? 0 : 1],
                                       pairs_.side_benefit(at, lane, side));
        at.bound(at.least_nodes, side, lane) = search_.model.ticks * potential - gained;
        *known[side] = 1;
    }
}

// The children of a feature taken from the path table, one entry per child and budget, or solved.
void ThreeLevels::try_pairs(Level& at, int lane) {
    const double branch = at.branch[static_cast<std::size_t>(lane)];
    const int most = at.least_nodes + at.n_budgets - 1;
    {
        const SharedLock lock(at);
        if (!at.open(lane)) {
            ++thread_.statistics.pruned_bound;
            ++thread_.statistics.pruned_similarity;  // nothing else was known of the children yet
            return;
        }
    }
    double value[2][4];  // [side][budget]
    const bool known[2] = {find_pairs(at, lane, false, value[0]), find_pairs(at, lane, true, value[1])};
    // One side may rule the feature out: one that is known, else the larger one.
    const bool solving = !known[0] || !known[1];
    const bool small_side = solving && smaller_side(at.node, lane);
    const bool first = known[0] != known[1] ? known[1] : !small_side;
    if (solving) pairs_.begin_children(at, lane, small_side);
    // The bounds of the siblings come last: the pair weights that they need are made in the buffers of the
    // children.
    const auto push = [&](bool side) {
        for (int n = at.least_nodes; n <= most; ++n)
            if (similarity_.on && value[side][n] > search_.floor())
                similarity_.push(at, lane, side, n, value[side][n]);
    };
    for (const bool side : {first, !first}) {
        if (!known[side]) solve_child_pairs(at, lane, side, small_side, value[side]);
        const SharedLock lock(at);
        for (int n = at.least_nodes; n <= most; ++n) at.bound(n, side, lane) = value[side][n];
        if (side == first && !known[!first] && !at.open(lane)) {
            ++thread_.statistics.pruned_bound;
            push(first);
            return;
        }
    }
    const SharedLock lock(at);
    push(false);
    push(true);
    for (int nl = at.least_nodes; nl <= most; ++nl) {
        const double sum = at.joined(value[0][nl], value[1][at.nodes - 1 - nl], branch);
        if (sum < at.best) {
            at.best = sum;
            at.choice = {at.node.feature(lane), lane, nl};
        }
    }
}

// Looks the child's values up, for every budget it may get.
bool ThreeLevels::find_pairs(const Level& at, int lane, bool side, double value[4]) {
    if (!thread_.uses_paths()) return false;
    const int literal = PathKeyMaker::literal(at.node.feature(lane), side);
    for (int n = at.least_nodes; n < at.least_nodes + at.n_budgets; ++n) {
        const auto found = search_.pairs.find(thread_.keys.child(literal, n));
        if (!found) return false;
        value[n] = *found;
    }
    ++thread_.statistics.cache_hits;
    return true;
}

// Solves a child that is not known, and remembers its values; pairs_.begin_children() was called.
void ThreeLevels::solve_child_pairs(Level& at, int lane, bool side, bool small_side, double value[4]) {
    const Node& node = at.node;
    thread_.look_at_clock(node);
    const int most = at.least_nodes + at.n_budgets - 1;
    const PairProblem problem = pairs_.child_problem(at, lane, small_side, side != small_side);
    const PairBenefit benefit = pairs_.benefit(node, problem, pairs_.child_prices(),
                                               at.n_budgets == 1 ? most : 0, nullptr);
    filter_.resize(static_cast<std::size_t>(node.words()));
    node.side_filter(lane, small_side, filter_.data());
    const double small_potential = node.filter_potential(filter_.data());
    const double all = search_.model.ticks *
                       (side == small_side ? small_potential : node.potential() - small_potential);
    const double leaf = all - pairs_.side_benefit(at, lane, side);
    const bool keyed = thread_.uses_paths() && !known_.kept(at);
    const int literal = PathKeyMaker::literal(node.feature(lane), side);
    for (int n = at.least_nodes; n <= most; ++n) {
        value[n] = n == 0 ? leaf : std::min(leaf, all - benefit.at_most[n]);
        if (keyed) search_.pairs.insert(thread_.keys.child(literal, n), value[n]);
    }
}

}  // namespace streed
