// One thread's walk through the search tree (Algorithm 1 of the paper): the levels of its path, and one
// object per technique, each with its own buffers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/bounds/groups.hpp"
#include "search/bounds/labels.hpp"
#include "search/bounds/price.hpp"
#include "search/bounds/similarity.hpp"
#include "search/caches/known_children.hpp"
#include "search/levels/three_levels.hpp"
#include "search/pairs/leaf_functions.hpp"
#include "search/pairs/native_losses.hpp"
#include "search/pairs/pair_solver.hpp"
#include "search/pairs/pair_tables.hpp"
#include "search/thread_state.hpp"
#include "search/trees/rebuild.hpp"

namespace streed {

class Worker : public ThreadState {
public:
    Worker(Search& of, Level& root, bool calling_thread) : ThreadState(of, calling_thread), root_(root) {
        if (search.prices.any()) price_work_ = search.prices.work();
        ceiling_ = search.ceiling;
    }

    NativeLosses native{*this};
    LeafFunctions functions{*this};
    PairTables tables{*this, native};
    PairSolver pairs{*this, tables, native, functions};
    SimilarityBounds similarity{*this, tables, native};
    KnownChildren known_children{*this};
    ThreeLevels three_levels{*this, pairs, similarity, known_children};
    Rebuilder rebuild{*this};

    // levels/node_search.cpp: the optimum of the node at `level`, as far as it is below `upper`; `asked`: the
    // cache does not know it.
    Outcome solve(int level, int depth, int nodes, double upper, bool asked = false);
    void cache_key(int depth, int nodes, std::string& key) const;
    std::optional<CacheEntry> find_entry(Level& at, int depth, int nodes) const {
        cache_key(depth, nodes, at.key);
        return search.subproblems.find(at.key);
    }

    // levels/branch.cpp: the loop over features, in parts so that threads can share the root.
    void begin_branching(int level, int depth, int nodes, double upper, bool may_close = false);
    void try_features(int level, double enough);
    void try_feature(int level, int lane);

    Level& level(int index) { return index == 0 ? root_ : *levels_[static_cast<std::size_t>(index - 1)]; }
    void enter(Level& at);                         // what is needed of a node whose rows were loaded
    void descend(int level, int lane, bool side);  // loads the child into level + 1 and extends the path
    void ascend() { leave_path(); }

    bool follows = false;  // the ceiling of the search, on all levels; the root is branching then
    // Called at every node with more than two levels left, with no lock held: time for something beside.
    std::function<void()> give_way;

protected:
    Level& below(int level);
    void load_child(int level, int lane, bool side);
    void sort_by_look(Level& at);

    LabelBounds label_bounds_{*this, tables};
    PriceWork price_work_;

private:
    Outcome solve_child(int level, int lane, bool side, int nodes, double upper);
    std::optional<Outcome> solve_affordable(int level, int depth, int nodes, double upper);
    std::optional<Outcome> find_value(const std::string& key, double upper);
    Outcome close(const Level& at, int depth, int nodes, const Outcome& outcome, Reason reason) const {
        if (search.closed) [[unlikely]]
            search.closed({path, depth, nodes, at.leaf, outcome, reason});
        return outcome;
    }
    void try_children(int level, int lane);
    void drop_closed(Level& at);
    void follow_ceiling(int level);

    GroupBounds group_bounds_{*this};
    PriceBounds price_bounds_{*this, tables, pairs};
    Level& root_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<std::int64_t> sort_keys_;
    double ceiling_ = 0;         // of the search, as far as the levels know it
    std::vector<double> rests_;  // by level, what a tree costs beside the child that is searched
};

}  // namespace streed
