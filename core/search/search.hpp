// The state of one solve that its threads share, and the workers that search.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/node.hpp"
#include "engine.hpp"
#include "model/options.hpp"
#include "model/result.hpp"
#include "run/control.hpp"
#include "search/caches/cache.hpp"
#include "kernels/leaf_benefit.hpp"
#include "leaves/leaf_table.hpp"
#include "search/prices.hpp"
#include "search/caches/records.hpp"

namespace streed {

using run::Stopped;

// `lower` is a proven lower bound; it is the optimum if `exact`, which needs an optimum below the upper
// limit.
struct Outcome {
    double lower;
    bool exact;
};

// Why the search of a subproblem ended: no split can help, no tree below the limit is possible, a kernel
// solved all levels at once, nodes cannot pay their price, the cache knew it, or its features were searched.
enum class Reason { leaf, bound, kernel, price, cache, branched };

// A subproblem that was closed: its rows by the tests before it, what is proven of it, and why. Children of a
// node with three levels are solved within that node and not told one by one.
struct ClosedSubproblem {
    const std::vector<int>& path;  // literals (search/caches/cache.hpp)
    int depth, nodes;
    double leaf;  // cost of its rows as a leaf
    Outcome outcome;
    Reason reason;
};

// Costs inside the search are whole numbers of ticks, held exactly in doubles: sums of weights have no
// rounding, and the branching cost is rounded once, to a tick that is at least a billion times smaller than a
// unit weight wherever the total weight allows it.
class Search : public run::Control {
public:
    Search(const Problem& problem, const ReducedProblem& reduced, const Options& options,
           const Kernels& kernels, run::Clock::time_point started);

    // Cost of a node as a leaf; of a leaf function, `sums` holds what its statistics add up to
    // (pairs/leaf_function.cpp).
    double leaf_cost(const Node& node) const;
    void leaf_costs(const double* sums, std::size_t n, double* ticks) const;  // [statistic][leaf] to [leaf]
    void ask_costs(const double* sums, std::size_t n,
                   double* ticks) const;  // the function itself, not its table
    void fill_leaf_table();
    const double* in_units(const double* sums, std::size_t n, std::vector<double>& out) const;
    double branch_cost() const { return model.branch_cost; }
    // What a split costs, from what its sides cost: their sum and that of branching, or the larger one.
    double join(double left, double right, double branch) const {
        return model.maximum ? std::max(left, right) : left + right + branch;
    }
    bool has_function() const { return !traits.benefit; }
    bool has_native() const { return has_function() && reduced.native; }
    NativeModel native_model() const;
    // Real statistics of leaf functions are added up under masks of features.
    bool masked() const {
        return has_function() && (reduced.native || (!reduced.counting && reduced.storage == Storage::f64));
    }
    // No subproblem costs less than `floor`, and none that branches less than `least_split`.
    double floor() const { return reduced.bounded ? 0.0 : -1e25; }
    double least_split() const { return reduced.bounded ? model.branch_cost : floor(); }
    int affordable_nodes(int depth, int nodes, double limit) const;  // bounds/price.cpp
    double per_weight() const { return per_weight_; }                // ticks per unit of slot weight
    double to_units(double ticks) const { return ticks * tick_; }    // weight units

    // Buffers of the search come first; the caches make room for them.
    void take_memory(std::size_t bytes);

    [[noreturn]] void wrong_cost(const double* sums, std::size_t n) const;

