// Pieces of a root. The client of a cluster holds the queue and the proof; a piece is the loop over some
// features of the root, with all that the search knows from the pieces before it. Sharing nodes further down
// does not pay: a second test costs 3 to 26 times its share of the work again, since bounds between siblings
// and tables of the parent are lost.
#include "search/shared_root.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "search/share.hpp"
#include "search/trees/tree_costs.hpp"

namespace streed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double SharedRoot::ticks(double units, double base) const {
    if (units == kInfinity) return kInfinity;
    const double given = (units - base) / search_.to_units(1), whole = std::nearbyint(given);
    return std::abs(given - whole) <= 1e-6 ? whole : std::ceil(given);
}

void SharedRoot::prepare() {
    search_.restart();
    follows_ = false;
    if (prepared_) return;
    prepared_ = true;
    root_.node.load(reduced_, {&kernels_, options_.switches.narrow_lanes, options_.switches.sparse_rows,
                               options_.min_samples_leaf, search_.model.counted, search_.masked()});
    search_.take_memory(reduced_.bytes() + root_.node.bytes());
    search_.progress = [this] {
        follow();
        Progress out;
        out.objective = in_units(search_.ceiling);
        out.lower_bound = -kInfinity;
        return out;
    };
}

void SharedRoot::lower(double ticks) {
    double known = search_.ceiling;
    while (ticks < known && !search_.ceiling.compare_exchange_weak(known, ticks)) {
    }
}

// Trees that cost no less than what others have found are of no interest.
void SharedRoot::follow() {
    if (!follows_ || !root_.branching) return;
    const SharedLock lock(root_);
    if (root_.best <= search_.ceiling) return;
    root_.best = search_.ceiling;
    root_.choice = {};
}

std::vector<int> SharedRoot::order() {
    prepare();
    Worker worker(search_, root_, true);
    worker.enter(root_);
    std::vector<int> features;
    try {
        int depth = std::max(3, options_.max_depth), nodes = options_.max_nodes;
        normalise(depth, nodes);
        worker.begin_branching(0, depth, nodes, kInfinity);
        for (const std::int32_t lane : root_.order) features.push_back(feature_at(lane));
    } catch (const Stopped&) {
    }
    root_.branching = false;
    return features;
}

double SharedRoot::cost(const Tree& tree) {
    prepare();
    Tree kept = tree;
    for (TreeNode& node : kept) {
        if (node.feature < 0) continue;
        const auto at = std::find(reduced_.features.begin(), reduced_.features.end(), node.feature);
        if (at == reduced_.features.end())
            throw std::invalid_argument("the tree tests feature " + std::to_string(node.feature) +
                                        ", which the search leaves out");
        node.feature = static_cast<std::int32_t>(at - reduced_.features.begin());
    }
    return TreeCosts(search_, root_).cost(kept);
}

// What earlier questions have proven of the children of the root, and this one.
void SharedRoot::keep_bounds(std::vector<double>& known) {
    known.resize(root_.lower.size(), search_.floor());
    for (std::size_t k = 0; k < known.size(); ++k)
        known[k] = root_.lower[k] = std::max(root_.lower[k], known[k]);
}

// Of the trees that begin with a feature, as far as their children are bounded.
double SharedRoot::bound_of(int lane) {
    double least = kInfinity;
    for (int k = 0; k < root_.n_budgets; ++k)
        least = std::min(least,
                         root_.joined(root_.bound(root_.least_nodes + k, false, lane),
                                      root_.bound(root_.least_nodes + root_.n_budgets - 1 - k, true, lane),
                                      root_.branch[static_cast<std::size_t>(lane)]));
    return std::max(least, search_.floor());
}

void SharedRoot::keep(const std::vector<int>& features) {
    std::erase_if(root_.order, [&](std::int32_t lane) {
        return std::find(features.begin(), features.end(), feature_at(lane)) == features.end();
    });
}

// A tree below the ceiling, built from the caches: later its children might be forgotten.
void SharedRoot::publish(Worker& worker, Tree& best) {
    Choice choice;
    {
        const SharedLock lock(root_);
        if (root_.best >= search_.ceiling) return;
        lower(root_.best);
        choice = root_.choice;
    }
    Tree tree;
    if (choice.feature == kPairTree)
        worker.rebuild.recall(0, 2, std::min(root_.nodes, 3), tree);
    else if (choice.lane >= 0)
        worker.rebuild.recall_split(0, choice.lane, root_.depth, root_.nodes, choice.left_nodes, tree);
    else
        tree = {TreeNode{}};
    const SharedLock lock(root_);
    best = std::move(tree);
}

