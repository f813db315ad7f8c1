// The similarity bound between the children of one node (paper, "Lower bounds").
//
// If the child A has the least cost v, any other set B has at least v minus what the rows of A that B lacks
// could cost. For two children of the same node these rows are a cell of the pair table of weights, so one
// solved child bounds all its siblings in one sweep. A row costs at most what its label weighs, and of equal
// rows with several labels only those of the best one count: the others are wrong in any tree. An archive of
// earlier row sets adds nothing to that. With a limit on leaf sizes the argument fails (a leaf may lose
// rows), and the bound is off.
//
// Prices of tests: the tree of B, used on A, finds other tests paid for. Each row of both pays at most what
// it lost by not having been tested for B's feature, and each row of A alone at most the dearest tests of a
// path.
#include "search/bounds/similarity.hpp"

#include <algorithm>
#include <cstring>

namespace streed {

// Weights of all pairs of features where rows are counted. The numbers of rows came with the pair table; they
// are the weights where every row counts one.
void SimilarityBounds::count_weights(Level& at) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const bool priced = search_.prices.any(), scaled = search_.model.scale != nullptr;
    if (priced) {
        at.single_rows.assign(stride, 0);
        for (const std::int32_t f : node.active())
            at.single_rows[static_cast<std::size_t>(f)] =
                at.pair_rows.as<double>()[static_cast<std::size_t>(f) * (stride + 1)];
    }
    if (!priced && !scaled && !node.has_light()) return;
    const std::size_t bytes = stride * stride * 8;
    thread_.account(at.pair_weights.reserve(bytes));
    double* weights = at.pair_weights.as<double>();
    const double* rows = (priced ? at.pair_rows : at.pair_weights).as<double>();
    const Frame frame = node.frame();
    const void* table = at.table.data();
    if (node.has_light()) {  // what is left without the rows that have no weight of their own
        thread_.account(tables_.spare.table.reserve(
            stride * stride * static_cast<std::size_t>(node.n_channels()) * lane_bytes(node.lane_type())));
        thread_.account(tables_.spare.rows.reserve(bytes));
        double* light = tables_.spare.rows.as<double>();
        tables_.spare.filter.resize(static_cast<std::size_t>(node.words()));
        for (std::size_t w = 0; w < tables_.spare.filter.size(); ++w)
            tables_.spare.filter[w] = node.valid()[w] & ~node.heavy()[w];
        tables_.count(frame, tables_.spare.filter.data(), nullptr, tables_.spare.table.data(),
                      scaled ? nullptr : light, tables_.scratch(node, !scaled));
        if (scaled)
            search_.kernels.subtract_table(frame, frame, nullptr, table, tables_.spare.table.data(),
                                           tables_.spare.table.data());
        else
            search_.kernels.subtract_counts(frame, frame, nullptr, rows, light, weights);
        table = tables_.spare.table.data();
    } else if (!scaled) {
        std::memcpy(weights, rows, bytes);
    }
    if (scaled)
        search_.kernels.pair_weights(frame, table, nullptr, search_.model.n_values, search_.model.scale,
                                     weights);
}

