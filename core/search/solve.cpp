// The whole solve: reduce, search the root with all threads, rebuild the tree.
//
// A look-ahead greedy tree comes first, then depth 3, 4, ... up to the limit (paper, Algorithm 1, called for
// rising depths): there is a tree and a proven bound at any moment, and the cache of a smaller depth bounds
// the next one. Threads take the features of the root one by one and share cache, bounds and incumbent
// (share.hpp).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "leaves/leaf_models.hpp"
#include "leaves/leaf_sums.hpp"
#include "engine.hpp"
#include "run/finish.hpp"
#include "run/conclude.hpp"
#include "run/incumbent.hpp"
#include "search/greedy.hpp"
#include "search/prepared.hpp"
#include "search/search.hpp"
#include "search/share.hpp"

namespace streed {
namespace {

// Work is features cubed times words of rows, at depth 4. A tenth and ten times the first three take 0.99 to
// 1.02 of the time of nine problems at depth 2 to 5; 4 and 6 levels instead of the last number are as fast.
constexpr double kFirstSeconds = 0.005;  // no tree is built before
constexpr double kBriefWork = 3e6;       // a search so short needs no tree to begin with,
constexpr double kShortWork = 3e8;       // and one so short no search with a level less
constexpr double kLateSeconds = 0.05;    // for removing splits after a leaf function was stopped
constexpr int kSketched = 10;            // levels of greedy trees that are pruned: at most 1,023 nodes
constexpr int kDeep = 5;  // from here on greedy trees come first, and from the next depth on restarts

class RootSearch : private PreparedSearch {
public:
    using PreparedSearch::PreparedSearch;

    Result run();

private:
    void lower_limits(int& depth, int& nodes) const;
    double prove(Worker& main, int& depth, int& nodes);
    Tree rebuild(Worker& main, int depth, int nodes, double proven);
    FinishedTree finish(Status& status);
    void search_depth(Worker& main, int depth, int nodes, bool last);
    void catch_up(Worker& worker, bool at_once);
    void grow_greedily(Worker& worker, int depth, int nodes);
    void restart(Worker& worker, int depth);
    void offer(const Tree& tree);
    double cost(const Tree& tree) const;
    double cost_below(const Tree& tree, std::size_t at, std::vector<std::vector<std::uint64_t>>& rows,
                      std::vector<int>& path) const;
    double leaf_below(const std::uint64_t* rows) const;
    template <class Visit>
    void each_slot(const std::uint64_t* rows, Visit&& visit) const {
        for (std::size_t w = 0; w < static_cast<std::size_t>(reduced_.words); ++w)
            for (std::uint64_t word = rows[w]; word != 0; word &= word - 1)
                visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
    }
    double lower_bound();
    double bound_in_units(double lower) const;
    Progress progress();

    // The best value that a tree is known to have: it may not have been built.
    double known_value() const { return std::min(value_, incumbent_.value()); }