    const Problem& problem;
    const ReducedProblem& reduced;
    const Kernels& kernels;
    const LeafTraits traits;
    LeafModel model;
    PriceBook prices;
    LeafTable leaf_table;
    PathTable pairs;
    ChildRecords records;
    SubproblemCache subproblems;
    // Only trees of the root that cost less, in ticks, are of interest; any thread may lower it at any time.
    std::atomic<double> ceiling{std::numeric_limits<double>::infinity()};
    // Called for every subproblem that was closed, by any thread; empty: nobody listens, and nothing is told.
    std::function<void(const ClosedSubproblem&)> closed;

private:
    double per_weight_ = 1;
    double tick_ = 1;
};

struct Choice {
    std::int32_t feature = kLeaf;  // root feature, kLeaf or kPairTree
    int lane = -1;
    int left_nodes = 0;
};

// One node on the current path: its rows, its pair table, and the values and bounds of its children.
struct Level {
    Node node;
    std::string key;  // of the subproblem in the cache
    AlignedBuffer table, look;
    AlignedBuffer differences;  // weights per label: of pairs and single features (levels/three_levels.cpp)
    AlignedBuffer packed;       // native losses: the statistics of every slot in one number where they fit,
    AlignedBuffer packed_singles;  // and their sums per feature
    AlignedBuffer pair_weights;    // by pair of features, the most that its rows could cost more
    AlignedBuffer pair_rows;       // by pair of features, its number of rows; only where tests have prices
    std::vector<std::int32_t> order;
    std::vector<double> lower;  // [child budget][side][lane], of the children
    bool grouped = false;       // groups of targets are worth looking at below (bounds/groups.cpp)
    bool fused = false;         // children are solved two at a time (levels/three_levels.cpp)
    std::vector<char>
        known;  // [side][lane], whether the bound of a child is its value; only where children are recorded
    std::vector<double> single_weight, single_rows;
    double leaf = 0;                // cost of the node as a leaf
    std::vector<double> side_cost;  // leaf function: [side][lane], of the children as leaves
    std::vector<double> branch;     // [lane], cost of branching
    NodePrices prices;
    double all_weight = 0;  // of the pairs and singles above
    // What of the above belongs to the node at hand: it outlives several searches of the same node.
    bool has_table = false, has_counts = false, has_pair_weights = false;
    int looked = 0;         // branching nodes that `look` allows, 0 if there is none
    double two_levels = 0;  // its best value
    void forget() {         // other rows were loaded
        has_table = has_counts = has_pair_weights = branching = false;
        looked = 0;
    }
    bool branching = false;        // the bounds below are those of this node
    bool maximum = false;          // as in the leaf model
    const Level* above = nullptr;  // the parent, none for the root
    int entry_lane = -1;           // how the node was reached from the level above
    bool entry_side = false;
    int depth = 0, nodes = 0, least_nodes = 0, n_budgets = 0;  // of the branching under way
    double best = 0;                                           // cost to beat
    double limit = 0;  // of the branching under way: no tree that costs as much is of interest
    Choice choice;
    bool shared = false;  // the root, searched by several threads
    // A thread that holds it may be asked for progress by a kernel that it runs (similarity bounds), which
    // looks at the root's bounds: it must not wait for itself.
    std::recursive_mutex mutex;

    double lower_bound(const Search& search);
    bool open(int lane);
    double joined(double left, double right, double cost) const {
        return maximum ? std::max(left, right) : cost + left + right;
    }
    double& bound(int nodes_of_child, bool side, int lane) {
        const std::size_t stride = static_cast<std::size_t>(node.stride());
        return lower[(2 * static_cast<std::size_t>(nodes_of_child - least_nodes) + (side ? 1 : 0)) * stride +
                     static_cast<std::size_t>(lane)];
    }
};

// Locks the root when several threads share it.
class SharedLock {
public:
    explicit SharedLock(Level& at) : mutex_(at.shared ? &at.mutex : nullptr) {
        if (mutex_ != nullptr) mutex_->lock();
    }
    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;
    ~SharedLock() {
        if (mutex_ != nullptr) mutex_->unlock();
    }

private:
    std::recursive_mutex* mutex_;
};

// One thread's walk through the search tree (Algorithm 1 of the paper with the techniques of this folder).
class Worker {
public:
    Worker(Search& search, Level& root, bool calling_thread)
        : search_(search), calling_thread_(calling_thread), root_(root) {
        keys_.assign(path_);
        if (search.prices.any()) price_work_ = search.prices.work();
        ceiling_ = search.ceiling;
    }

