// Bodies of FrontSearch: the recursion (paper, Algorithm 1, with "Upper bounds" and "Subtracting"). The last
// two levels are in depth_two_impl.hpp.
//
// Children are searched with what the parent still wants less what the sibling costs, as corners of a reverse
// front. The plain recursion, all fronts of all children and then their sums, finds many points that are
// dominated further up.
#pragma once

#include <bit>

#include "front/search/search.hpp"

namespace streed {

template <int M>
FrontSearch<M>::FrontSearch(const Rows& rows, const Kernels& kernels, Control& control, Scalar* guide,
                            int equal)
    : arena(control.ledger),
      rows_(rows),
      kernels_(kernels),
      control_(control),
      guide_(guide),
      equal_(equal),
      least_rows_(control.options.min_samples_leaf) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
        weights_[j] = guide != nullptr ? guide->weights[j] : 0;
        branch_[j] = rows.branch[j];
        same_labels_ = same_labels_ || branch_[j] < 0 ||
                       (branch_[j] != 0 && j < static_cast<std::size_t>(equal));
    }
    similar_ = control.options.switches.similarity && least_rows_ <= 1 && !rows.tests.any() &&
               std::all_of(branch_.begin(), branch_.end(), [](double b) { return b >= 0; });
    arena.two_labels = rows.n_labels == 2;
    Layer& root = layer(0);
    root.mask = rows.valid;
    root.part.select(rows, kernels, root.mask);
    root.constant = guide != nullptr ? guide->root_constant() : 0;
    root.lanes.resize(rows.features.size());
    for (std::size_t f = 0; f < root.lanes.size(); ++f) root.lanes[f] = static_cast<std::int32_t>(f);
}

template <int M>
void FrontSearch<M>::expand(int level, int depth, int nodes, Accumulator<M>& sink) {
    normalise(depth, nodes);
    Layer& at = layer(level);
    add_leaves(at.part.total(), sink);
    if (depth == 0) return;
    if (guide_ != nullptr && guide_->worker().level(level).node.active().empty()) return;
    if (level == 0) shared_.close();
    if (depth <= 2)
        pairs(level, depth, nodes, sink);
    else
        deep(level, depth, nodes, sink);
}

template <int M>
void FrontSearch<M>::add_leaves(const std::vector<double>& total, Accumulator<M>& sink) {
    for (int label = 0; label < rows_.n_labels; ++label) {
        const Vector<M> v = labelled(total.data(), label);
        sink.add({v, weighted(v), -1, ~label, 0});
    }
}

// Lanes (guided) or features that may lead to a point within the budget, the most promising first.
template <int M>
void FrontSearch<M>::open_lanes(int level, int depth, int nodes, double threshold) {
    Layer& at = layer(level);
    if (guide_ == nullptr) {
        const std::vector<std::int32_t> candidates = level == 0 ? at.lanes : layer(level - 1).lanes;
        at.part.pack(candidates, least_rows_);
        at.lanes = at.part.features();
        return;
    }
    Worker& worker = guide_->worker();
    Level& scalar = worker.level(level);
    const double limit = guide_->limit(threshold + at.constant, nodes);
    worker.begin_branching(level, depth, nodes, limit);
    at.lanes.clear();
    at.bounds.assign(static_cast<std::size_t>(scalar.node.stride()), 0);
    for (const std::int32_t lane : scalar.order) {
        scalar.best = limit;
        worker.try_feature(level, lane);
        scalar.best = limit;
        if (!scalar.open(lane)) continue;
        at.lanes.push_back(lane);
        double least = limit;
        for (int k = 0; k < scalar.n_budgets; ++k)
            least = std::min(least,
                             scalar.bound(scalar.least_nodes + k, false, lane) +
                                 scalar.bound(scalar.least_nodes + scalar.n_budgets - 1 - k, true, lane));
        at.bounds[static_cast<std::size_t>(lane)] = least;
    }
    worker.known_children.record(scalar);
    std::stable_sort(at.lanes.begin(), at.lanes.end(), [&at](std::int32_t a, std::int32_t b) {
        return at.bounds[static_cast<std::size_t>(a)] < at.bounds[static_cast<std::size_t>(b)];
    });
}

template <int M>
void FrontSearch<M>::deep(int level, int depth, int nodes, Accumulator<M>& sink) {
    control_.checkpoint();
    shared_.close();
    layer(level).archive.clear();
    // Depth-two trees tighten the bound set first; the root already did this.
    if (level > 0 && corners(sink, level) != nullptr) pairs(level, 2, std::min(nodes, 3), sink);
    open_lanes(level, depth, nodes, sink.threshold());
    narrow(level, sink);
    if (depth == 3 && dense()) shared_.open(rows_.features.size());
    for (std::size_t k = 0; k < layer(level).lanes.size(); ++k) {
        if (!within(layer(level).part, sink.ceiling())) break;
        const std::size_t mark = arena.size();
        try_split(level, depth, nodes, layer(level).lanes[k], sink);
        tidy(sink, mark);
        narrow(level, sink);
    }
}

