// The search over row sets: limits, memo, choice of the next feature, and the rounds of a node.
#include "priced/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace streed::priced {
Search::Search(Root& root, const Kernels& kernels, const Options& options, const Techniques& techniques,
               Clock::time_point started)
    : root_(root),
      kernels_(kernels),
      options_(options),
      techniques_(techniques),
      started_(started),
      reducer_(root, kernels, techniques),
      memo_(root.n_rows),
      prices_(root, kernels),
      next_certificate_(techniques.early_prices ? 0 : kFirstCertificate) {}

void Search::run() {
    Level& top = level(0, 0);
    top_ = &top;
    std::swap(top.rows, root_.rows);
    top.offset = root_.unit * reducer_.reduce(top.rows, false, true);
    top.rows->merged = false;  // all nodes have them in common
    top.leaf = top.upper = root_.unit * top.rows->leaf();
    poll(0);
    if (techniques_.greedy && !stopped()) greedy(top, 0);
    searching_ = true;
    solve(top, 0, std::numeric_limits<double>::infinity());
}

Level& Search::level(int depth, int side) {
    auto& levels = levels_[side];
    while (static_cast<int>(levels.size()) <= depth) {
        levels.push_back(std::make_unique<Level>());
        levels.back()->table = make_table(root_, kernels_);
    }
    return *levels[static_cast<std::size_t>(depth)];
}

std::size_t Search::memory() {
    const std::size_t used = level_bytes_ + memo_.bytes() + prices_.bytes() + 8 * root_.packed.size();
    peak_ = std::max(peak_, used);
    return used;
}

// Before a table that takes `wanted` bytes more. A tree that is being rebuilt is finished.
void Search::poll(std::size_t wanted) {
    if (stopped() || rebuilding_) return;
    const double elapsed = std::chrono::duration<double>(Clock::now() - started_).count();
    if (elapsed > options_.time_limit) status_ = Status::time_limit;
    const std::size_t used = memory();
    if (options_.memory_limit > 0 && used + wanted > options_.memory_limit) status_ = Status::memory_limit;
    paused_ = techniques_.leaf_prices && searching_ && top_->expanded && work_ > next_certificate_;
    if (stopped() || elapsed < next_poll_) return;
    next_poll_ = elapsed + 0.1;
    if (!options_.poll) return;
    std::size_t decided = 0;
    for (const char done : top_->done) decided += done;
    const double share = top_->done.empty()
                             ? 0
                             : static_cast<double>(decided) / static_cast<double>(top_->done.size());
    const double base = root_.base;
    if (options_.poll({elapsed, base + upper() * root_.tick, base + std::min(lower(), upper()) * root_.tick,
                       share, static_cast<double>(used)}))
        status_ = Status::interrupted;
}

// What the memo knows of the node; true if that is enough.
bool Search::known(Level& at, double room) {
    if (at.entry == kNoEntry) at.entry = memo_.find(*at.rows, nullptr);
    if (!techniques_.memo) return false;
    const Entry& entry = memo_.at(at.entry);
    at.lower = std::max(at.lower, entry.lower);
    if (entry.upper < at.upper && entry.feature != kUnknown) {
        at.upper = entry.upper;
        at.feature = entry.feature;
    }
    at.exact = at.lower >= at.upper;
    return at.exact || at.lower >= room;
}

void Search::expand(Level& at) {
    ++counters_.tables;
    const std::size_t before = at.table->bytes() + at.rows->bytes();
    at.table->fill(*at.rows);
    at.table->bound_children(techniques_.pair_bounds, at.bounds);
    level_bytes_ += at.table->bytes() + at.rows->bytes() - before;
    work_ += at.table->work();
    at.expanded = true;
    at.done.assign(static_cast<std::size_t>(at.rows->n_features), 0);
    if (techniques_.inheritance && at.parent != nullptr) {
        const std::vector<std::int32_t>&own = at.rows->features, &above = at.parent->rows->features;
        lane_of_.resize(own.size());
        for (std::size_t f = 0, g = 0; f < own.size(); ++f) {  // a part of those above, in the same order
            while (above[g] != own[f]) ++g;
            lane_of_[f] = static_cast<std::int32_t>(g);
        }
        at.table->inherit(*at.parent->table, at.parent->bounds, at.parent_lane, at.side, lane_of_, apart(),
                          at.bounds);
    }
    for (int f = 0; f < at.rows->n_features; ++f) improve(at, f);
    use_prices(at);
}