    // solve.cpp: the optimum of the node at `level`, as far as it is below `upper`.
    Outcome solve(int level, int depth, int nodes, double upper,
                  bool asked = false);  // `asked`: the cache does not know
    Outcome solve_child(int level, int lane, bool side, int nodes, double upper);
    Outcome close(const Level& at, int depth, int nodes, const Outcome& outcome, Reason reason) const {
        if (search_.closed) [[unlikely]]
            search_.closed({path_, depth, nodes, at.leaf, outcome, reason});
        return outcome;
    }
    void cache_key(int depth, int nodes, std::string& key) const;
    std::optional<Outcome> find_value(const std::string& key, double upper);
    std::optional<CacheEntry> find_entry(Level& at, int depth, int nodes) const {
        cache_key(depth, nodes, at.key);
        return search_.subproblems.find(at.key);
    }

    // levels/branch.cpp: the loop over features, in parts so that threads can share the root.
    void begin_branching(int level, int depth, int nodes, double upper, bool may_close = false);
    void try_features(int level, double enough);
    void follow_ceiling(int level);
    void try_feature(int level, int lane);

    // caches/records.cpp
    bool keeps_children(const Level& at) const;
    void recall_children(Level& at);
    void record_children(Level& at);
    template <class Fetch, class Learn>
    void each_record(const ChildRecords& records, const Level& at, Fetch&& fetch, Learn&& learn);

    // pairs/depth_two.cpp
    void turn_rows(Level& at);
    void load_pair_table(Level& at, bool with_weights = false);
    bool sibling_is_cheaper(const Level& at, bool with_weights) const;
    void subtract_sibling(Level& at, double* weights);
    double solve_pairs(Level& at, int nodes, double* per_root = nullptr);
    double look_ahead(Level& at, int nodes);  // fills `look`, too
    double best_stump(const Level& at, int* lane) const;

    // pairs/leaf_function.cpp
    void load_side_costs(Level& at);
    PairBenefit function_pairs(const Node& node, const PairProblem& problem, int nodes, double* per_root);
    // pairs/native_losses.cpp
    bool masked() const { return search_.masked(); }
    bool packed() const { return search_.has_native() && search_.reduced.shift > 0; }
    void native_table(const Level& at, const Frame& frame, const std::uint64_t* filter, const void* singles,
                      void* table, bool half);
    void load_native_table(Level& at);
    PairProblem node_problem(const Level& at) const;
    void pack_rows(Level& at);
    void count_packed(const Level& at, const std::uint64_t* filter, const std::int64_t* singles,
                      AlignedBuffer& table, bool half);
    KnownSums packed_side(const Level& at, int lane, bool side);
    void begin_packed_children(const Level& at, int lane, bool small_side);
    PairBenefit native_pairs(const Node& node, const PairProblem& problem, int nodes, double* per_root);
    PairBenefit table_pairs(const Node& node, const PairProblem& problem, int nodes, double* per_root);
    [[noreturn]] void find_wrong_cell(const Node& node, const PairProblem& problem) const;
    CellPlan plan_cells(const Node& node, const PairProblem& problem);
    void reduce_priced(const CellPlan& plan, const PairProblem& problem, std::size_t a, const double* ticks,
                       const double* sizes, double* right, double* left) const;

    // bounds/similarity.cpp
    void load_pair_weights(Level& at);
    void make_pair_weights(Level& at);
    void prepare_sharing(Level& at);
    void count_pair_weights(Level& at);
    void inherit_bounds(Level& parent, Level& at);
    void push_children(Level& at, int lane);
    void push_similarity(Level& at, int lane, bool side, int nodes, double value);
    double rounding_slack(int nodes) const;

    // bounds/price.cpp
    void bound_by_price(Level& at);
    std::optional<Outcome> solve_priced(Level& at, int nodes, double upper);
    std::optional<Outcome> solve_affordable(int level, int depth, int nodes, double upper);

    // bounds/groups.cpp
    bool bounds_groups(const Level& at, int leaves) const;
    void bin_targets(const Node& node, int bins);
    double cost_in_groups(GroupProblem& problem);
    void bin_children(Level& at, GroupProblem& problem);
    void bound_by_groups(Level& at);

