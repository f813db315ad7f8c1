// The similarity bound between the children of one node (paper, "Lower bounds").
//
// If the child A has the least cost v, any other set B has at least v minus what the rows of A that B lacks could
// cost. For two children of the same node these rows are a cell of the pair table of weights, so one solved child
// bounds all its siblings in one sweep. An archive of earlier row sets adds nothing to that. With a limit on leaf
// sizes the argument fails (a leaf may lose rows), and the bound is off.
//
// Prices of tests: the tree of B, used on A, finds other tests paid for. Each row of both pays at most what it lost by not
// having been tested for B's feature, and each row of A alone at most the dearest tests of a path.
#include <algorithm>

#include "search.hpp"

namespace streed {

// Weights of all pairs of features; when counting they came with the pair table. Where slots carry several labels
// the sum over labels is an upper bound of what they can cost, which only weakens the bound.
void Worker::load_pair_weights(Level& at) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const bool several = !node.counting() && (search_.model.kind == LeafKind::largest_gain || search_.has_function());
    if (several) {
        const Frame frame = node.weight_frame();
        const std::size_t size = lane_bytes(node.lane_type());
        account(at.pair_weights.reserve(stride * stride * 8));
        account(child_table_.reserve(stride * stride * static_cast<std::size_t>(node.n_channels()) * size));
        account(child_singles_.reserve(stride * static_cast<std::size_t>(node.n_channels()) * size));
        const Scratch buffers = scratch(node);
        search_.kernels.single_sums(frame, node.valid().data(), child_singles_.data(), buffers);
        search_.kernels.pair_table(frame, node.valid().data(), child_singles_.data(), child_table_.data(), nullptr, buffers);
        search_.kernels.pair_weights(frame, child_table_.data(), nullptr, 1, at.pair_weights.as<double>());
    } else if (!node.counting()) {
        const Frame frame = node.frame();
        const bool is_signed = search_.model.kind == LeafKind::signed_difference;
        const std::size_t channels = static_cast<std::size_t>(node.n_channels());
        account(at.pair_weights.reserve(stride * stride * 8));
        if (is_signed) {
            account(child_table_.reserve(stride * stride * channels * lane_bytes(node.lane_type())));
            account(child_singles_.reserve(stride * channels * lane_bytes(node.lane_type())));
            filter_.resize(static_cast<std::size_t>(node.words()));
            node.positive_rows(filter_.data());
            const Scratch buffers = scratch(node);
            search_.kernels.single_sums(frame, filter_.data(), child_singles_.data(), buffers);
            search_.kernels.pair_table(frame, filter_.data(), child_singles_.data(), child_table_.data(), nullptr, buffers);
        }
        search_.kernels.pair_weights(frame, at.table.data(), is_signed ? child_table_.data() : nullptr, search_.model.n_values,
                                     at.pair_weights.as<double>());
    }
    at.single_weight.assign(stride, 0);
    for (const std::int32_t f : node.active())
        at.single_weight[static_cast<std::size_t>(f)] = at.pair_weights.as<double>()[static_cast<std::size_t>(f) * (stride + 1)];
    at.all_weight = 0;
    if (node.counting()) {
        at.all_weight = node.n_slots();
    } else if (several) {
        at.all_weight = node.weight();
    } else if (search_.model.kind == LeafKind::signed_difference) {
        at.all_weight = node.potential();
    } else {
        for (int k = 0; k < search_.model.n_values; ++k) at.all_weight += node.total(k);
    }
}

// A leaf function's costs are rounded to ticks, at most half of one for each leaf of the two trees that are compared.
double Worker::rounding_slack(int nodes) const { return search_.reduced.exact ? 0.0 : 1.0 + nodes; }

// The same bound from the level above: the child on h of this node is the parent's child on h without the rows that
// went the other way, and with one level less it cannot cost less.
void Worker::inherit_bounds(Level& parent, Level& at) {
    const SharedLock lock(parent);
    if (!parent.branching || !parent.has_pair_weights || parent.n_budgets != 1 || at.n_budgets != 1) return;
    const std::size_t stride = static_cast<std::size_t>(parent.node.stride());
    const double* both = parent.pair_weights.as<double>() + static_cast<std::size_t>(at.entry_lane) * stride;
    const double with = parent.single_weight[static_cast<std::size_t>(at.entry_lane)];
    const double away = at.entry_side ? parent.all_weight - with : with;
    const bool priced = search_.prices.any();
    const std::size_t entry = static_cast<std::size_t>(at.entry_lane);
    const double per_weight = search_.per_weight() + (priced ? parent.prices.most : 0.0);
    const double slack = rounding_slack(parent.nodes);
    const double* left = &parent.bound(parent.least_nodes, false, 0);
    const double* right = &parent.bound(parent.least_nodes, true, 0);
    for (const std::int32_t h : at.node.active()) {
        const int g = at.node.parent_lane(h);
        const double away_right = at.entry_side ? parent.single_weight[static_cast<std::size_t>(g)] - both[g] : both[g];
        const double away_left = away - away_right;
        double lost_right = 0, lost_left = 0;
        if (priced) {
            const double on_right = parent.single_weight[static_cast<std::size_t>(g)] - away_right;
            const double each = parent.prices.lost(static_cast<std::size_t>(g), entry);
            lost_right = each * on_right;
            lost_left = each * (parent.all_weight - away - on_right);
        }
        at.bound(at.least_nodes, true, h) = std::max(search_.floor(), right[g] - slack - per_weight * away_right - lost_right);
        at.bound(at.least_nodes, false, h) = std::max(search_.floor(), left[g] - slack - per_weight * away_left - lost_left);
    }
}

void Worker::push_similarity(Level& at, int lane, bool side, int nodes, double value) {
    if (!at.has_pair_weights) {
        load_pair_weights(at);
        at.has_pair_weights = true;
    }
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    const double with = at.single_weight[static_cast<std::size_t>(lane)];
    double per_weight = search_.per_weight();
    const double* lost = nullptr;
    if (search_.prices.any()) {
        per_weight += at.prices.most;
        lost_.resize(stride);
        for (std::size_t g = 0; g < stride; ++g) lost_[g] = at.prices.lost(static_cast<std::size_t>(lane), g);
        lost = lost_.data();
    }
    search_.kernels.push_bounds(at.node.stride(), value - rounding_slack(nodes), per_weight, side ? with : at.all_weight - with, side,
                                at.pair_weights.as<double>() + static_cast<std::size_t>(lane) * stride, at.single_weight.data(), lost,
                                &at.bound(nodes, false, 0), &at.bound(nodes, true, 0));
}

}  // namespace streed
