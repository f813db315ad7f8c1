// Trees that keep improving beside a search which will not end in time: large neighbourhoods with exact
// tails.
//
// A step takes a subtree of the best tree, with a probability that follows the share of its rows that it gets
// wrong, and replaces it by one of three: the best subtree of its depth, where that takes milliseconds; the
// same subtree with another test at its top and its last levels solved anew; or a greedy subtree from a
// random part of the features, with its last levels solved. The new tree stays if it costs no more, so that
// the walk crosses plateaus. The first two steps are whole greedy trees with three optimal levels at their
// ends. Numbers are drawn from a fixed seed: without a clock the trees depend on the number of steps alone.
//
// Limited discrepancy, one other split at a time in the levels above, was here before and got stuck: at depth
// 8 the mean gap of five hard problems to the best known trees stood at half of the errors from 2 s on.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/neighbourhoods/random.hpp"
#include "search/worker.hpp"
#include "search/trees/tree_costs.hpp"

namespace streed {

class Neighbourhoods {
public:
    Neighbourhoods(Search& search, Level& root, const TreeCosts& costs, int depth);

    // The rows of all nodes of the largest tree, while it is looked through and kept.
    static std::size_t bytes(const ReducedProblem& reduced, int depth);

    void begin(const Tree& tree);  // goes on from this tree
    // Tries one; false where nothing is left to be gained. A step that takes longer is given up; exact
    // subtrees are tried once more when there is four times as much time.
    bool step(double seconds = std::numeric_limits<double>::infinity());

    const Tree& tree() const { return tree_; }
    double cost() const { return cost_; }

private:
    // A node of the tree that may be replaced, and how it is reached.
    struct Place {
        std::size_t node = 0;
        std::vector<std::pair<std::int32_t, bool>> path;  // feature and side
        double cost = 0;                                  // of its subtree
        double share = 0;                                 // of that, for each row
        std::uint64_t rows_key = 0;                       // tells apart what was tried, and nothing else
        std::vector<std::uint64_t> rows;
    };

    struct Late {};  // thrown where a step takes too long

    bool due(double& tried) const { return seconds_ > 4 * tried ? (tried = seconds_, true) : false; }
    bool grow_first();
    void replace();
    void survey();
    void list_places(std::size_t node, std::vector<std::pair<std::int32_t, bool>>& path);
    std::size_t draw_place();
    bool enter(const Place& place);
    void leave(const Place& place);
    // The three replacements, as the subtree of the node that was entered; false: none.
    bool solve_exactly(const Place& place, Tree& part);
    bool swap_test(const Place& place, Tree& part);
    bool regrow(const Place& place, Tree& part);
    // Parts of swap_test: rows that a subtree has right, features by what they gain, the old tests once more.
    void right_rows(std::size_t node, const std::vector<std::uint64_t>& rows,
                    std::vector<std::uint64_t>& right) const;
    bool draw_test(const Place& place, std::int32_t& feature, bool& turned);
    int refit(int index, std::size_t node, const std::vector<std::uint64_t>& rows, int tail, Tree& part);
    void split_rows(const std::vector<std::uint64_t>& rows, std::int32_t feature,
                    std::vector<std::uint64_t> sides[2]) const;
    int solve_tail(int index, int depth, Tree& part);
    double weight(const std::vector<std::uint64_t>& rows) const;
    void put(const Place& place, const Tree& part);
    int levels_left(const Place& place) const { return depth_ - static_cast<int>(place.path.size()); }

    Search& search_;
    const TreeCosts& costs_;
    const int depth_;
    Worker worker_;
    Random random_;
    Tree tree_;
    double cost_ = 0;
    std::vector<Place> places_;
    double seconds_ = 0;  // of the step under way
    int first_ = 0;       // greedy trees that were grown, and the seconds that the next one was tried for
    double first_tried_ = 0;
    // By rows and depth of a subtree, the seconds that its exact search was tried for.
    std::unordered_map<std::uint64_t, double> tried_;
    std::vector<std::vector<std::uint64_t>> of_label_;
    std::vector<double> worth_;  // [slot]; empty: one each
};

}  // namespace streed
