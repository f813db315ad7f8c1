// The whole solve: reduce, search the root with all threads, rebuild the tree.
//
// A look-ahead greedy tree comes first, then depth 3, 4, ... up to the limit (paper, Algorithm 1, called for
// rising depths): there is a tree and a proven bound at any moment, and the cache of a smaller depth bounds
// the next one. Threads take the features of the root one by one and share cache, bounds and incumbent
// (share.hpp).
#include <algorithm>
#include <cmath>
#include <limits>

#include "leaves/leaf_models.hpp"
#include "leaves/leaf_sums.hpp"
#include "engine.hpp"
#include "run/finish.hpp"
#include "run/conclude.hpp"
#include "run/incumbent.hpp"
#include "search/trees/greedy.hpp"
#include "search/depths.hpp"
#include "search/neighbourhoods/neighbourhoods.hpp"
#include "search/neighbourhoods/turns.hpp"
#include "search/prepared.hpp"
#include "search/worker.hpp"
#include "search/share.hpp"
#include "search/trees/tree_costs.hpp"

namespace streed {
namespace {

// Work is features cubed times words of rows, at depth 4. A tenth and ten times the first three take 0.99 to
// 1.02 of the time of nine problems at depth 2 to 5; 4 and 6 levels instead of the last number are as fast.
constexpr double kFirstSeconds = 0.005;  // no tree is built before
constexpr double kBriefWork = 3e6;       // a search so short needs no tree to begin with,
constexpr double kShortWork = 3e8;       // and one so short no search with a level less
constexpr double kLateSeconds = 0.05;    // for removing splits after a leaf function was stopped
constexpr double kLongSeconds = 1;  // foreseen: from here on a search shares its time with neighbourhoods
constexpr double kFirstStage = 0.4, kSecondStage = 0.8;  // of the best known tree
// Of the time that the whole search has or takes: so long may a smaller depth be searched for its own sake.
constexpr double kOwnShare = 0.02;
constexpr int kSketched = 10;  // levels of greedy trees that are pruned: at most 1,023 nodes
constexpr int kDeep = 5;       // from here on greedy trees come first, and from the next depth on restarts

class RootSearch : private PreparedSearch {
public:
    using PreparedSearch::PreparedSearch;

    Result run();
    const DepthProofs& depths() const { return depths_; }  // in natural units, after `run`

private:
    void lower_limits(int& depth, int& nodes) const;
    double prove(Worker& main, int& depth, int& nodes);
    Tree rebuild(Worker& main, int depth, int nodes, double proven);
    FinishedTree finish(Status& status);
    void search_depth(Worker& main, int depth, int nodes, bool last, double known);
    double foreseen(int depth) const;
    double own_ceiling(Worker& main, int depth, int nodes, int last);
    void catch_up(Worker& worker, bool at_once);
    void grow_greedily(Worker& worker, int depth, int nodes);
    void restart(Worker& worker, int depth);
    void begin_neighbourhoods(Worker& main, int depth, int nodes);
    void prove_share(Worker& main, int depth, int nodes, double share);
    void take_turn(double until, int steps);
    void offer(const Tree& tree);
    double lower_bound();
    double bound_in_units(double lower) const;
    Progress progress();

    // The best value that a tree is known to have: it may not have been built.
    double known_value() const { return std::min(value_, incumbent_.value()); }

