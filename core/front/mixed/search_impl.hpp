// Bodies of MixedSearch: Algorithm 1 of the paper for vectors with maxima, minima and leaf functions.
//
// A node collects the nondominated points of all its splits below a ceiling. The last two levels are solved
// together, from the cells of all pairs of features: the leaf functions of all parts get thousands of cells
// in a call. A child's ceiling is the parent's, less the least that the other side can cost where components
// are added; where they are maxima it is the parent's own, since a maximum is not made smaller by taking a
// side away. Adding maxima like sums would be wrong, and a search without ceilings finds fronts of children
// that no point of the parent uses.
#pragma once

#include <cmath>

namespace streed {

template <int M>
void MixedSearch<M>::expand(int at, int depth, int nodes, Keeper<M>& sink) {
    normalise(depth, nodes);
    ++solved;
    const Node& node = worker_.level(at).node;
    sums_.resize(static_cast<std::size_t>(leaves_.n_statistics()));
    for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c] = node.total(static_cast<int>(c));
    leaves_.ask(sums_.data(), 1, ticks_);
    find_labels(ticks_, 1, 0, labels_);
    for (const Labelled& own : labels_) sink.add({own.v, 0, -1, own.leaf, 0});
    if (depth == 0 || node.active().empty()) return;
    if (depth <= 2)
        pairs(at, depth, nodes, sink, nullptr);
    else
        deep(at, depth, nodes, sink);
}

// Trees of depth two come first: they are cheap, lower the ceiling, and say which features are promising.
template <int M>
void MixedSearch<M>::deep(int at, int depth, int nodes, Keeper<M>& sink) {
    std::vector<double> look(static_cast<std::size_t>(worker_.level(at).node.stride()),
                             std::numeric_limits<double>::infinity());
    pairs(at, 2, std::min(nodes, 3), sink, &look);
    std::vector<std::int32_t> order = worker_.level(at).node.active();
    std::stable_sort(order.begin(), order.end(), [&look](std::int32_t a, std::int32_t b) {
        return look[static_cast<std::size_t>(a)] < look[static_cast<std::size_t>(b)];
    });
    for (const std::int32_t lane : order) try_split(at, depth, nodes, lane, sink);
}

// The least that a side of a feature of a node can have in every component; `lane` -1: the node itself.
template <int M>
Vector<M> MixedSearch<M>::least(int lane, bool side, int at) {
    const Node& node = worker_.level(at).node;
    Vector<M> out{};
    for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
        const MixedSlot& slot = shape_.slot[j];
        out[j] = slot.floor;
        if (slot.least < 0) continue;
        const double all = node.total(slot.least);
        const double own = lane < 0 ? all
                           : side   ? node.single(slot.least, lane)
                                    : all - node.single(slot.least, lane);
        out[j] = std::floor(own * leaves_.unit(slot.least) /
                            leaves_.grain(static_cast<std::size_t>(slot.part))) -
                 leaves_.play(static_cast<std::size_t>(slot.part));
    }
    return out;
}

template <int M>
void MixedSearch<M>::try_split(int at, int depth, int nodes, int lane, Keeper<M>& sink) {
    const int most = std::min(nodes - 1, full_tree(depth - 1));
    const Node& node = worker_.level(at).node;
    const int feature = node.feature(lane);
    const double with = node.single(search_.model.n_values, lane);
    if (with < least_rows_ || node.rows() - with < least_rows_) return;
    const Vector<M> low[2] = {least(lane, false, at), least(lane, true, at)};
    for (int left_nodes = most; left_nodes >= nodes - 1 - most; --left_nodes) {
        if (sink.covers(shape_.join(low[0], low[1]))) return;
        Points points[2] = {none(), none()};
        Vector<M> other = low[1];
        for (const bool side : {false, true}) {
            worker_.descend(at, lane, side);
            points[side] = front(at + 1, depth - 1, side ? nodes - 1 - left_nodes : left_nodes,
                                 shape_.side_ceiling(sink.ceiling, other));
            worker_.ascend();
            if (points[side].empty()) break;
            other = points[side].front().v;
            for (const Point<M>& p : points[side])
                for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
                    other[j] = std::min(other[j], p.v[j]);
            if (!side && sink.covers(shape_.join(other, low[1]))) break;
        }
        if (!points[0].empty() && !points[1].empty()) join(points[0], points[1], feature, sink);
    }
}