// Loads one child of the node into the next layer (and into the guide's).
template <int M>
void FrontSearch<M>::child(int level, int feature, int lane, bool side) {
    Layer& from = layer(level);
    Layer& to = layer(level + 1);
    const std::uint64_t* column = rows_.columns.data() + static_cast<std::size_t>(feature) * rows_.words;
    const std::uint64_t invert = side ? 0 : ~0ull;
    to.mask.resize(rows_.words);
    for (std::size_t w = 0; w < rows_.words; ++w) to.mask[w] = from.mask[w] & (column[w] ^ invert);
    to.part.select(rows_, kernels_, to.mask);
    if (guide_ != nullptr) {
        guide_->worker().descend(level, lane, side);
        to.constant = guide_->constant(guide_->worker().level(level + 1).node);
    }
    control_.work(static_cast<double>(rows_.words));
}

// One branching feature with all divisions of the node budget. The smaller child comes first: if it has
// nothing within the budget the other one is not searched, and its least point lowers the budget of the
// other one.
template <int M>
void FrontSearch<M>::try_split(int level, int depth, int nodes, int lane, Accumulator<M>& sink) {
    Layer& at = layer(level);
    const int most = std::min(nodes - 1, full_tree(depth - 1));
    const int least = nodes - 1 - most;
    Level* scalar = guide_ != nullptr ? &guide_->worker().level(level) : nullptr;
    const int feature = scalar != nullptr ? scalar->node.feature(lane) : lane;
    const std::uint64_t* column = rows_.columns.data() + static_cast<std::size_t>(feature) * rows_.words;
    const int with = kernels_.count_and(column, at.mask.data(), static_cast<int>(rows_.words));
    const int all = kernels_.count_and(at.mask.data(), at.mask.data(), static_cast<int>(rows_.words));
    const bool first = 2 * with <= all;
    const Vector<M> step = step_of(feature, at.part.count());
    const double step_cost = weighted(step);
    Use& use = uses_[static_cast<std::size_t>(level)];
    for (int left_nodes = most; left_nodes >= least; --left_nodes) {
        const int budget[2] = {left_nodes, nodes - 1 - left_nodes};
        double bound[2] = {0, 0};
        if (scalar != nullptr)
            for (int side = 0; side < 2; ++side)
                bound[side] = guide_->cost(scalar->bound(budget[side], side == 1, lane), budget[side]);
        Points points[2] = {no_points(), no_points()};
        bool open = true;
        for (int turn = 0; turn < 2 && open; ++turn) {
            const bool side = turn == 0 ? first : !first;
            const double room = sink.threshold() + at.constant - step_cost - bound[!side];
            if (guide_ != nullptr && bound[side] > room + slack()) {
                open = false;
                break;
            }
            child(level, feature, lane, side);
            Request request{budget[side], room, sink.ceiling(), nullptr, false};
            for (int j = 0; j < M; ++j)
                request.ceiling[static_cast<std::size_t>(j)] -=
                    step[static_cast<std::size_t>(j)] + at.part.lowest(j) - layer(level + 1).part.lowest(j) +
                    std::min(0.0, branch_[static_cast<std::size_t>(j)]) * budget[!side];
            if (const Corners<M>* wanted = corners(sink, level)) {
                if (turn == 0)
                    ask_first(level, *wanted, bounds_of(level, column, !side, budget[!side]), step, request);
                else
                    ask_second(level, *wanted, points[!side], step, request);
                open = !layer(level + 1).wanted.none();
                if (turn == 0) ++use.looked;
                if (!open) {
                    count_skipped(use, 2 - turn);
                    break;
                }
            }
            if (depth == 3) shared_.enter(feature, side);
            tested_.push_back(feature);
            points[side] = front(level + 1, depth - 1, request);
            tested_.pop_back();
            if (request.whole)
                at.archive.put(layer(level + 1).mask, request.nodes, request.ceiling, points[side]);
            const double constant = layer(level + 1).constant;
            if (guide_ != nullptr) guide_->worker().ascend();
            open = !points[side].empty();
            if (!open && turn == 0 && request.wanted != nullptr) count_skipped(use, 1);
            if (open && guide_ != nullptr)
                bound[side] = std::max(bound[side], points[side].front().scalar + constant);
        }
        if (open) join(points[0], points[1], feature, step, sink);
    }
}

// What is wanted of the first child of a split if the other one costs at least one of `others`.
template <int M>
void FrontSearch<M>::ask_first(int level, const Corners<M>& wanted, const std::vector<Vector<M>>& others,
                               const Vector<M>& step, Request& request) {
    Layer& at = layer(level + 1);
    at.wanted.subtract(wanted, others, step, lowest(at.part));
    request.wanted = &at.wanted;
}