    const TreeCosts costs_{search_, root_};
    run::Incumbent<double, Tree> incumbent_{std::numeric_limits<double>::infinity()};
    double value_ = std::numeric_limits<double>::infinity();  // of the depths that were searched to the end
    double shown_ = 0;          // what the root's best tree cost when it was last built,
    double building_ = 0;       // and the seconds that this took so far
    bool final_depth_ = false;  // the root's bounds hold for the depth that was asked for
    bool own_depth_ = false;    // a smaller depth is searched to its own optimum
    DepthProofs depths_;
    std::atomic<std::size_t> begun_{0};  // features of the root
    std::unique_ptr<Neighbourhoods> neighbourhoods_;
    double staged_ =
        -std::numeric_limits<double>::infinity();  // no tree costs less: proven before the root's bounds
    Statistics statistics_;
};

void RootSearch::offer(const Tree& tree) { incumbent_.offer(costs_.cost(tree), tree); }

double RootSearch::lower_bound() {
    double bound = std::min(root_.leaf, search_.least_split());
    if (final_depth_) {
        const SharedLock lock(root_);
        bound = std::max(bound, root_.lower_bound(search_));
    }
    bound = std::max(bound, staged_);
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
    worker.rebuild.recall_split(0, choice.lane, depth, nodes, choice.left_nodes, tree);
    worker.statistics = counted;
    offer(tree);
    const std::lock_guard lock(root_.mutex);
    building_ += search_.elapsed() - begun;
}

// Two greedy trees (trees/greedy.cpp). Where the number of nodes is limited, whole trees are pruned; those
// are not grown deeper than kSketched, as they have up to 2^depth nodes.
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
                if (const double value = costs_.cost(tree); value < best)
                    best = value;
                else
                    plan.rank[node] = before;
            }
    }
}

// Seconds that a search takes, about, and up to five times more: at depth 4 1.6e9 units of this work in a
// second; further down bounds and caches save three quarters.
double RootSearch::foreseen(int depth) const {
    const double columns = static_cast<double>(root_.node.active().size());
    double work = columns * columns * columns * root_.node.words() / 1.6e9;
    for (int level = 4; level < depth; ++level) work *= columns / 4;
    return depth < 4 ? 0 : work;
}

// Trees of full size that a search will not prove in time are improved beside it, in turns that the search
// gives at its nodes.
void RootSearch::begin_neighbourhoods(Worker& main, int depth, int nodes) {
    if (!options_.switches.neighbourhoods || depth < 3 || nodes != full_tree(depth) || !has_impurity(search_))
        return;
    const bool beside = options_.time_limit < 1e9 && depth >= kDeep && foreseen(depth) > kLongSeconds;
    if (!beside && options_.neighbourhood_steps == 0) return;
    const std::size_t bytes = Neighbourhoods::bytes(reduced_, depth);
    if (!search_.memory.fits(bytes)) return;
    search_.take_memory(bytes);
    neighbourhoods_ = std::make_unique<Neighbourhoods>(search_, root_, costs_, depth);
    take_turn(std::numeric_limits<double>::infinity(), options_.neighbourhood_steps);
    if (!beside) return neighbourhoods_.reset();
    main.give_way = [this, turns = Turns(depth, options_.n_threads)]() mutable {
        const double begun = search_.elapsed();
        if (!turns.due(begun)) return;
        const double before = neighbourhoods_->cost();
        take_turn(turns.until(begun), std::numeric_limits<int>::max());
        turns.took(search_.elapsed() - begun, neighbourhoods_->cost() < before);
    };
}

// Steps from the best tree. The root's search then looks for better ones only, and may end without a choice
// of its own.
void RootSearch::take_turn(double until, int steps) {
    if (neighbourhoods_->tree().empty() || incumbent_.value() < neighbourhoods_->cost())
        neighbourhoods_->begin(incumbent_.solution());
    const bool timed = until < std::numeric_limits<double>::infinity();
    const auto seconds = [&] {
        return timed ? Turns::step(search_.elapsed()) : std::numeric_limits<double>::infinity();
    };
    while (steps-- > 0 && neighbourhoods_->step(seconds()) && search_.elapsed() < until) {
    }
    const double cost = neighbourhoods_->cost();
    if (cost >= known_value()) return;
    incumbent_.offer(cost, neighbourhoods_->tree());
    if (own_depth_) return;
    const std::lock_guard lock(root_.mutex);
    if (cost >= root_.best) return;
    root_.best = shown_ = cost;
    root_.choice = {};
}

// Up to which value the trees of a smaller depth are searched: below what deeper trees cost already, since
// that is all the next depth needs. Where a limit of time may end the search, its user wants to know what was
// proven: a depth that takes a small part of the time is then searched to its own optimum.
double RootSearch::own_ceiling(Worker& main, int depth, int nodes, int last) {
    const double known = known_value();
    own_depth_ = depth < last && options_.time_limit < 1e9 &&
                 foreseen(depth) <= kOwnShare * std::min(options_.time_limit, foreseen(last));
    if (!own_depth_) return known;
    Tree tree;
    main.rebuild.lookahead(0, depth, nodes, tree);
    offer(tree);
    return std::max(known, costs_.cost(tree));
}

