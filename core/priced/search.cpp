// The search over row sets: limits, memo, choice of the next feature, and the rounds of a node.
#include "priced/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace streed::priced {
Search::Search(Root& the_root, const Kernels& the_kernels, const Options& the_options,
               const Techniques& the_techniques, run::Clock::time_point started)
    : Control(the_options, started),
      root(the_root),
      kernels(the_kernels),
      techniques(the_techniques),
      memo(the_root.n_rows, the_options.n_threads > 1),
      prices(the_root, the_kernels),
      next_certificate(the_techniques.early_prices ? 0 : kFirstCertificate) {
    top.table = make_table(root, kernels);
    progress = [this] { return shown(); };
}

Worker::Worker(Search& search, bool calling)
    : search_(search),
      calling_(calling),
      root_(search.root),
      kernels_(search.kernels),
      techniques_(search.techniques),
      memo_(search.memo),
      reducer_(search.root, search.kernels, search.techniques) {}

Worker::~Worker() {
    const std::lock_guard lock(search_.top.mutex);
    search_.counters.add(counters_);
}

void Worker::search_root() {
    Level& top = search_.top;
    std::swap(top.rows, root_.rows);
    top.offset = root_.unit * reducer_.reduce(top.rows, false, true);
    top.rows->merged = false;  // all nodes have them in common
    top.leaf = top.upper = root_.unit * top.rows->leaf();
    look_up(0);
    if (techniques_.greedy && !halted()) greedy(top, 0);
    search_.searching = true;
    if (search_.shared())
        share(top);
    else
        solve(top, 0, std::numeric_limits<double>::infinity());
}

Level& Worker::level(int depth, int side) {
    auto& levels = levels_[side];
    while (static_cast<int>(levels.size()) < depth) {
        levels.push_back(std::make_unique<Level>());
        levels.back()->table = make_table(root_, kernels_);
    }
    return *levels[static_cast<std::size_t>(depth - 1)];
}

Progress Search::shown() {
    const SharedLock lock(top);
    std::size_t decided = 0;
    for (const char done : top.done) decided += done;
    Progress out;
    out.objective = root.base + upper() * root.tick;
    out.lower_bound = root.base + std::min(lower(), upper()) * root.tick;
    if (decided > 0) out.root_done = static_cast<double>(decided) / static_cast<double>(top.done.size());
    return out;
}

// Before a table that takes `wanted` bytes more. A tree that is being rebuilt is finished, but which one of
// equally good ones it is, is not looked for beyond the time limit.
void Worker::look_up(std::size_t wanted) {
    if (halted() || (search_.building && !proven_)) return;
    if (!search_.building) {
        search_.memory.measure(search_.bytes());
        if (!search_.memory.fits(wanted)) search_.stop(Status::memory_limit);
        if (techniques_.leaf_prices && search_.searching && search_.top.expanded &&
            search_.cycles() > search_.next_certificate)
            search_.paused = true;
    }
    search_.look(calling_);
}

// What the memo knows of the node; true if that is enough.
bool Worker::known(Level& at, double room) {
    if (at.entry == kNoEntry) at.entry = memo_.find(*at.rows, nullptr, key_);
    if (!techniques_.memo) return false;
    const Entry entry = memo_.at(at.entry);
    at.lower = std::max(at.lower, entry.lower);
    if (entry.upper < at.upper && entry.feature != kUnknown) {
        at.upper = entry.upper;
        at.feature = entry.feature;
    }
    at.exact = at.lower >= at.upper;
    return at.exact || at.lower >= room;
}