// A tree that costs less than all before it.
void Search::improve(Level& at, int lane) {
    const auto f = static_cast<std::size_t>(lane);
    const double cost = root_.branch + at.bounds.upper[0][f] + at.bounds.upper[1][f];
    if (cost >= at.upper) return;
    at.upper = cost;
    at.feature = at.rows->features[f];
}

// No split costs less than the node: a child costs at least what its sibling's best tree leaves of that.
void Search::own_bounds(Level& at) const {
    Bounds& b = at.bounds;
    for (std::size_t f = 0; f < b.lower[0].size(); ++f) {
        b.lower[1][f] = std::max(b.lower[1][f], at.lower - root_.branch - b.upper[0][f]);
        b.lower[0][f] = std::max(b.lower[0][f], at.lower - root_.branch - b.upper[1][f]);
    }
}

// The open feature with the best known tree, -1 if there is none; the least bound of all features bounds the
// node.
int Search::choose(Level& at, double target) const {
    const Bounds& b = at.bounds;
    double least = at.leaf, best = std::numeric_limits<double>::infinity(), best_bound = best;
    int chosen = -1;
    for (std::size_t f = 0; f < b.lower[0].size(); ++f) {
        const double bound = root_.branch + b.lower[0][f] + b.lower[1][f];
        least = std::min(least, bound);
        if (bound >= target || at.done[f] != 0) continue;
        const double tree = b.upper[0][f] + b.upper[1][f];
        if (tree > best || (tree == best && bound >= best_bound)) continue;
        best = tree;
        best_bound = bound;
        chosen = static_cast<int>(f);
    }
    at.lower = std::max(at.lower, least);
    return chosen;
}

void Search::solve(Level& at, int depth, double room) {
    if (at.exact || at.lower >= room) return;
    ++counters_.nodes;
    if (at.leaf <= root_.branch || at.rows->n_features == 0) {
        at.lower = at.upper = at.leaf;
        at.feature = kLeaf;
        at.exact = true;
        return;
    }
    at.lower = std::max(at.lower, std::min(at.leaf, root_.branch));
    if (at.lower >= room) return;
    if (!at.expanded) {
        if (known(at, room)) return;
        poll(at.table->needed(*at.rows));
        if (stopped()) return;
        expand(at);
    }
    own_bounds(at);
    const std::size_t open = at.done.size();
    std::size_t tried = 0;
    for (;;) {
        const double target = std::min(room, at.upper);
        const int lane = choose(at, target);
        const bool decided = lane < 0 || at.lower >= target;
        if (depth == 0 && paused_) {
            paused_ = false;
            if (!decided && !stopped()) certify(at);
            continue;
        }
        if (decided || stopped()) break;
        ++tried;
        solve_children(at, depth, lane, room);
    }
    counters_.pruned += open - std::min(open, tried);
    finish(at);
}

void Search::finish(Level& at) {
    if (at.lower >= at.upper) {
        at.lower = at.upper;
        at.exact = true;
    }
    Entry& entry = memo_.at(at.entry);
    entry.lower = std::max(entry.lower, at.lower);
    if (at.upper > entry.upper || (at.upper == entry.upper && entry.feature != kUnknown)) return;
    entry.upper = at.upper;
    entry.feature = at.feature;
}

Statistics Search::statistics() const {
    Statistics out;
    out.depth_two_solves = counters_.tables;
    out.nodes = counters_.nodes;
    out.cache_hits = memo_.hits();
    out.cache_entries = memo_.size();
    out.pruned_bound = counters_.pruned;
    out.peak_memory = peak_;
    out.certificates = counters_.certificates;
    out.rows_merged = top_->rows->ids.size();
    out.features_kept = static_cast<std::size_t>(top_->rows->n_features);
    out.threads = 1;
    return out;
}

}  // namespace streed::priced
