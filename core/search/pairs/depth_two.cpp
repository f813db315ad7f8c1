// The last two levels at once (paper, Algorithm 2), and the last one.
//
// The pair table of a node has the sums of all cells (root feature, second feature), so that every tree of
// depth two is a difference of its entries. Solving each child for itself would count the same rows once per
// root. The table of a node may come from that of its parent less that of its sibling, which has fewer rows.
#include <algorithm>
#include <cmath>

#include "search/search.hpp"

namespace streed {

double Worker::value_of_benefit(const Node& node, double benefit) const {
    return search_.model.ticks * node.potential() - benefit;
}

Scratch Worker::scratch(const Node& node, bool tallied) {
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t channels = static_cast<std::size_t>(node.n_channels());
    account(work_.reserve(8 * ((8 + 2 * channels) * stride + channels + 8)));
    if (node.counting()) {
        const std::size_t words = static_cast<std::size_t>(node.words()) +
                                  2 * static_cast<std::size_t>(node.n_blocks());
        account(bits_.reserve((stride + 1) * words * 8));
        account(plan_.reserve(kPlanBytes * words));
        account(panel_.reserve(panel_bytes(node.stride())));
        if (tallied || search_.model.counted) account(tallies_.reserve(4 * stride * stride));
    } else {
        account(indices_.reserve(4 * index_count(node.stride())));
        account(bits_.reserve((stride + 1) *
                              (static_cast<std::size_t>(std::min(node.words(), kIndexWords)) + 2) * 8));
        account(narrow_.reserve(stride * stride));
    }
    const auto checkpoint = [](void* worker) {
        Worker* self = static_cast<Worker*>(worker);
        self->search_.checkpoint(self->calling_thread_);
    };
    return {indices_.as<std::uint32_t>(),
            narrow_.data(),
            bits_.as<std::uint64_t>(),
            plan_.data(),
            tallies_.data(),
            panel_.as<std::uint8_t>(),
            work_.as<double>(),
            checkpoint,
            this};
}

void Worker::turn_rows(Level& at) {
    const std::size_t before = at.node.bytes();
    at.node.row_bits();
    account(at.node.bytes() - before);
}

void Worker::load_pair_table(Level& at, bool with_weights) {
    const Node& node = at.node;
    if (at.has_table && (at.has_counts || !with_weights)) return;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t bytes = stride * stride * static_cast<std::size_t>(node.n_channels()) *
                              lane_bytes(node.lane_type());
    account(at.table.reserve(bytes));
    account(at.look.reserve(8 * stride));
    double* weights = nullptr;
    if (with_weights && node.counting()) {
        AlignedBuffer& counts = search_.prices.any() ? at.pair_rows : at.pair_weights;
        account(counts.reserve(stride * stride * 8));
        weights = counts.as<double>();
    }
    if (masked())
        load_native_table(at);
    else if (sibling_is_cheaper(at, with_weights))
        subtract_sibling(at, weights);
    else
        count_pairs(node.frame(), node.valid().data(), node.singles(), at.table.data(), weights,
                    scratch(node, weights != nullptr));
    at.has_table = true;
    at.has_counts = with_weights;
}

// Whether the rows that went the other way are counted sooner than those of the node. The subtraction itself
// takes time, hence the factor 0.7 (0.5 and 0.9 take as long). Numbers of rows that the parent has turned
// into weights are gone.
bool Worker::sibling_is_cheaper(const Level& at, bool with_weights) const {
    const Level* parent = at.above;
    if (!search_.options.switches.subtraction || !at.node.counting() || parent == nullptr ||
        !parent->has_table)
        return false;
    const bool turned = !search_.prices.any() && parent->has_pair_weights &&
                        (search_.model.scale != nullptr || parent->node.has_light());
    if (with_weights && (!parent->has_counts || turned)) return false;
    const double rows = at.node.n_slots(), others = parent->node.n_slots() - rows;
    const double own = static_cast<double>(at.node.active().size()),
                 all = static_cast<double>(parent->node.active().size());
    return others * all * all < 0.7 * rows * own * own;
}

void Worker::subtract_sibling(Level& at, double* weights) {
    const Level& parent = *at.above;
    const Node& node = parent.node;
    const std::size_t cells = static_cast<std::size_t>(node.stride()) *
                              static_cast<std::size_t>(node.stride());
    account(child_table_.reserve(cells * static_cast<std::size_t>(node.n_channels()) *
                                 lane_bytes(node.lane_type())));
    filter_.resize(static_cast<std::size_t>(node.words()));
    node.side_filter(at.entry_lane, !at.entry_side, filter_.data());
    double* others = nullptr;
    if (weights != nullptr) {
        account(sibling_rows_.reserve(cells * 8));
        others = sibling_rows_.as<double>();
    }
    count_pairs(node.frame(), filter_.data(), nullptr, child_table_.data(), others,
                scratch(node, others != nullptr));
    search_.kernels.subtract_table(node.frame(), at.node.frame(), at.node.parent_lanes(), parent.table.data(),
                                   child_table_.data(), at.table.data());
    if (weights == nullptr) return;
    const AlignedBuffer& counts = search_.prices.any() ? parent.pair_rows : parent.pair_weights;
    search_.kernels.subtract_counts(node.frame(), at.node.frame(), at.node.parent_lanes(),
                                    counts.as<double>(), others, weights);
}

// Benefit of a pair problem on the rows of a node, whatever the leaf model.
PairBenefit Worker::pair_benefit(const Node& node, PairProblem problem, const NodePrices& prices, int nodes,
                                 double* per_root) {
    ++statistics.depth_two_solves;
    const PairPrices lanes = prices.pairs();
    if (search_.prices.any()) problem.prices = &lanes;
    if (search_.has_function()) return function_pairs(node, problem, nodes, per_root);
    return search_.kernels.solve_pairs(node.frame(), search_.model, problem, nodes, per_root, scratch(node));
}

// Optimum of the node with at most three branching nodes in two levels, its pair table being loaded.
double Worker::solve_pairs(Level& at, int nodes, double* per_root) {
    const PairProblem problem = node_problem(at);
    const PairBenefit benefit = pair_benefit(at.node, problem, at.prices, nodes, per_root);
    return std::min(at.leaf, value_of_benefit(at.node, benefit.at_most[std::min(nodes, 3)]));
}

// Optimum of the node as by solve_pairs, with the best benefit of every root in `look`.
double Worker::look_ahead(Level& at, int nodes) {
    if (at.looked != nodes) {
        at.two_levels = solve_pairs(at, nodes, at.look.as<double>());
        at.looked = nodes;
    }
    return at.two_levels;
}

// Single sums, totals and prices of both children of a feature; the pair problems below need them. Sizes of
// pairs are wanted where leaves have a least size, and to build trees.
void Worker::begin_children(const Level& at, int lane, bool small_side, bool with_sizes) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t channels = static_cast<std::size_t>(node.n_channels());
    const std::size_t size = lane_bytes(node.lane_type());
    account(child_table_.reserve(stride * stride * channels * size));
    account(child_singles_.reserve(stride * channels * size));
    account(other_singles_.reserve(stride * channels * size));
    account(child_totals_.reserve(2 * channels * 8));
    filter_.resize(static_cast<std::size_t>(node.words()));
    char* singles = child_singles_.as<char>();
    char* others = other_singles_.as<char>();
    char* totals = child_totals_.as<char>();
    char* other_totals = totals + channels * 8;
    child_filled_ = false;
    child_sizes_ = with_sizes || search_.model.min_samples_leaf > 1 || search_.has_function();
    if (packed()) return begin_packed_children(at, lane, small_side);
    for (std::size_t c = 0; c < channels; ++c) {
        // Row `lane` of the pair table holds the sums of the child that has the feature.
        const char* row = at.table.as<char>() + (c * stride + static_cast<std::size_t>(lane)) * stride * size;
        const char* all = static_cast<const char*>(node.singles()) + c * stride * size;
        const char* total = static_cast<const char*>(node.totals()) + c * size;
        const char* with = all + static_cast<std::size_t>(lane) * size;
        char* right = (small_side ? singles : others) + c * stride * size;
        char* left = (small_side ? others : singles) + c * stride * size;
        std::memcpy(right, row, stride * size);
        search_.kernels.subtract(node.lane_type(), all, row, left, node.stride());
        std::memcpy((small_side ? totals : other_totals) + c * size, with, size);
        search_.kernels.subtract(node.lane_type(), total, with,
                                 (small_side ? other_totals : totals) + c * size, 1);
    }
    if (search_.prices.any()) child_prices_.test(at.prices, static_cast<std::size_t>(lane), search_.kernels);
}