// Weights of all pairs of features. Where slots carry several labels the sum over labels is an upper bound of
// what they can cost, which only weakens the bound. Packed sums have the weights in their pair table.
void SimilarityBounds::load_weights(Level& at) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const bool several = !node.counting() && search_.traits.own_weight, sized = search_.reduced.sized;
    if (sized) {
        thread_.account(at.pair_weights.reserve(stride * stride * 8));
        search_.kernels.packed_sizes(node.frame(), at.table.as<std::int64_t>(), search_.reduced.shift,
                                     at.pair_weights.as<double>());
    } else if (several) {
        const Frame frame = node.weight_frame();
        const std::size_t size = lane_bytes(node.lane_type());
        thread_.account(at.pair_weights.reserve(stride * stride * 8));
        thread_.account(tables_.spare.table.reserve(stride * stride *
                                                    static_cast<std::size_t>(node.n_channels()) * size));
        thread_.account(
            tables_.spare.singles.reserve(stride * static_cast<std::size_t>(node.n_channels()) * size));
        if (search_.masked()) {
            std::fill_n(tables_.spare.singles.as<double>(), stride, 0.0);
            for (const std::int32_t f : node.active())
                tables_.spare.singles.as<double>()[f] = node.column_sum(*frame.channels, f);
            std::fill_n(tables_.spare.table.as<double>(), stride * stride, 0.0);
            native_.fill_table(at, frame, node.valid().data(), tables_.spare.singles.data(),
                               tables_.spare.table.data(), false);
        } else {
            const Scratch buffers = tables_.scratch(node);
            search_.kernels.single_sums(frame, node.valid().data(), tables_.spare.singles.data(), buffers);
            tables_.count(frame, node.valid().data(), tables_.spare.singles.data(),
                          tables_.spare.table.data(), nullptr, buffers);
        }
        search_.kernels.pair_weights(frame, tables_.spare.table.data(), nullptr, 1, nullptr,
                                     at.pair_weights.as<double>());
    } else if (node.counting()) {
        count_weights(at);
    } else {
        const Frame frame = node.frame();
        const bool is_signed = search_.traits.difference;
        const std::size_t channels = static_cast<std::size_t>(node.n_channels());
        thread_.account(at.pair_weights.reserve(stride * stride * 8));
        if (is_signed) {
            thread_.account(
                tables_.spare.table.reserve(stride * stride * channels * lane_bytes(node.lane_type())));
            thread_.account(tables_.spare.singles.reserve(stride * channels * lane_bytes(node.lane_type())));
            tables_.spare.filter.resize(static_cast<std::size_t>(node.words()));
            node.positive_rows(tables_.spare.filter.data());
            const Scratch buffers = tables_.scratch(node);
            search_.kernels.single_sums(frame, tables_.spare.filter.data(), tables_.spare.singles.data(),
                                        buffers);
            tables_.count(frame, tables_.spare.filter.data(), tables_.spare.singles.data(),
                          tables_.spare.table.data(), nullptr, buffers);
        }
        search_.kernels.pair_weights(frame, at.table.data(), is_signed ? tables_.spare.table.data() : nullptr,
                                     search_.model.n_values, nullptr, at.pair_weights.as<double>());
    }
    at.single_weight.assign(stride, 0);
    for (const std::int32_t f : node.active())
        at.single_weight[static_cast<std::size_t>(f)] =
            at.pair_weights.as<double>()[static_cast<std::size_t>(f) * (stride + 1)];
    at.all_weight = 0;
    if (node.counting()) {
        at.all_weight = search_.has_function() ? node.n_slots()
                                               : node.potential();  // rows of a function have no potential
    } else if (sized) {
        at.all_weight = node.total(0);
    } else if (several) {
        at.all_weight = node.weight();
    } else if (search_.traits.difference) {
        at.all_weight = node.potential();
    } else {
        for (int k = 0; k < search_.model.n_values; ++k) at.all_weight += node.total(k);
    }
}

// A leaf function's costs are rounded to ticks, at most half of one for each leaf of the two trees that are
// compared.
double SimilarityBounds::rounding_slack(int nodes) const { return search_.reduced.exact ? 0.0 : 1.0 + nodes; }

