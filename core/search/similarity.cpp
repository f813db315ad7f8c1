// The similarity bound between the children of one node (paper, "Lower bounds").
//
// If the child A has the least cost v, any other set B has at least v minus what the rows of A that B lacks could
// cost. For two children of the same node these rows are a cell of the pair table of weights, so one solved child
// bounds all its siblings in one sweep. An archive of earlier row sets adds nothing to that. With a limit on leaf
// sizes the argument fails (a leaf may lose rows), and the bound is off.
#include <algorithm>

#include "search.hpp"

namespace streed {

// Weights of all pairs of features. Where slots carry several labels the sum over labels is an upper bound, which
// only weakens the bound.
void Worker::load_pair_weights(Level& at) {
    const Node& node = at.node;
    const Frame frame = node.frame();
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const bool is_signed = search_.model.kind == LeafKind::signed_difference;
    const std::size_t size = lane_bytes(node.lane_type());
    if (!search_.options.switches.depth_two) load_pair_table(at);
    if (is_signed) {
        account(child_table_.reserve(stride * stride * static_cast<std::size_t>(node.n_channels()) * size));
        account(child_singles_.reserve(stride * static_cast<std::size_t>(node.n_channels()) * size));
        search_.kernels.single_sums(frame, node.positive().data(), child_singles_.data(), scratch_.as<std::uint32_t>());
        search_.kernels.pair_table(frame, node.positive().data(), child_singles_.data(), child_table_.data(), scratch_.as<std::uint32_t>(), narrow_.data());
    }
    search_.kernels.pair_weights(frame, at.table.data(), is_signed ? child_table_.data() : nullptr, search_.model.n_values,
                                 at.pair_weights.as<double>());
    at.single_weight.assign(stride, 0);
    for (const std::int32_t f : node.active())
        at.single_weight[static_cast<std::size_t>(f)] = at.pair_weights.as<double>()[static_cast<std::size_t>(f) * (stride + 1)];
}

void Worker::push_similarity(Level& at, int lane, bool side, int nodes, double value) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    if (!at.has_pair_weights) {
        account(at.pair_weights.reserve(stride * stride * 8));
        load_pair_weights(at);
        at.has_pair_weights = true;
    }
    const double per_weight = search_.per_weight();
    const double all = node.weight();
    const double with = at.single_weight[static_cast<std::size_t>(lane)];
    const double* both = at.pair_weights.as<double>() + static_cast<std::size_t>(lane) * stride;
    double* left = &at.bound(nodes, false, 0);
    double* right = &at.bound(nodes, true, 0);
    for (const std::int32_t g : node.active()) {
        // Weight of the solved child's rows that go right, and left, at g.
        const double on_right = side ? both[g] : at.single_weight[static_cast<std::size_t>(g)] - both[g];
        const double on_left = (side ? with : all - with) - on_right;
        right[g] = std::max(right[g], value - per_weight * on_left);
        left[g] = std::max(left[g], value - per_weight * on_right);
    }
}

}  // namespace streed