// The pair problem of the smaller or the larger child, good until the next one is asked for. Only the rows of
// the smaller one are summed up, the pair table of the other is the node's table minus that (without the
// subtraction switch each is summed for itself).
PairProblem Worker::child_problem(const Level& at, int lane, bool small_side, bool large) {
    const Node& node = at.node;
    const bool subtract = search_.options.switches.subtraction;
    char* totals = child_totals_.as<char>() + (large ? static_cast<std::size_t>(node.n_channels()) * 8 : 0);
    const void* singles = large ? other_singles_.data() : child_singles_.data();
    if (!child_filled_ || (large && !subtract)) {
        const bool as_asked = large && !subtract;
        node.side_filter(lane, as_asked ? !small_side : small_side, filter_.data());
        Frame frame = node.frame();
        if (frame.counting && frame.counted && !child_sizes_) {
            frame.counted = false;
            --frame.n_channels;
        }
        if (packed())
            count_packed(at, filter_.data(),
                         static_cast<const std::int64_t*>(as_asked ? singles : child_singles_.data()),
                         child_table_, true);
        else if (masked())
            native_table(at, frame, filter_.data(), as_asked ? singles : child_singles_.data(),
                         child_table_.data(), search_.has_native());
        else
            count_pairs(frame, filter_.data(), as_asked ? singles : child_singles_.data(),
                        child_table_.data(), nullptr, scratch(node));
        child_filled_ = !as_asked;
    }
    return {child_table_.data(), large && subtract ? at.table.data() : nullptr, singles, totals};
}

// Benefit of a side of a feature as a leaf, in ticks.
double Worker::side_benefit(const Level& at, int lane, bool side) const {
    const Node& node = at.node;
    if (search_.has_function())
        return -at.side_cost[static_cast<std::size_t>((side ? node.stride() : 0) + lane)];
    return leaf_benefit(search_.model, [&](int k) {
        return side ? node.single(k, lane) : node.total(k) - node.single(k, lane);
    });
}

// The best single branching, or the leaf where none is better.
double Worker::best_stump(const Level& at, int* lane) const {
    double best = at.leaf;
    if (lane != nullptr) *lane = -1;
    const double all = search_.model.ticks * at.node.potential();
    for (const std::int32_t f : at.node.active()) {
        const double with = side_benefit(at, f, true), without = side_benefit(at, f, false);
        const double value = at.maximum ? std::max(-with, -without)
                                        : all - with - without + at.branch[static_cast<std::size_t>(f)];
        if (value < best) {
            best = value;
            if (lane != nullptr) *lane = f;
        }
    }
    return best;
}

}  // namespace streed