// What is wanted of the second one. If anything is, all of its front is found where that will be a bound of
// similar rows.
template <int M>
void FrontSearch<M>::ask_second(int level, const Corners<M>& wanted, const Points& first,
                                const Vector<M>& step, Request& request) {
    std::vector<Vector<M>> others;
    for (const Point<M>& p : first) others.push_back(p.v);
    least_of_groups<M>(others, kRepresentatives);
    ask_first(level, wanted, others, step, request);
    Layer& at = layer(level + 1);
    request.whole = similar_;
    if (!request.whole || at.wanted.none()) return;
    Vector<M> top = highest(at.part, request.nodes);
    for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
        top[j] = std::min(top[j], request.ceiling[j]);
    at.wanted = Corners<M>({top});
}

// What one side of a split costs at least.
template <int M>
std::vector<Vector<M>> FrontSearch<M>::bounds_of(int level, const std::uint64_t* column, bool side,
                                                 int nodes) {
    Layer& at = layer(level);
    const std::uint64_t invert = side ? 0 : ~0ull;
    at.side.resize(rows_.words);
    for (std::size_t w = 0; w < rows_.words; ++w) at.side[w] = at.mask[w] & (column[w] ^ invert);
    at.side_part.select(rows_, kernels_, at.side);
    control_.work(static_cast<double>(rows_.words));
    if (!similar_) return {lowest(at.side_part)};
    return at.archive.bound(rows_, kernels_, at.side, nodes, lowest(at.side_part),
                            highest(at.side_part, nodes));
}

template <int M>
void FrontSearch<M>::begin(Accumulator<M>& points, const Part& part, int nodes, double threshold,
                           const Vector<M>& ceiling, double expected) const {
    const double branches = branch_[0] * std::min(static_cast<double>(nodes), part.count());
    points.begin(equal_, threshold, ceiling, part.lowest(0) + std::min(0.0, branches),
                 part.highest(0) + std::max(0.0, branches) + rows_.tests.most(0, part.count()), expected);
}

template <int M>
typename FrontSearch<M>::Points FrontSearch<M>::front(int level, int depth, const Request& request) {
    Layer& at = layer(level);
    const std::size_t mark = arena.size();
    begin(at.points, at.part, request.nodes, request.budget - at.constant + slack(), request.ceiling,
          guide_ != nullptr ? 64 : 65536);
    if (request.wanted != nullptr) at.points.bound(*request.wanted, lowest(at.part), !request.whole);
    expand(level, depth, request.nodes, at.points);
    compact(mark, at.points);
    return settle(at.points);
}

// Trees for what has stayed; sorted by weighted cost where there is one.
template <int M>
typename FrontSearch<M>::Points FrontSearch<M>::settle(Accumulator<M>& points) {
    Points out = no_points();
    const auto& kept = points.finish();
    out.reserve(kept.size());
    for (const Candidate<M>& c : kept)
        out.push_back({c.v, c.scalar, c.feature < 0 ? c.left : arena.add(c.feature, c.left, c.right)});
    if (guide_ != nullptr)
        std::sort(out.begin(), out.end(),
                  [](const Point<M>& a, const Point<M>& b) { return a.scalar < b.scalar; });
    return out;
}

// After every split of a node.
template <int M>
void FrontSearch<M>::tidy(Accumulator<M>& points, std::size_t mark) {
    if (points.seeking())
        arena.keep(mark, {});
    else
        compact(mark, points);
    points.lower();
}

template <int M>
std::vector<std::pair<std::vector<double>, Tree>> FrontSearch<M>::found(Accumulator<M>& points) const {
    std::vector<std::pair<std::vector<double>, Tree>> out;
    for (const Candidate<M>& c : points.salvage())
        out.push_back({{c.v.begin(), c.v.end()}, unfolded<M>(c, arena)});
    return out;
}

template <int M>
void FrontSearch<M>::compact(std::size_t mark, Accumulator<M>& points) {
    if (arena.size() - mark < 65536) return;
    std::vector<std::int32_t*> references;
    points.references(references);
    control_.work(10 * static_cast<double>(arena.size() - mark) + 4 * static_cast<double>(references.size()));
    arena.keep(mark, references);
}

// All sums within the budget. Both lists are sorted by weighted cost, so that the loops end where the budget
// does.
template <int M>
void FrontSearch<M>::join(const Points& lefts, const Points& rights, std::int32_t feature,
                          const Vector<M>& step, Accumulator<M>& sink) {
    const double step_cost = weighted(step);
    for (const Point<M>& l : lefts) {
        const double rest = sink.threshold() - l.scalar - step_cost;
        if (rights.front().scalar > rest) break;
        Vector<M> base;
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) base[j] = l.v[j] + step[j];
        std::size_t seen = 0;
        for (const Point<M>& r : rights) {
            if (r.scalar > rest) break;
            Candidate<M> sum{{}, l.scalar + r.scalar + step_cost, feature, l.tree, r.tree};
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) sum.v[j] = base[j] + r.v[j];
            sink.add(sum);
            ++seen;
        }
        control_.work(4 * static_cast<double>(seen));
    }
}

}  // namespace streed

#include "front/search/depth_two_impl.hpp"