// Depth and nodes as far as trees below a limit can use them; true if a search over root features is needed,
// since they are more than a kernel solves at once.
bool SharedRoot::needs_search(int& depth, int& nodes, double limit) const {
    normalise(depth, nodes);
    nodes = search_.affordable_nodes(depth, nodes, limit);
    normalise(depth, nodes);
    return depth > 2;
}

RootBounds SharedRoot::solve_roots(const std::vector<int>& features, int depth, int nodes) {
    prepare();
    RootBounds out;
    Worker main(search_, root_, true);
    main.enter(root_);
    const double known = search_.ceiling;
    try {
        if (needs_search(depth, nodes, std::min(known, root_.leaf))) {
            search_features(main, features, depth, nodes, out);
        } else {
            const double value = main.solve(0, depth, nodes, root_.leaf + 1).lower;
            out.bounds.assign(features.size(), std::min(known, value));
            if (value < known) main.rebuild.construct(0, depth, nodes, value, out.tree);
            lower(value);
        }
    } catch (const Stopped&) {
        out.status = search_.status();
    }
    if (root_.branching) keep_bounds(known_[{depth, nodes}]);
    if (out.bounds.empty()) {
        out.bounds.assign(features.size(), root_.branching ? kInfinity : search_.least_split());
        for (const std::int32_t lane : root_.branching ? root_.node.active() : std::vector<std::int32_t>{})
            for (std::size_t k = 0; k < features.size(); ++k)
                if (features[k] == feature_at(lane))
                    out.bounds[k] = std::max(search_.least_split(), bound_of(lane));
    }
    // A question that ends before its root is entered still knows what earlier ones have said.
    std::map<int, double>& told = told_[{depth, nodes}];
    for (std::size_t k = 0; k < features.size(); ++k) {
        double& bound = told.try_emplace(features[k], out.bounds[k]).first->second;
        bound = out.bounds[k] = std::max(bound, out.bounds[k]);
    }
    rename(out.tree);
    root_.branching = follows_ = false;
    out.statistics = main.statistics;
    return out;
}

void SharedRoot::search_features(Worker& main, const std::vector<int>& features, int depth, int nodes,
                                 RootBounds& out) {
    main.begin_branching(0, depth, nodes, std::min(ceiling(), root_.leaf + 1));
    main.follows = follows_ = true;
    keep_bounds(known_[{depth, nodes}]);
    publish(main, out.tree);
    keep(features);
    const auto make = [this] {
        auto worker = std::make_unique<Worker>(search_, root_, false);
        worker->follows = true;
        return worker;
    };
    share_root(search_, root_, main, make, [&](Worker& worker, std::size_t k) {
        follow();
        worker.try_feature(0, root_.order[k]);
        publish(worker, out.tree);
    });
    main.known_children.record(root_);
}

// Features of the search as those of the problem.
void SharedRoot::rename(Tree& tree) const {
    for (TreeNode& node : tree)
        if (node.feature >= 0) node.feature = reduced_.features[static_cast<std::size_t>(node.feature)];
}

// As Rebuilder::construct() does it for the root, without the features that are ruled out.
Tree SharedRoot::construct(Worker& main, double value, const std::vector<int>& open, int depth, int nodes) {
    Tree tree;
    if (!needs_search(depth, nodes, value) || root_.leaf <= value) {
        main.rebuild.construct(0, depth, nodes, value, tree);
        return tree;
    }
    main.begin_branching(0, depth, nodes, value + 1);
    keep_bounds(known_[{depth, nodes}]);
    keep(open);
    main.try_features(0, value);
    main.rebuild.construct_choice(0, depth, nodes, tree);
    return tree;
}

Result SharedRoot::rebuild(double value, const std::vector<int>& open, int depth, int nodes) {
    prepare();
    const double before = search_.ceiling.exchange(kInfinity);  // trees of this value are wanted
    Worker main(search_, root_, true);
    main.enter(root_);
    run::Proof proof{Status::optimal, in_units(value), 0};
    Tree tree;
    try {
        tree = construct(main, value, open, depth, nodes);
    } catch (const Stopped&) {
        proof.status = search_.status();
        tree = {TreeNode{}};
    }
    root_.branching = false;
    search_.ceiling = before;
    rename(tree);
    return conclude(tree, proof, main.statistics);
}

Result SharedRoot::finish(const Tree& tree) {
    return conclude(tree, {Status::interrupted, -kInfinity, 0}, {});
}

Result SharedRoot::conclude(const Tree& tree, run::Proof proof, const Statistics& statistics) {
    FinishedTree finished = finish_tree(problem_, tree, options_.branch_cost, kInfinity);
    proof.rounding = search_.has_function() ? kInfinity : 1e-9 * (std::abs(proof.bound) + finished.magnitude);
    Result result;
    run::conclude(search_, std::move(finished), proof, statistics, result);
    return result;
}

}  // namespace streed
