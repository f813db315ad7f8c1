// The search over row sets: limits, memo, choice of the next feature, and the rounds of a node.
#include "priced/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace streed::priced {
Search::Search(Root& root, const Kernels& kernels, const Options& the_options, const Techniques& techniques,
               run::Clock::time_point started)
    : Control(the_options, started),
      root_(root),
      kernels_(kernels),
      techniques_(techniques),
      reducer_(root, kernels, techniques),
      memo_(root.n_rows),
      prices_(root, kernels),
      next_certificate_(techniques.early_prices ? 0 : kFirstCertificate) {
    progress = [this] { return shown(); };
}

void Search::search_root() {
    Level& top = level(0, 0);
    top_ = &top;
    std::swap(top.rows, root_.rows);
    top.offset = root_.unit * reducer_.reduce(top.rows, false, true);
    top.rows->merged = false;  // all nodes have them in common
    top.leaf = top.upper = root_.unit * top.rows->leaf();
    look_up(0);
    if (techniques_.greedy && !halted()) greedy(top, 0);
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

Progress Search::shown() const {
    std::size_t decided = 0;
    for (const char done : top_->done) decided += done;
    Progress out;
    out.objective = root_.base + upper() * root_.tick;
    out.lower_bound = root_.base + std::min(lower(), upper()) * root_.tick;
    if (decided > 0) out.root_done = static_cast<double>(decided) / static_cast<double>(top_->done.size());
    return out;
}

// Before a table that takes `wanted` bytes more. A tree that is being rebuilt is finished.
void Search::look_up(std::size_t wanted) {
    if (halted() || rebuilding_) return;
    memory.measure(bytes());
    if (!memory.fits(wanted)) stop(Status::memory_limit);
    paused_ = techniques_.leaf_prices && searching_ && top_->expanded && work_ > next_certificate_;
    look(true);
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
        look_up(at.table->needed(*at.rows));
        if (halted()) return;
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
            if (!decided && !halted()) certify(at);
            continue;
        }
        if (decided || halted()) break;
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
    out.certificates = counters_.certificates;
    out.rows_merged = top_->rows->ids.size();
    out.features_kept = static_cast<std::size_t>(top_->rows->n_features);
    return out;
}

}  // namespace streed::priced