    // bounds/labels.cpp
    bool bounds_labels(int labels) const;
    void bound_by_labels(Level& at);

    // trees/rebuild.cpp: a tree for the node at `level`.
    int construct(int level, int depth, int nodes, double value,
                  Tree& tree);  // of proven value, by the fixed rule
    int construct_choice(int level, int depth, int nodes, Tree& tree);
    int recall(int level, int depth, int nodes, Tree& tree);  // from the cache, for an early end
    int recall_split(int level, int lane, int depth, int nodes, int left_nodes, Tree& tree);
    int lookahead_tree(int level, int depth, int nodes, Tree& tree);  // greedy on trees of depth two

    Level& level(int index) { return index == 0 ? root_ : *levels_[static_cast<std::size_t>(index - 1)]; }
    void enter(Level& at);  // what is needed of a node whose rows were loaded
    Level& below(int level);
    void load_child(int level, int lane, bool side);
    int lane_of(const Node& node, int feature) const;  // -1 if the feature splits nothing there
    void descend(int level, int lane, bool side);      // loads the child into level + 1 and extends the path
    void ascend() {
        path_.pop_back();
        tested_.pop_back();
    }

    Statistics statistics;
    bool follows = false;  // the ceiling of the search, on all levels; the root is branching then
    // Called at every node with more than two levels left, with no lock held: time for something beside.
    std::function<void()> give_way;

private:
    friend class SizeWorker;  // the same walk with a value for every number of nodes (sizes/worker.hpp)
    void drop_closed(Level& at);
    void sort_by_look(Level& at);
    // levels/three_levels.cpp
    void try_kept_pairs(Level& at, int lane);
    void push_known(Level& at);
    bool solve_missing(Level& at, int lane, char* const known[2]);
    bool can_fuse(const Node& node) const;
    double label_weight(const void* sums, const Node& node, std::size_t lane) const;
    void begin_fused(Level& at);
    ChildBenefits both_benefits(const Level& at, int lane, bool with_two);
    ChildBenefits both_scaled(const Level& at, int lane, bool with_two);
    ChildBenefits solve_children(const Level& at, int lane, Lane type, const char* table, const void* singles,
                                 std::array<int, 2> totals, const LeafModel& model, bool with_two);
    void solve_both(Level& at, int lane, char* const known[2]);
    void try_pairs(Level& at, int lane);
    void look_at_clock(const Node& node);
    bool find_pairs(const Level& at, int lane, bool side, double value[4]);
    void solve_child_pairs(Level& at, int lane, bool side, bool small_side, double value[4]);
    double side_benefit(const Level& at, int lane, bool side) const;
    PairBenefit pair_benefit(const Node& node, PairProblem problem, const NodePrices& prices, int nodes,
                             double* per_root);
    void try_children(int level, int lane);
    void begin_children(const Level& at, int lane, bool small_side, bool with_sizes = false);
    PairProblem child_problem(const Level& at, int lane, bool small_side, bool large);
    static bool smaller_side(const Node& node, int lane);
    void account(std::size_t grown) {
        if (grown > 0) search_.take_memory(grown);
    }
    Scratch scratch(const Node& node, bool tallied = false);
    void count_pairs(const Frame& frame, const std::uint64_t* filter, const void* singles, void* table,
                     double* weights, const Scratch& buffers) {
        ++statistics.tables_counted;
        search_.kernels.pair_table(frame, filter, singles, table, weights, buffers);
    }
    // The similarity bound needs a pair table of doubles: too large for very many features.
    bool similar() const {
        return search_.options.switches.similarity && search_.model.min_samples_leaf == 1 &&
               search_.reduced.features.size() <= 2048 && search_.reduced.similar &&
               (!search_.prices.any() || (search_.reduced.counting && search_.prices.ordered()));
    }
    bool uses_paths() const {
        return search_.options.switches.cache && keys_.child_fits() &&
               search_.reduced.features.size() <= PathKeyMaker::kMaxFeatures;
    }
    template <class Grow>
    int split_tree(int level, int lane, int depth, const int nodes[2], Tree& tree, Grow&& grow);
    int pair_tree(int level, int nodes, Tree& tree);
    Tree pair_subtree(const Node& node, const PairProblem& problem, const NodePrices& prices,
                      const std::uint64_t* rows, int nodes, const double* look);
    Tree child_subtree(const Level& at, int lane, bool side, bool small_side, int nodes);
    int stump_tree(int level, Tree& tree);
    int grown_pair_tree(int level, int lane, int nodes, Tree& tree);
    int leaf_tree(Tree& tree) const;
    double value_of_benefit(const Node& node, double benefit) const;