template <int M>
typename MixedSearch<M>::Points MixedSearch<M>::front(int at, int depth, int nodes,
                                                      const Vector<M>& ceiling) {
    normalise(depth, nodes);
    const bool cached = control_.options.switches.cache;
    std::string key;
    if (cached) {
        worker_.cache_key(depth, nodes, key);
        const auto found = known_.find(key);
        if (found != known_.end() && below<M>(ceiling, found->second.ceiling)) {
            Points out = none();
            for (const Point<M>& p : found->second.points)
                if (below<M>(p.v, ceiling)) out.push_back(p);
            return out;
        }
    }
    Keeper<M> keeper(shape_.equal, ceiling, objective(), control_);
    expand(at, depth, nodes, keeper);
    Points points = settle(keeper);
    if (!cached) return points;
    const std::size_t bytes = key.size() + 160 + points.size() * sizeof(Point<M>);
    if (search_.memory.fits(bytes)) {
        search_.memory.take(bytes);
        known_.insert_or_assign(key, Known{ceiling, {points.begin(), points.end()}});
    }
    return points;
}

template <int M>
typename MixedSearch<M>::Points MixedSearch<M>::settle(Keeper<M>& sink) {
    sink.filter();
    Points out = none();
    out.reserve(sink.list.size());
    for (const Candidate<M>& c : sink.list)
        out.push_back({c.v, 0, c.feature < 0 ? c.left : arena.add(c.feature, c.left, c.right)});
    return out;
}

template <int M>
void MixedSearch<M>::join(const Points& lefts, const Points& rights, std::int32_t feature, Keeper<M>& sink) {
    for (const Point<M>& l : lefts) {
        for (const Point<M>& r : rights) sink.add({shape_.join(l.v, r.v), 0, feature, l.tree, r.tree});
        control_.work(4 * static_cast<double>(rights.size()));
    }
}

// The last two levels: both sides of every root as leaves, then their splits from the cells of its row of the
// pair table.
template <int M>
void MixedSearch<M>::pairs(int at, int depth, int nodes, Keeper<M>& sink, std::vector<double>* look) {
    Level& here = worker_.level(at);
    const Node& node = here.node;
    const bool two = depth == 2 && nodes >= 2;
    if (two) worker_.tables.load(here);
    const CellPlan plan = worker_.functions.plan_cells(
        node, {here.table.data(), nullptr, node.singles(), node.totals()});
    const std::size_t n = static_cast<std::size_t>(plan.n);
    if (n == 0) return;
    sums_.resize(static_cast<std::size_t>(leaves_.n_statistics()) * 2 * n);
    for (std::size_t c = 0; c < static_cast<std::size_t>(leaves_.n_statistics()); ++c) {
        for (std::size_t a = 0; a < n; ++a) {
            sums_[c * 2 * n + a] = plan.totals[c] - plan.singles[c * n + a];
            sums_[c * 2 * n + n + a] = plan.singles[c * n + a];
        }
    }
    leaves_.ask(sums_.data(), 2 * n, singles_);
    const std::size_t lead = static_cast<std::size_t>(shape_.equal < M ? shape_.equal : 0);
    const std::size_t mark = arena.size();
    for (std::size_t a = 0; a < n; ++a) {
        control_.work(static_cast<double>(n * static_cast<std::size_t>(plan.n_values)) * 16);
        const Vector<M> low[2] = {least_of_side(plan, a, false), least_of_side(plan, a, true)};
        if (sink.covers(shape_.join(low[0], low[1]))) continue;
        Points leaf[2] = {none(), none()}, split[2] = {none(), none()};
        if (two) load_cells(node, plan, here.table.data(), a);
        for (const bool side : {false, true}) {
            Keeper<M> keeper(shape_.equal, shape_.side_ceiling(sink.ceiling, low[!side]), objective(),
                             control_);
            find_labels(singles_, 2 * n, (side ? n : 0) + a, labels_);
            for (const Labelled& own : labels_) keeper.add({own.v, 0, -1, own.leaf, 0});
            leaf[side] = settle(keeper);
            if (two) add_stumps(node, plan, a, side, keeper);
            split[side] = settle(keeper);
            if (split[side].empty()) break;
        }
        if (split[0].empty() || split[1].empty()) continue;
        const std::int32_t feature = node.feature(plan.lanes[a]);
        if (!two || nodes >= 3) {
            join(split[0], split[1], feature, sink);
        } else {
            join(split[0], leaf[1], feature, sink);
            join(leaf[0], split[1], feature, sink);
        }
        if (look == nullptr) continue;
        double& best = (*look)[static_cast<std::size_t>(plan.lanes[a])];
        for (const Point<M>& l : split[0])
            for (const Point<M>& r : split[1]) best = std::min(best, shape_.join(l.v, r.v)[lead]);
    }
    if (arena.size() - mark < 65536) return;
    std::vector<std::int32_t*> references;
    for (Candidate<M>& c : sink.list) {
        if (c.feature < 0) continue;
        references.push_back(&c.left);
        references.push_back(&c.right);
    }
    arena.keep(mark, references);
}

