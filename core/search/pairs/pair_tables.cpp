// Pair tables of nodes: counted, or those of their parents less those of their siblings.
#include "search/pairs/pair_tables.hpp"

#include <algorithm>

namespace streed {

Scratch PairTables::scratch(const Node& node, bool tallied) {
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t channels = static_cast<std::size_t>(node.n_channels());
    thread_.account(work_.reserve(8 * ((8 + 2 * channels) * stride + channels + 8)));
    if (node.counting()) {
        const std::size_t words = static_cast<std::size_t>(node.words()) +
                                  2 * static_cast<std::size_t>(node.n_blocks());
        thread_.account(bits_.reserve((stride + 1) * words * 8));
        thread_.account(plan_.reserve(kPlanBytes * words));
        thread_.account(panel_.reserve(panel_bytes(node.stride())));
        if (tallied || search_.model.counted) thread_.account(tallies_.reserve(4 * stride * stride));
    } else {
        thread_.account(indices_.reserve(4 * index_count(node.stride())));
        thread_.account(bits_.reserve(
            (stride + 1) * (static_cast<std::size_t>(std::min(node.words(), kIndexWords)) + 2) * 8));
        thread_.account(narrow_.reserve(stride * stride));
    }
    const auto checkpoint = [](void* thread) { static_cast<ThreadState*>(thread)->checkpoint(); };
    return {indices_.as<std::uint32_t>(),
            narrow_.data(),
            bits_.as<std::uint64_t>(),
            plan_.data(),
            tallies_.data(),
            panel_.as<std::uint8_t>(),
            work_.as<double>(),
            checkpoint,
            &thread_};
}

void PairTables::load(Level& at, bool with_weights) {
    const Node& node = at.node;
    if (at.has_table && (at.has_counts || !with_weights)) return;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t bytes = stride * stride * static_cast<std::size_t>(node.n_channels()) *
                              lane_bytes(node.lane_type());
    thread_.account(at.table.reserve(bytes));
    thread_.account(at.look.reserve(8 * stride));
    double* weights = nullptr;
    if (with_weights && node.counting()) {
        AlignedBuffer& counts = search_.prices.any() ? at.pair_rows : at.pair_weights;
        thread_.account(counts.reserve(stride * stride * 8));
        weights = counts.as<double>();
    }
    if (search_.masked())
        native_.load_table(at);
    else if (sibling_is_cheaper(at, with_weights))
        subtract_sibling(at, weights);
    else
        count(node.frame(), node.valid().data(), node.singles(), at.table.data(), weights,
              scratch(node, weights != nullptr));
    at.has_table = true;
    at.has_counts = with_weights;
}

// Whether the rows that went the other way are counted sooner than those of the node. The subtraction itself
// takes time, hence the factor 0.7 (0.5 and 0.9 take as long). Numbers of rows that the parent has turned
// into weights are gone.
bool PairTables::sibling_is_cheaper(const Level& at, bool with_weights) const {
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

void PairTables::subtract_sibling(Level& at, double* weights) {
    const Level& parent = *at.above;
    const Node& node = parent.node;
    const std::size_t cells = static_cast<std::size_t>(node.stride()) *
                              static_cast<std::size_t>(node.stride());
    thread_.account(spare.table.reserve(cells * static_cast<std::size_t>(node.n_channels()) *
                                        lane_bytes(node.lane_type())));
    spare.filter.resize(static_cast<std::size_t>(node.words()));
    node.side_filter(at.entry_lane, !at.entry_side, spare.filter.data());
    double* others = nullptr;
    if (weights != nullptr) {
        thread_.account(spare.rows.reserve(cells * 8));
        others = spare.rows.as<double>();
    }
    count(node.frame(), spare.filter.data(), nullptr, spare.table.data(), others,
          scratch(node, others != nullptr));
    search_.kernels.subtract_table(node.frame(), at.node.frame(), at.node.parent_lanes(), parent.table.data(),
                                   spare.table.data(), at.table.data());
    if (weights == nullptr) return;
    const AlignedBuffer& counts = search_.prices.any() ? parent.pair_rows : parent.pair_weights;
    search_.kernels.subtract_counts(node.frame(), at.node.frame(), at.node.parent_lanes(),
                                    counts.as<double>(), others, weights);
}

}  // namespace streed