    Search& search_;
    bool calling_thread_;
    Level& root_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<int> path_;    // literals
    std::vector<int> tested_;  // root features
    PathKeyMaker keys_;
    NodePrices child_prices_;
    PriceWork price_work_;
    std::vector<double> lost_;       // bounds/similarity.cpp
    std::vector<double> side_sums_;  // pairs/native_losses.cpp
    std::vector<double> cells_, cell_costs_, cell_sizes_, cell_singles_, cell_totals_, cell_row_,
        roots_;  // pairs/leaf_function.cpp
    std::vector<std::int32_t> cell_lanes_, cell_positions_;
    double work_since_checkpoint_ = 0;
    double ceiling_ = 0;         // of the search, as far as the levels know it
    std::vector<double> rests_;  // by level, what a tree costs beside the child that is searched
    // Buffers for the pair problems of a node's children.
    AlignedBuffer child_table_, child_singles_, other_singles_, child_totals_, indices_, work_, narrow_,
        bits_, plan_, tallies_, panel_, gains_, sibling_rows_, children_;
    std::vector<std::uint64_t> filter_;
    struct GroupBuffers {
        std::vector<double> means, totals;  // [slot], [bin][statistic]
        std::vector<std::uint8_t> bin;      // [slot]
        std::vector<std::int32_t> open;     // features
        AlignedBuffer sums, sets, costs, room;
    };
    GroupBuffers groups_;  // bounds/groups.cpp
    struct MetRecord {
        const ChildRecords::Record* record;
        std::int32_t lane;
        int side;
    };
    std::vector<MetRecord> met_;  // caches/records.cpp
    std::vector<std::int64_t> sort_keys_;
    bool child_filled_ = false;  // child_table_ is that of the smaller child
    bool child_sizes_ = true;    // and has numbers of rows, if the model counts them
};

// Depth and node budget limit each other: d levels hold at most 2^d - 1 nodes, n nodes at most n levels.
void normalise(int& depth, int& nodes);
inline int full_tree(int depth) { return depth >= 30 ? (1 << 30) : (1 << depth) - 1; }

// `learn(record, literal, lane, side)` for every record that bounds a child of the node: those of
// nodes that differ in one test, and its own. The records of a group are all looked up and fetched from
// memory (`fetch(record, literal)`) before the first of them is read.
template <class Fetch, class Learn>
void Worker::each_record(const ChildRecords& records, const Level& at, Fetch&& fetch, Learn&& learn) {
    const auto literal = [&](int f, int side) {
        return PathKeyMaker::literal(at.node.feature(f), side == 1);
    };
    for (std::size_t k = 0; k < path_.size(); ++k) {
        const ChildRecords::Siblings siblings = records.siblings(path_, k);
        met_.clear();
        for (const std::int32_t f : at.node.active())
            for (int side = 0; side < 2; ++side)
                if (const ChildRecords::Record* record = siblings.find(literal(f, side))) {
                    fetch(record, path_[k]);
                    met_.push_back({record, f, side});
                }
        for (const MetRecord& met : met_) learn(met.record, path_[k], met.lane, met.side);
    }
    const ChildRecords::Record* own = records.find(path_);
    if (own == nullptr) return;
    for (const std::int32_t f : at.node.active())
        for (int side = 0; side < 2; ++side) learn(own, literal(f, side), f, side);
}

}  // namespace streed
