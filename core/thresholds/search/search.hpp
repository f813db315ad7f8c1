// The state of one solve, and the worker that searches.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "run/control.hpp"
#include "run/incumbent.hpp"
#include "thresholds/models/row_model.hpp"
#include "thresholds/search/cache.hpp"
#include "thresholds/search/intervals.hpp"
#include "thresholds/rows/table.hpp"

namespace streed::thresholds {

using run::Stopped;

// Thrown where an attempt has taken the work that it was given; caught where the attempt was begun.
struct OutOfWork {};

// Nodes of a full tree.
inline int full_tree(int depth) { return depth >= 30 ? std::numeric_limits<int>::max() : (1 << depth) - 1; }

// How finely intervals of thresholds are divided: one no wider than so many parts of the rows of its node is
// not divided further. For bounds such an interval counts at its own bound: the value that a search finds
// then is at most the optimum, and equals it without a grid. For trees the interval is left out. A grid has a
// number of parts per level, since intervals of lower levels take less to divide.
struct Grid {
    int root = 0, middle = 0, pairs = 0;  // parts; 0: every threshold
    bool for_trees = false;

    bool bounds() const { return pairs > 0 && !for_trees; }
};

// What all workers share. Costs are whole numbers of ticks, so that sums are exact and compared without a
// tolerance.
class Search : public run::Control {
public:
    Search(const Problem& problem, Table& table, const Options& options, const Effort& effort,
           const Kernels& kernels, run::Clock::time_point started);

    void count_work(double cells) {
        Control::take_work(cells);
        if (work() > cap_) throw OutOfWork{};
    }
    void cap_work(double cells) { cap_ = work() + cells; }  // of the attempt that begins; infinity lifts it
    bool has_helper() const { return effort.helper && cap_ == std::numeric_limits<double>::infinity(); }
    double work_left() const { return effort.work_limit - work(); }
    double seconds_left() const { return options.time_limit - elapsed(); }
    void take_memory(std::ptrdiff_t bytes);
    Cost cost(Cost units) const { return units * table.ticks; }
    void raise_bound(Cost bound);
    // Rows between the ends of an interval that is not divided, in a node with so many rows and levels.
    int undivided(int n_rows, int levels) const {
        if (grid.pairs == 0) return 0;
        const int parts = levels == 2 ? grid.pairs : levels == depth ? grid.root : grid.middle;
        return n_rows / parts;
    }
    bool is_whole(int level, int its_depth, int its_nodes) const {
        return level == 0 && its_depth == depth && its_nodes == nodes;
    }

    const Effort effort;
    const Problem& problem;
    Table& table;
    const Kernels& kernels;
    const Cost branch_cost;
    const int least_rows;  // of a leaf
    Cache cache;
    bool use_cache = false;
    Grid grid;
    bool building = false;   // the search is over and its tree is built: no limit ends that
    const int depth, nodes;  // of the whole tree

    run::Incumbent<Cost, std::shared_ptr<const Plan>> incumbent{kInfinite};  // trees for all rows
    std::atomic<Cost> lower_bound{0};
    std::atomic<double> root_done{0};  // share of the root's thresholds that are decided
    std::mutex mutex;                  // of the statistics
    Statistics statistics;

private:
    double cap_ = std::numeric_limits<double>::infinity();
};

// A threshold that was tried, and what it led to.
struct Probe {
    Cost value = 0;
    std::int32_t column = 0;
    std::int32_t position = 0;
};

// A threshold of the root that is to be tried, and the interval that it divides.
struct RootTask {
    Interval interval;
    int position = 0;
    Cost room = 0;
    bool for_tree = false;  // the best one of its column with one level less
};
struct RootAnswer;

// Which trees the two sides of a root with two levels may have.
struct Shape {
    bool split[2] = {true, true};
};

// What a solve with two levels works with; its lists are kept from one solve to the next, since a small one
// takes no longer than making them.
struct PairLists {
    Frontier frontier;
    std::vector<Interval> taken;              // of the frontier, by the walk in work
    std::vector<std::pair<int, int>> ranges;  // first and last threshold that remain of these
    std::vector<Lane> lanes;
    std::vector<int> positions, starts, sorted;
    std::vector<std::pair<Cost, Cost>> bounds;  // of both sides of each lane
    Sides sides{};
};

// Searches subproblems; a thread has one. An outcome is exact if the optimum is below `limit`, else its value
// bounds it and is at least the limit.
class Worker {
public:
    Worker(Search& search, bool calling_thread) : search_(search), calling_(calling_thread) {}
    ~Worker();

    // Trees of at most that depth and so many nodes. `probes` gets the thresholds that were tried.
    Outcome solve(Node& node, int depth, int nodes, Cost limit, int level,
                  std::vector<Probe>* probes = nullptr);
    // A tree, not a bound. `known` is one that was grown before, whose splits need not be found again.
    Outcome greedy(Node& node, int depth, int nodes, int best_levels, Cost limit, int level,
                   const Plan* known);
    Stump best_stump(const Node& node) const;  // with costs in ticks
    Stump purest_split(Node& node);
    void prepare(Node& node);
    void divide(Node& node, int column, std::int32_t rank, Node& lower, Node& upper, bool to_the_end = false);
    Node& child(int level, int side);
    std::shared_ptr<Plan> make_plan(const Node& node, int column, int position) const;
    std::shared_ptr<Plan> stump_plan(Node& node);  // the best split into two leaves; null where none pays
    double work_of(const Node& node) const;  // of a walk over all columns; two labels: rows times columns
    void count_pass(const Node& node);       // over one column, outside of the kernels
    int position_of(const Node& node, const Plan& plan) const;  // of the threshold of a plan
    // Both sides of thresholds of the root, for the search of another process.
    void evaluate_root(const std::vector<RootTask>& tasks,
                       const std::function<void(const RootAnswer&)>& each);
    Statistics statistics;

private:
    // What is noted while it lives goes to a cache of its own, which is asked first.
    struct Notes {
        Notes(Worker& worker, Cache* cache) : worker_(worker) { worker.notes_ = cache; }
        ~Notes() { worker_.notes_ = nullptr; }
        Notes(const Notes&) = delete;
        Notes& operator=(const Notes&) = delete;
        Worker& worker_;
    };

    Outcome solve_new(Node& node, int depth, int nodes, Cost limit, int level, std::vector<Probe>* probes);
    Outcome depth_one(Node& node, Cost limit);
    Outcome depth_two(Node& node, Shape shape, Cost limit, int level, std::vector<Probe>* probes);
    Outcome branch(Node& node, int depth, int nodes, Cost limit, int level, std::vector<Probe>* probes);
    struct DepthTwo;
    struct Branching;
    void look_at_clock(const Node& node);
    void look_after(long cells);
    void evaluate(Node& node, const std::vector<Lane>& lanes, Sides& sides);
    // Rows are walked with a cost for every label.
    bool walks_costs(const Node& node) const {
        return node.traits().label_costs || (!node.traits().numbers && search_.least_rows > 1);
    }
    Cost side_cost(const Node& node, Cost weight, Cost given) const;

    Search& search_;
    bool calling_;
    Cache* notes_ = nullptr;
    std::deque<Node> nodes_;  // two per level
    AlignedBuffer words_, scratch_;
    PairLists pairs_;
    RowMap map_;
    std::ptrdiff_t taken_ = 0;
    int since_checkpoint_ = 0;
};

}  // namespace streed::thresholds
