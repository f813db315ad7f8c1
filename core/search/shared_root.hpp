// A root that several searches share: each one takes some of its features, hears of better trees while it
// runs, and says what it has proven of the others. The reduction, the caches and the bounds stay from piece
// to piece, so that a search that comes back finds what it knew.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "run/conclude.hpp"
#include "search/prepared.hpp"
#include "search/worker.hpp"

namespace streed {

// Bounds of trees that begin with each of the features that were asked for, in ticks; infinite where a
// feature does not separate rows whose costs matter. `tree` is the best one that was found, if it costs less
// than anything that was known before; empty else.
struct RootBounds {
    std::vector<double> bounds;
    Tree tree;
    Status status = Status::optimal;
    Statistics statistics;
};

// Values, limits and bounds are in ticks, whole numbers that are the same for everybody who has the problem.
class SharedRoot : protected PreparedSearch {
public:
    SharedRoot(const Problem& problem, const Options& options) : PreparedSearch(problem, options) {}

    double in_units(double ticks) const { return reduced_.base + search_.to_units(ticks); }
    double in_ticks(double units) const { return ticks(units, reduced_.base); }

    // The features of the problem that are worth a search, in the order in which one thread takes them, and
    // the tree that is known when it begins.
    std::vector<int> order();

    // What a tree of features that were kept costs.
    double cost(const Tree& tree);

    // Trees whose root has one of the features and that cost less than the ceiling. Any thread may lower that
    // at any time, and all levels follow; what is found lowers it, too.
    RootBounds solve_roots(const std::vector<int>& features, int depth, int nodes);
    double ceiling() const { return search_.ceiling; }
    void lower(double ticks);
    void stop() { search_.stop(Status::interrupted); }  // ends what is under way

    // The tree of a proven value by the rule of rebuild.cpp, which is that of a search of one thread. Trees
    // that begin with other features than those in `open` are known to cost more.
    Result rebuild(double value, const std::vector<int>& open, int depth, int nodes);

    // A tree whose leaves have no labels yet, counted anew; nothing is said about better ones.
    Result finish(const Tree& tree);

protected:
    void prepare();
    // The least whole number of ticks that is no less than a cost.
    double ticks(double units, double base) const;

private:
    void keep(const std::vector<int>& features);
    int feature_at(std::int32_t lane) const {
        return reduced_.features[static_cast<std::size_t>(root_.node.feature(lane))];
    }
    bool needs_search(int& depth, int& nodes, double limit) const;
    void search_features(Worker& main, const std::vector<int>& features, int depth, int nodes,
                         RootBounds& out);
    void follow();
    void publish(Worker& worker, Tree& best);
    void keep_bounds(std::vector<double>& known);
    double bound_of(int lane);
    void rename(Tree& tree) const;
    Result conclude(const Tree& tree, run::Proof proof, const Statistics& statistics);
    Tree construct(Worker& worker, double value, const std::vector<int>& open, int depth, int nodes);

    bool prepared_ = false;
    bool follows_ = false;  // the best cost of the root goes down with the ceiling
    std::map<std::pair<int, int>, std::vector<double>> known_;  // Level::lower of the root by depth and nodes
    std::map<std::pair<int, int>, std::map<int, double>> told_;  // bounds of features, by the same
};

}  // namespace streed