template <int M>
Vector<M> MixedSearch<M>::least_of_side(const CellPlan& plan, std::size_t root, bool side) const {
    const std::size_t n = static_cast<std::size_t>(plan.n);
    Vector<M> out{};
    for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
        const MixedSlot& slot = shape_.slot[j];
        out[j] = slot.floor;
        if (slot.least < 0) continue;
        const double with = plan.singles[static_cast<std::size_t>(slot.least) * n + root];
        const double own = side ? with : plan.totals[slot.least] - with;
        out[j] = std::floor(own * leaves_.unit(slot.least) /
                            leaves_.grain(static_cast<std::size_t>(slot.part))) -
                 leaves_.play(static_cast<std::size_t>(slot.part));
    }
    return out;
}

// Costs of the four cells of a root with every other feature: both, the root's only, the other one's only,
// none. Those with too few rows get the sums of the node, so that no function is asked about an empty leaf.
template <int M>
void MixedSearch<M>::load_cells(const Node& node, const CellPlan& plan, const void* table, std::size_t root) {
    const std::size_t n = static_cast<std::size_t>(plan.n);
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t values = static_cast<std::size_t>(plan.n_values);
    const std::size_t statistics = static_cast<std::size_t>(leaves_.n_statistics());
    sizes_.resize(4 * n);
    sums_.resize(statistics * 4 * n);
    const auto four = [&](std::size_t c, std::size_t b, double* out) {
        const std::size_t row = (c * stride + static_cast<std::size_t>(plan.lanes[root])) * stride;
        const double both = lane_value(node.lane_type(), table,
                                       row + static_cast<std::size_t>(plan.lanes[b]));
        const double own = plan.singles[c * n + root], other = plan.singles[c * n + b];
        out[0] = both;
        out[1] = own - both;
        out[2] = other - both;
        out[3] = plan.totals[c] - own - other + both;
    };
    double cell[4];
    for (std::size_t b = 0; b < n; ++b) {
        four(values, b, cell);
        for (std::size_t q = 0; q < 4; ++q) sizes_[q * n + b] = cell[q];
    }
    for (std::size_t c = 0; c < statistics; ++c) {
        for (std::size_t b = 0; b < n; ++b) {
            four(c, b, cell);
            for (std::size_t q = 0; q < 4; ++q)
                sums_[(c * 4 + q) * n + b] = sizes_[q * n + b] < least_rows_ ? plan.totals[c] : cell[q];
        }
    }
    leaves_.ask(sums_.data(), 4 * n, cells_);
}

template <int M>
void MixedSearch<M>::add_stumps(const Node& node, const CellPlan& plan, std::size_t root, bool side,
                                Keeper<M>& sink) {
    const std::size_t n = static_cast<std::size_t>(plan.n);
    const std::size_t with = side ? 0 : 2, without = side ? 1 : 3;
    for (std::size_t b = 0; b < n; ++b) {
        if (b == root || sizes_[with * n + b] < least_rows_ || sizes_[without * n + b] < least_rows_)
            continue;
        find_labels(cells_, 4 * n, with * n + b, labels_);
        find_labels(cells_, 4 * n, without * n + b, others_);
        for (const Labelled& right : labels_)
            for (const Labelled& left : others_)
                sink.add(
                    {shape_.join(left.v, right.v), 0, node.feature(plan.lanes[b]), left.leaf, right.leaf});
    }
}

}  // namespace streed