    run::Incumbent<double, Tree> incumbent_{std::numeric_limits<double>::infinity()};
    double value_ = std::numeric_limits<double>::infinity();  // of the depths that were searched to the end
    double shown_ = 0;                   // what the root's best tree cost when it was last built,
    double building_ = 0;                // and the seconds that this took so far
    bool final_depth_ = false;           // the root's bounds hold for the depth that was asked for
    std::atomic<std::size_t> begun_{0};  // features of the root
    Statistics statistics_;
};

// Cost of a tree over root features in ticks, its rows being sent down as bits.
double RootSearch::cost(const Tree& tree) const {
    std::vector<std::vector<std::uint64_t>> rows{reduced_.valid};
    std::vector<int> path;
    const double below = cost_below(tree, 0, rows, path);
    return search_.model.maximum ? below : search_.model.ticks * root_.node.potential() + below;
}

// What the subtree at `at` adds to that (or its largest leaf). `rows` has its rows at the end of `path`, the
// features tested before.
double RootSearch::cost_below(const Tree& tree, std::size_t at, std::vector<std::vector<std::uint64_t>>& rows,
                              std::vector<int>& path) const {
    const std::size_t depth = path.size(), words = static_cast<std::size_t>(reduced_.words);
    const TreeNode& node = tree[at];
    if (node.feature < 0) return leaf_below(rows[depth].data());
    if (rows.size() == depth + 1) rows.emplace_back(words);
    double own = search_.branch_cost();
    if (search_.prices.any()) {
        const std::uint64_t* here = rows[depth].data();
        double count = 0;
        if (reduced_.counting)
            count = kernels_.count_and(here, here, reduced_.words);
        else
            each_slot(here, [&](std::size_t s) { count += reduced_.count[s]; });
        own += count * search_.prices.price(node.feature, path);
    }
    const std::uint64_t* column = reduced_.columns.data() + static_cast<std::size_t>(node.feature) * words;
    path.push_back(node.feature);
    double below[2];
    for (const int side : {0, 1}) {
        const std::uint64_t invert = side == 1 ? 0 : ~0ull;
        for (std::size_t w = 0; w < words; ++w) rows[depth + 1][w] = rows[depth][w] & (column[w] ^ invert);
        below[side] = cost_below(tree, static_cast<std::size_t>(side == 1 ? node.right : node.left), rows,
                                 path);
    }
    path.pop_back();
    return search_.join(below[0], below[1], own);
}

// Minus the benefit of rows as a leaf, or their cost by a leaf function.
double RootSearch::leaf_below(const std::uint64_t* rows) const {
    std::vector<double> sums(static_cast<std::size_t>(reduced_.n_values));
    const std::size_t slots = 64 * static_cast<std::size_t>(reduced_.words);
    if (reduced_.counting || search_.traits.label_rows) {
        const bool is_signed = search_.traits.difference;
        for (std::size_t b = 0; b < reduced_.blocks.size(); ++b) {
            const Block& block = reduced_.blocks[b];
            double& sum = sums[is_signed ? 0 : b];
            if (reduced_.counting) {
                const double count = kernels_.count_and(rows + block.word_begin, rows + block.word_begin,
                                                        block.word_end - block.word_begin);
                sum += is_signed && b == 1 ? -count : count;
            } else {
                for (std::size_t w = static_cast<std::size_t>(block.word_begin);
                     w < static_cast<std::size_t>(block.word_end); ++w)
                    for (std::uint64_t word = rows[w]; word != 0; word &= word - 1)
                        sum += reduced_.value[64 * w + static_cast<std::size_t>(std::countr_zero(word))];
            }
        }
    } else {
        each_slot(rows, [&](std::size_t s) {
            for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += reduced_.value[m * slots + s];
        });
    }
    if (!search_.has_function())
        return -leaf_benefit(search_.model, [&](int k) { return sums[static_cast<std::size_t>(k)]; });
    double cost;
    search_.leaf_costs(sums.data(), 1, &cost);
    return cost;
}

void RootSearch::offer(const Tree& tree) { incumbent_.offer(cost(tree), tree); }

double RootSearch::lower_bound() {
    double bound = std::min(root_.leaf, search_.least_split());
    if (final_depth_) {
        const SharedLock lock(root_);
        bound = std::max(bound, root_.lower_bound(search_));
    }
    return std::min(bound, known_value());  // other threads may have found a tree
}

double RootSearch::bound_in_units(double lower) const {
    const bool unknown = lower <= -1e24;  // nothing was proven yet
    return unknown ? -std::numeric_limits<double>::infinity() : reduced_.base + search_.to_units(lower);
}

Progress RootSearch::progress() {
    const double features = static_cast<double>(root_.order.size());
    const double done = final_depth_ && features > 0
                            ? std::min(1.0, static_cast<double>(begun_.load()) / features)
                            : 0.0;
    Progress out;
    out.objective = reduced_.base + search_.to_units(known_value());
    out.lower_bound = bound_in_units(lower_bound());
    out.root_done = done;
    return out;
}

// Makes the best tree of the root the incumbent. Values are enough for the search, so that this may wait
// until it takes no more than a tenth of the time, and does so in the first milliseconds. How often it comes
// to that depends on the clock, so that the work is not counted: counts are those of the search, which are
// the same in every run.
void RootSearch::catch_up(Worker& worker, bool at_once) {
    Choice choice;
    int depth, nodes;
    {
        const std::lock_guard lock(root_.mutex);
        if (root_.best >= shown_ || (!at_once && search_.elapsed() < std::max(10 * building_, kFirstSeconds)))
            return;
        shown_ = root_.best;
        choice = root_.choice;
        depth = root_.depth;
        nodes = root_.nodes;
    }
    const double begun = search_.elapsed();
    const Statistics counted = worker.statistics;
    Tree tree;
    worker.recall_split(0, choice.lane, depth, nodes, choice.left_nodes, tree);
    worker.statistics = counted;
    offer(tree);
    const std::lock_guard lock(root_.mutex);
    building_ += search_.elapsed() - begun;
}

// Two greedy trees (greedy.cpp). Where the number of nodes is limited, whole trees are pruned; those are not
// grown deeper than kSketched, as they have up to 2^depth nodes.
void RootSearch::grow_greedily(Worker& worker, int depth, int nodes) {
    for (const Impurity impurity : {Impurity::gini, Impurity::entropy})
        offer(
            nodes == full_tree(depth)
                ? greedy_tree(search_, worker, {depth, 2, impurity, {}})
                : greedy_tree_within(search_, worker, {std::min(depth, kSketched), 2, impurity, {}}, nodes));
}

// Greedy trees with three optimal levels at their ends, and one other split at a time in the levels above
// (limited discrepancy search): better trees stay, until all nodes of the first three levels have tried
// their next splits or a part of the time is up. After 1 s at depth 8 errors fell on 7 of 10 sets (yeast 236
// to 152, german-credit 82 to 55); a search of depth 6 without a time limit takes as long as before. Without
// a time limit it is a part of the work so far: better trees and fuller caches change what is searched next,
// and that is not to depend on the clock.
void RootSearch::restart(Worker& worker, int depth) {
    const bool timed = options_.time_limit < 1e9;
    const double until = search_.elapsed() + options_.time_limit / 4;
    const std::size_t& solved = worker.statistics.depth_two_solves;  // by all threads; this is one of them
    const std::size_t most = solved + solved / (8 * static_cast<std::size_t>(options_.n_threads));
    constexpr int kRanks = 4;
    for (const Impurity impurity : {Impurity::gini, Impurity::entropy}) {
        GreedyPlan plan{depth, 3, impurity, std::vector<int>(8, 0)};
        double best = std::numeric_limits<double>::infinity();
        for (int rank = 0; rank < kRanks; ++rank)
            for (std::size_t node = 1; node < plan.rank.size(); ++node) {
                if (timed ? search_.elapsed() > until : solved > most) return;
                const int before = plan.rank[node];
                if (rank == 0 && node > 1) break;  // the first plan
                plan.rank[node] = rank;
                const Tree tree = greedy_tree(search_, worker, plan);
                offer(tree);
                if (const double value = cost(tree); value < best)
                    best = value;
                else
                    plan.rank[node] = before;
            }
    }
}

// The features of the root, shared out to the threads one by one.
void RootSearch::search_depth(Worker& main, int depth, int nodes, bool last) {
    const double known = known_value();
    main.begin_branching(0, depth, nodes, known);
    final_depth_ = last;  // only now are the root's bounds those of this depth
    if (root_.best < known) {
        Tree tree;
        main.recall(0, 2, std::min(nodes, 3), tree);
        offer(tree);
    }
    shown_ = root_.best;
    begun_ = 0;
    const auto make = [this] { return std::make_unique<Worker>(search_, root_, false); };
    share_root(search_, root_, main, make, [this](Worker& worker, std::size_t k) {
        ++begun_;
        {
            const std::lock_guard lock(root_.mutex);
            if (root_.best <= search_.floor()) return;
        }
        worker.try_feature(0, root_.order[k]);
        catch_up(worker, false);
    });
    main.record_children(root_);
    if (!last) catch_up(main, true);
}

// Where nodes have a price: limits that all trees as good as the best one so far respect.
void RootSearch::lower_limits(int& depth, int& nodes) const {
    nodes = search_.affordable_nodes(depth, nodes, known_value());
    normalise(depth, nodes);
}

// The value of the optimum: two levels at once, else a first tree and then depth 3, 4, ... up to the limit.
double RootSearch::prove(Worker& main, int& depth, int& nodes) {
    if (depth <= 2 && options_.switches.depth_two)
        return main.solve(0, depth, nodes, known_value() + 1).lower;
    const double columns = static_cast<double>(root_.node.active().size());
    const double work = depth == 4 ? columns * columns * columns * root_.node.words()
                                   : std::numeric_limits<double>::infinity();
    const bool brief = work < kBriefWork && !search_.has_function();
    // A function in Python is slow: a small tree first.
    const bool slow = search_.has_function() && !search_.has_native() && !search_.leaf_table.ready();
    for (const int d : {2, depth}) {
        if (d == 2 ? !slow : brief) continue;
        Tree tree;
        main.lookahead_tree(0, d, d == 2 ? std::min(nodes, 3) : nodes, tree);
        offer(tree);
    }
    const bool greedy = options_.switches.deepening && depth >= kDeep && has_impurity(search_);
    if (greedy) grow_greedily(main, depth, nodes);
    lower_limits(depth, nodes);
    if (depth <= 2 && options_.switches.depth_two)
        return main.solve(0, depth, nodes, known_value() + 1).lower;
    const int first = options_.switches.deepening && work >= kShortWork ? std::min(3, depth) : depth;
    for (int d = first; d <= depth; ++d) {
        int n = nodes;
        int dd = d;
        normalise(dd, n);
        if (known_value() <= std::min(root_.leaf, search_.least_split())) break;
        if (root_.node.active().empty() || depth == 0) break;
        if (dd < 3 && options_.switches.depth_two) continue;
        if (greedy && depth > kDeep && dd == kDeep && nodes == full_tree(depth)) restart(main, depth);
        search_depth(main, dd, n, dd == depth);
        value_ = std::min(value_, root_.best);
        lower_limits(depth, nodes);
    }
    return known_value();
}

// The tree of the proven value, by the fixed rule. One thread takes the features in order, so that its choice
// is the one that the rule asks for. Leaf functions are asked again in Python, where a difference is found.
Tree RootSearch::rebuild(Worker& main, int depth, int nodes, double proven) {
    Tree optimal;
    const bool chosen = options_.n_threads == 1 && root_.branching && root_.depth == depth &&
                        root_.nodes == nodes && root_.best == proven && root_.choice.feature != kLeaf &&
                        !search_.has_function();
    if (chosen)
        main.construct_choice(0, depth, nodes, optimal);
    else
        main.construct(0, depth, nodes, proven, optimal);
    if (!search_.has_function() && cost(optimal) != proven)
        throw std::logic_error("internal error, please report it: the tree costs " +
                               std::to_string(cost(optimal)) + ", but " + std::to_string(proven) +
                               " was proven");
    return optimal;
}

// The incumbent without redundant splits, with its objective on the rows as they were given. An interrupt of
// a leaf function ends the search, not this: the function is asked again.
FinishedTree RootSearch::finish(Status& status) {
    Tree tree = incumbent_.solution();
    for (TreeNode& node : tree)
        if (node.feature >= 0) node.feature = reduced_.features[static_cast<std::size_t>(node.feature)];
    const auto attempt = [&] {
        const bool late = status != Status::optimal && search_.has_function();
        return finish_tree(problem_, tree, options_.branch_cost,
                           late ? kLateSeconds : std::numeric_limits<double>::infinity());
    };
    try {
        return attempt();
    } catch (const Interrupted&) {
        status = Status::interrupted;
        return attempt();
    }
}

Result RootSearch::run() {
    root_.node.load(reduced_, {&kernels_, options_.switches.narrow_lanes, options_.switches.sparse_rows,
                               options_.min_samples_leaf, search_.model.counted, search_.masked()});
    search_.take_memory(reduced_.bytes() + root_.node.bytes());
    search_.progress = [this] { return progress(); };
    Worker main(search_, root_, true);
    main.enter(root_);
    int depth = options_.max_depth;
    int nodes = options_.max_nodes;
    normalise(depth, nodes);
    offer(Tree{TreeNode{}});
    double proven = 0;
    bool proof_done = false;
    run::Proof proof;
    try {
        search_.checkpoint(true);
        proven = prove(main, depth, nodes);
        proof_done = true;
        incumbent_.set(proven, rebuild(main, depth, nodes, proven));
    } catch (const Stopped&) {
        // Stopped while rebuilding: the optimum is proven, and the incumbent may attain it all the same.
        if (!proof_done || incumbent_.value() > proven) proof.status = search_.status();
    }
    proof.bound = bound_in_units(proof_done ? proven : lower_bound());
    statistics_.add(main.statistics);
    FinishedTree finished = finish(proof.status);
    proof.rounding = search_.has_function() ? std::numeric_limits<double>::infinity()
                                            : 1e-9 * (std::abs(proof.bound) + finished.magnitude);
    statistics_.cache_entries = search_.pairs.size() + search_.records.size() + search_.subproblems.size();
    statistics_.features_kept = reduced_.features.size();
    statistics_.rows_merged = static_cast<std::size_t>(root_.node.n_slots());
    Result result;
    run::conclude(search_, std::move(finished), proof, statistics_, result);
    return result;
}

}  // namespace

Result solve(const Problem& problem, const Options& options) {
    if (problem.maximum && problem.function == nullptr) return solve(LeafSums(problem).problem(), options);
    try {
        return RootSearch(problem, options).run();
    } catch (const Stopped&) {  // before there was a tree
        throw Interrupted{};
    }
}

}  // namespace streed