// The features of the root, shared out to the threads one by one. All trees that cost less than `known` are
// found.
void RootSearch::search_depth(Worker& main, int depth, int nodes, bool last, double known) {
    main.begin_branching(0, depth, nodes, known);
    final_depth_ = last;  // only now are the root's bounds those of this depth
    if (root_.best < known) {
        Tree tree;
        main.rebuild.recall(0, 2, std::min(nodes, 3), tree);
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
    main.known_children.record(root_);
    if (!last) catch_up(main, true);
}

// A stage on the way to the optimum: the search for trees that cost less than a share of the best known one.
// That there are none is proven in less time than the optimum (german-credit at depth 6: 40 % after 3 s, all
// after 8), and the subproblems' bounds stay; but both stages make a search up to a half longer, so that they
// are for those which may not end in time, yet have some chance.
void RootSearch::prove_share(Worker& main, int depth, int nodes, double share) {
    const double seconds = foreseen(depth);
    if (!options_.switches.stages || !reduced_.bounded || seconds <= kLongSeconds ||
        8 * seconds < options_.time_limit || seconds > options_.time_limit)
        return;
    const double below = share * known_value();
    if (below <= std::max(staged_, std::min(root_.leaf, search_.least_split()))) return;
    search_depth(main, depth, nodes, true, std::min(below, known_value()));
    final_depth_ = false;
    if (root_.best < below)
        value_ = std::min(value_, root_.best);
    else
        staged_ = std::max(staged_, below);
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
        main.rebuild.lookahead(0, d, d == 2 ? std::min(nodes, 3) : nodes, tree);
        offer(tree);
    }
    const bool greedy = options_.switches.deepening && depth >= kDeep && has_impurity(search_);
    if (greedy) grow_greedily(main, depth, nodes);
    begin_neighbourhoods(main, depth, nodes);
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
        if (greedy && !neighbourhoods_ && depth > kDeep && dd == kDeep && nodes == full_tree(depth))
            restart(main, depth);
        if (dd == std::max(first, depth - 1)) prove_share(main, depth, nodes, kFirstStage);
        if (dd == depth) prove_share(main, depth, n, kSecondStage);
        search_depth(main, dd, n, dd == depth, own_ceiling(main, dd, n, depth));
        if (dd < depth) depths_.push_back({dd, root_.best, own_depth_});
        own_depth_ = false;
        value_ = std::min(value_, root_.best);
        lower_limits(depth, nodes);
    }
    return known_value();
}

// The tree of the proven value, by the fixed rule. One thread takes the features in order, so that its choice
// is the one that the rule asks for. Leaf functions are asked again in Python, where a difference is found.
Tree RootSearch::rebuild(Worker& main, int depth, int nodes, double proven) {
    main.give_way = nullptr;
    staged_ = proven;  // the root is searched anew
    Tree optimal;
    const bool chosen = options_.n_threads == 1 && root_.branching && root_.depth == depth &&
                        root_.nodes == nodes && root_.best == proven && root_.choice.feature != kLeaf &&
                        !search_.has_function();
    if (chosen)
        main.rebuild.construct_choice(0, depth, nodes, optimal);
    else
        main.rebuild.construct(0, depth, nodes, proven, optimal);
    if (!search_.has_function() && costs_.cost(optimal) != proven)
        throw std::logic_error("internal error, please report it: the tree costs " +
                               std::to_string(costs_.cost(optimal)) + ", but " + std::to_string(proven) +
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
    for (DepthProof& each : depths_) each.bound = bound_in_units(each.bound);
    return result;
}

}  // namespace

Result solve(const Problem& problem, const Options& options) {
    DepthProofs depths;
    return solve(problem, options, depths);
}

Result solve(const Problem& problem, const Options& options, DepthProofs& depths) {
    if (problem.maximum && problem.function == nullptr)
        return solve(LeafSums(problem).problem(), options, depths);
    try {
        RootSearch search(problem, options);
        Result result = search.run();
        depths = search.depths();
        return result;
    } catch (const Stopped&) {  // before there was a tree
        throw Interrupted{};
    }
}

}  // namespace streed
