// The steps that all depths share: stumps, leaves, bounds of sides, and the cache before a search.
#include <algorithm>

#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// Entries of a wide node take twice the space: 100,000 rows no longer fit into the caches of a processor.
double Worker::work_of(const Node& node) const {
    const double cells = static_cast<double>(node.size()) * node.n_columns() * (node.wide() ? 4 : 1);
    // Blocks have twice the lanes: rice at depth 4 took .83 of the time with .68 of the walks, htru at 3 .71
    // and .57.
    if (node.width() == Width::blocks) return 1.25 * cells;
    return (walks_costs(node) ? 2 + node.n_labels() : node.traits().work) * cells;
}

Worker::~Worker() {
    search_.take_memory(-taken_);
    const std::lock_guard<std::mutex> lock(search_.mutex);
    search_.statistics.add(statistics);
}

Node& Worker::child(int level, int side) {
    while (nodes_.size() < static_cast<std::size_t>(2 * level + 2)) nodes_.emplace_back();
    return nodes_[static_cast<std::size_t>(2 * level + side)];
}

// Buffers are counted after they have grown: they belong to a level and grow a few times in a search. A large
// table takes tenths of a second to divide, so the clock is asked between its columns, unless what is being
// built must be built to the end.
void Worker::divide(Node& node, int column, std::int32_t rank, Node& lower, Node& upper, bool to_the_end) {
    const std::ptrdiff_t grown = static_cast<std::ptrdiff_t>(
        open_sides(node, column, rank, search_.kernels, lower, upper, map_));
    taken_ += grown;
    if (grown > 0) search_.take_memory(grown);
    fill_sides(node, search_.kernels, lower, upper, map_, [&] {
        if (!to_the_end && !search_.building) look_after(node.size());
    });
}

// The second copy of a column with missing values has the splits of the first one where no value is missing.
void Worker::prepare(Node& node) {
    if (node.prepared()) return;
    const Node& root = search_.table.root;
    for (int j = 1; j < node.n_columns(); ++j) {
        const Source& source = search_.table.sources[static_cast<std::size_t>(j)];
        if (!source.upper || node.constant(j) ||
            search_.table.sources[static_cast<std::size_t>(j - 1)].column != source.column)
            continue;
        const bool missing = root.rank_of(j, node.roots()[node.row_at(j, node.size() - 1)]) ==
                             static_cast<std::int32_t>(source.ranks.size()) - 1;
        if (!missing) node.drop(j);
    }
    node.prepare(search_.kernels, search_.least_rows, search_.options.switches.narrow_lanes);
}

std::shared_ptr<Plan> Worker::make_plan(const Node& node, int column, int position) const {
    const Node& root = search_.table.root;
    auto plan = std::make_shared<Plan>();
    plan->column = column;
    plan->low = root.rank_of(column, node.roots()[node.row_at(column, position - 1)]);
    plan->high = root.rank_of(column, node.roots()[node.row_at(column, position)]);
    return plan;
}

std::shared_ptr<Plan> Worker::stump_plan(Node& node) {
    prepare(node);
    const Stump best = best_stump(node);
    if (best.column < 0 || best.value + search_.branch_cost >= search_.cost(node.leaf_cost())) return nullptr;
    return make_plan(node, best.column, best.position);
}

void Worker::count_pass(const Node& node) {
    look_at_clock(node);
    search_.count_work(node.size());
}