// The similarity bound from the level above: the child on h of this node is the parent's child on h without
// the rows that went the other way, and with one level less it cannot cost less.
void SimilarityBounds::inherit(Level& parent, Level& at) {
    const SharedLock lock(parent);
    if (!parent.branching || !parent.has_pair_weights || parent.n_budgets != 1 || at.n_budgets != 1) return;
    if (parent.depth < at.depth) return;  // the root's, while neighbourhoods look deeper than its search
    const std::size_t stride = static_cast<std::size_t>(parent.node.stride());
    const std::size_t entry = static_cast<std::size_t>(at.entry_lane);
    const bool priced = search_.prices.any();
    const auto shared = [&](const AlignedBuffer& pairs, const std::vector<double>& single, double all,
                            double per) {
        return SharedRows{at.entry_side,
                          at.entry_side ? single[entry] : all - single[entry],
                          pairs.as<double>() + entry * stride,
                          single.data(),
                          per,
                          nullptr};
    };
    const SharedRows weights = shared(parent.pair_weights, parent.single_weight, parent.all_weight,
                                      search_.per_weight());
    const SharedRows rows = priced ? shared(parent.pair_rows, parent.single_rows, parent.node.rows(),
                                            parent.prices.most)
                                   : weights;
    const double slack = rounding_slack(parent.nodes);
    const double* left = &parent.bound(parent.least_nodes, false, 0);
    const double* right = &parent.bound(parent.least_nodes, true, 0);
    // Rows of the parent's child on g that this node lacks, and has.
    const auto parts = [](const SharedRows& of, double all, std::size_t g, bool side, double& away,
                          double& kept) {
        const double on_right = of.side ? of.both[g] : of.single[g] - of.both[g];
        kept = side ? on_right : of.own - on_right;
        away = (side ? of.single[g] : all - of.single[g]) - kept;
    };
    for (const std::int32_t h : at.node.active()) {
        const std::size_t g = static_cast<std::size_t>(at.node.parent_lane(h));
        for (const bool side : {false, true}) {
            double away, kept;
            parts(weights, parent.all_weight, g, side, away, kept);
            double less = slack + weights.per * away;
            if (priced) {
                parts(rows, parent.node.rows(), g, side, away, kept);
                less += rows.per * away + parent.prices.lost(g, entry) * kept;
            }
            at.bound(at.least_nodes, side, h) = std::max(search_.floor(), (side ? right : left)[g] - less);
        }
    }
}

// What is known of both children of a feature, pushed to all other children in one sweep.
void SimilarityBounds::push_children(Level& at, int lane) {
    if (!on) return;
    const int nodes = at.least_nodes;
    const double left = at.bound(nodes, false, lane), right = at.bound(nodes, true, lane);
    if (search_.prices.any()) {
        if (left > search_.floor()) push(at, lane, false, nodes, left);
        if (right > search_.floor()) push(at, lane, true, nodes, right);
        return;
    }
    make_weights(at);
    const std::size_t own = static_cast<std::size_t>(lane),
                      stride = static_cast<std::size_t>(at.node.stride());
    const double slack = rounding_slack(nodes);
    const SolvedChildren children{left - slack,           right - slack,
                                  at.single_weight[own],  at.all_weight,
                                  search_.per_weight(),   at.pair_weights.as<double>() + own * stride,
                                  at.single_weight.data()};
    search_.kernels.push_both(at.node.active().back() + 1, children, &at.bound(nodes, false, 0),
                              &at.bound(nodes, true, 0));
}

void SimilarityBounds::make_weights(Level& at) {
    if (at.has_pair_weights) return;
    load_weights(at);
    at.has_pair_weights = true;
}

// What several threads read of a node without a lock must be there before they start: weights may take the
// place of the numbers of rows that the pair tables of its children are made from.
void SimilarityBounds::prepare_sharing(Level& at) {
    if (on && at.has_table) make_weights(at);
}

void SimilarityBounds::push(Level& at, int lane, bool side, int nodes, double value) {
    make_weights(at);
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    const std::size_t own = static_cast<std::size_t>(lane);
    const auto shared = [&](const AlignedBuffer& pairs, const std::vector<double>& single, double all,
                            double per, const double* each) {
        return SharedRows{side,
                          side ? single[own] : all - single[own],
                          pairs.as<double>() + own * stride,
                          single.data(),
                          per,
                          each};
    };
    const SharedRows weights = shared(at.pair_weights, at.single_weight, at.all_weight, search_.per_weight(),
                                      nullptr);
    SharedRows rows = weights;
    if (search_.prices.any()) {
        at.prices.lost(own, lost_, search_.kernels);
        rows = shared(at.pair_rows, at.single_rows, at.node.rows(), at.prices.most, lost_.data());
    }
    search_.kernels.push_bounds(at.node.stride(), weights, search_.prices.any() ? &rows : nullptr,
                                value - rounding_slack(nodes), &at.bound(nodes, false, 0),
                                &at.bound(nodes, true, 0));
}

}  // namespace streed