void Worker::expand(Level& at) {
    ++counters_.tables;
    const std::size_t before = at.table->bytes() + at.rows->bytes();
    at.table->fill(*at.rows);
    at.table->bound_children(techniques_.pair_bounds, at.bounds);
    search_.level_bytes += at.table->bytes() + at.rows->bytes() - before;
    search_.add_cycles(at.table->work());
    at.expanded = true;
    at.done.assign(static_cast<std::size_t>(at.rows->n_features), 0);
    at.taken = at.done;
    if (techniques_.inheritance && at.parent != nullptr) {
        const std::vector<std::int32_t>&own = at.rows->features, &above = at.parent->rows->features;
        lane_of_.resize(own.size());
        for (std::size_t f = 0, g = 0; f < own.size(); ++f) {  // a part of those above, in the same order
            while (above[g] != own[f]) ++g;
            lane_of_[f] = static_cast<std::int32_t>(g);
        }
        const SharedLock lock(*at.parent);
        at.table->inherit(*at.parent->table, at.parent->bounds, at.parent_lane, at.side, lane_of_, apart(),
                          at.bounds);
    }
    for (int f = 0; f < at.rows->n_features; ++f) improve(at, f);
    use_prices(at);
}

// A tree that costs less than all before it.
void Worker::improve(Level& at, int lane) {
    const auto f = static_cast<std::size_t>(lane);
    const double cost = root_.branch + at.bounds.upper[0][f] + at.bounds.upper[1][f];
    if (cost >= at.upper) return;
    at.upper = cost;
    at.feature = at.rows->features[f];
}

// No split costs less than the node: a child costs at least what its sibling's best tree leaves of that.
void Worker::own_bounds(Level& at) const {
    Bounds& b = at.bounds;
    for (std::size_t f = 0; f < b.lower[0].size(); ++f) {
        b.lower[1][f] = std::max(b.lower[1][f], at.lower - root_.branch - b.upper[0][f]);
        b.lower[0][f] = std::max(b.lower[0][f], at.lower - root_.branch - b.upper[1][f]);
    }
}

// The open feature with the best known tree, -1 if there is none; the least bound of all features bounds the
// node.
int Worker::choose(Level& at, double target) const {
    const Bounds& b = at.bounds;
    double least = at.leaf, best = std::numeric_limits<double>::infinity(), best_bound = best;
    int chosen = -1;
    for (std::size_t f = 0; f < b.lower[0].size(); ++f) {
        const double bound = root_.branch + b.lower[0][f] + b.lower[1][f];
        least = std::min(least, bound);
        if (bound >= target || at.done[f] != 0 || at.taken[f] != 0) continue;
        const double tree = b.upper[0][f] + b.upper[1][f];
        if (tree > best || (tree == best && bound >= best_bound)) continue;
        best = tree;
        best_bound = bound;
        chosen = static_cast<int>(f);
    }
    at.lower = std::max(at.lower, least);
    return chosen;
}

// The cheap answers; true if there is a search to be made, for which the node is ready.
bool Worker::begin(Level& at, double room) {
    if (at.exact || at.lower >= room) return false;
    ++counters_.nodes;
    if (at.leaf <= root_.branch || at.rows->n_features == 0) {
        at.lower = at.upper = at.leaf;
        at.feature = kLeaf;
        at.exact = true;
        return false;
    }
    at.lower = std::max(at.lower, std::min(at.leaf, root_.branch));
    if (at.lower >= room) return false;
    if (!at.expanded) {
        if (known(at, room)) return false;
        look_up(at.table->needed(*at.rows));
        if (halted()) return false;
        expand(at);
    }
    own_bounds(at);
    return true;
}

void Worker::solve(Level& at, int depth, double room) {
    if (!begin(at, room)) return;
    const std::size_t open = at.done.size();
    std::size_t tried = 0;
    for (;;) {
        const double target = std::min(room, at.upper);
        const int lane = choose(at, target);
        const bool decided = lane < 0 || at.lower >= target;
        if (depth == 0 && search_.paused) {
            search_.paused = false;
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

void Worker::finish(Level& at) {
    if (at.lower >= at.upper) {
        at.lower = at.upper;
        at.exact = true;
    }
    memo_.store(at.entry, at.lower, at.upper, at.feature);
}

Statistics Search::statistics() const {
    Statistics out;
    out.depth_two_solves = counters.tables;
    out.nodes = counters.nodes;
    out.cache_hits = memo.hits();
    out.cache_entries = memo.size();
    out.pruned_bound = counters.pruned;
    out.certificates = counters.certificates;
    out.rows_merged = top.rows->ids.size();
    out.features_kept = static_cast<std::size_t>(top.rows->n_features);
    return out;
}

}  // namespace streed::priced