// The first position whose row has at least the rank of the upper side.
int Worker::position_of(const Node& node, const Plan& plan) const {
    const Node& root = search_.table.root;
    int low = 0, high = node.size();
    while (low < high) {
        const int middle = (low + high) / 2;
        if (root.rank_of(plan.column, node.roots()[node.row_at(plan.column, middle)]) >= plan.high)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// From what kernels return to ticks.
Cost Worker::side_cost(const Node& node, Cost weight, Cost given) const {
    if (given >= kNone) return kInfinite;
    return search_.cost(walks_costs(node) ? given : node.model().side_cost(weight, given));
}

// Counts the cells of a node that is about to be gone through, and looks at the clock after enough of them.
void Worker::look_at_clock(const Node& node) {
    look_after(static_cast<long>(node.size()) * node.n_columns());
}

void Worker::look_after(long cells) {
    since_checkpoint_ += static_cast<int>(std::min<long>(1l << 20, cells));
    if (since_checkpoint_ < 1 << 16) return;  // about 0.2 ms
    since_checkpoint_ = 0;
    search_.checkpoint(calling_);
}

void Worker::evaluate(Node& node, const std::vector<Lane>& lanes, Sides& sides) {
    look_at_clock(node);
    search_.count_work(work_of(node));
    std::size_t grown = node.prepare_walks();
    const NodeView& view = node.view();
    const bool costs = walks_costs(node);
    grown += words_.reserve(words_bytes(view));
    if (costs || node.traits().runs) grown += scratch_.reserve(scratch_bytes(view));
    taken_ += static_cast<std::ptrdiff_t>(grown);
    if (grown > 0) search_.take_memory(static_cast<std::ptrdiff_t>(grown));
    const Kernels& kernels = search_.kernels;
    kernels.pack(view, node.width(), costs, lanes.data(), static_cast<int>(lanes.size()), words_.data());
    if (costs)
        kernels.costs(view, node.width(), words_.data(), scratch_.data(), sides);
    else
        node.model().walk(kernels, view, node.width(), words_.data(), scratch_.data(), sides);
}

// Cheap answers first: a leaf where no split can help, the cache, and only then a search.
Outcome Worker::solve(Node& node, int depth, int nodes, Cost limit, int level, std::vector<Probe>* probes) {
    if (limit <= 0) return {};
    depth = std::min(depth, nodes);
    nodes = std::min(nodes, full_tree(depth));
    const Cost leaf = search_.cost(node.leaf_cost());
    if (depth == 0 || leaf <= search_.branch_cost) return {leaf, leaf, true, nullptr};
    if (node.size() < 2 * search_.least_rows) return {leaf, 0, true, nullptr};
    if (depth < 2 || !search_.use_cache || probes != nullptr)
        return solve_new(node, depth, nodes, limit, level, probes);
    Cache::Key key;
    make_key(node, search_.table.root, depth, nodes, key);
    Outcome known;
    const bool found = (notes_ != nullptr && notes_->find(key, known)) || search_.cache.find(key, known);
    if (found && (known.exact || known.value >= limit)) {
        ++statistics.cache_hits;
        return known;
    }
    Outcome outcome = solve_new(node, depth, nodes, limit, level, probes);
    search_.take_memory((notes_ != nullptr ? *notes_ : search_.cache).store(key, outcome));
    return outcome;
}

Outcome Worker::solve_new(Node& node, int depth, int nodes, Cost limit, int level,
                          std::vector<Probe>* probes) {
    if (!node.prepared()) look_at_clock(node);
    prepare(node);
    if (depth == 1) return depth_one(node, limit);
    if (depth > 2) return branch(node, depth, nodes, limit, level, probes);
    if (nodes == 3) return depth_two(node, Shape{}, limit, level, probes);
    Outcome one = depth_two(node, Shape{{true, false}}, limit, level, probes);
    Outcome other = depth_two(node, Shape{{false, true}}, one.exact ? std::min(limit, one.value) : limit,
                              level, probes);
    const Cost relaxed = std::min(one.relaxed, other.relaxed);
    Outcome& best = other.exact && (!one.exact || other.value < one.value) ? other : one;
    if (!best.exact) best.value = std::min(one.value, other.value);  // both are bounds
    best.relaxed = relaxed;
    return best;
}

Outcome Worker::depth_one(Node& node, Cost limit) {
    const Cost leaf = search_.cost(node.leaf_cost());
    look_at_clock(node);
    const Stump stump = best_stump(node);
    const Cost relaxed = std::min(leaf, stump.relaxed + search_.branch_cost);
    if (leaf <= stump.value + search_.branch_cost) return {leaf, relaxed, true, nullptr};
    Outcome out{stump.value + search_.branch_cost, relaxed, true, nullptr};
    if (out.value < limit)
        out.plan = make_plan(node, stump.column, stump.position);
    else
        out.exact = false;
    return out;
}

Stump Worker::best_stump(const Node& node) const {
    Stump best = node.model().best_stump(node, search_.least_rows);
    for (Cost* cost : {&best.value, &best.relaxed})
        if (*cost < kInfinite) *cost = search_.cost(*cost);
    return best;
}

}  // namespace streed::thresholds
