// One scalar search: all components weighted into one cost.
//
// Its optimum is a supporting plane of everything that trees can reach, and the values that it caches bound
// every subproblem. Costs above the least one of every merged row are rounded down to whole units, so that
// the engine's sums are exact and its values are proven lower bounds of the weighted sum; where the weighted
// costs are small whole numbers nothing is rounded.
//
// Of two labels, where rows are of few kinds and few of them are equal, rows are counted by kind, with the
// weighted cost of a kind as a step (kernels/tables/steps.hpp), or where two kinds are left as class errors;
// else costs of merged rows are added up.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "front/data/rows.hpp"
#include "front/search/control.hpp"
#include "search/worker.hpp"

namespace streed {

class Scalar {
public:
    // Whether rows are counted by kind. Equal rows are not merged then, nor do they cancel each other.
    static bool has_cells(const Rows& rows, const Options& options);

    Scalar(const Rows& rows, std::vector<double> weights, Control& control, const Kernels& kernels);
    ~Scalar();
    Scalar(const Scalar&) = delete;
    Scalar& operator=(const Scalar&) = delete;

    // The least weighted sum of trees within the limits if it is below `upper`, and a bound below that in any
    // case.
    Outcome solve(int depth, int nodes, double upper);
    // What a search that was stopped had proven.
    double proven() const { return proven_; }
    // A tree of the value that `solve` has just found, over kept features and without labels.
    Tree tree(int depth, int nodes);

    // Leaves the path that a search was on when it was given up; what is cached stays.
    void restart();

    // For searches below the root, where costs are counted from the least one of every row: what label 0
    // costs there.
    double constant(const Node& node) const;
    double root_constant() const { return root_constant_; }
    // The engine's limit for trees of at most that cost, and the cost that one of its values stands for.
    double limit(double cost, int nodes) const {
        return std::floor((cost + slack_ + rebate_ * nodes) / tick_) + 1;
    }
    double cost(double ticks, int nodes) const { return ticks * tick_ - rebate_ * nodes; }
    double branch() const { return branch_; }  // weighted, exact
    double least() const { return least_; }    // the sum of every row's least cost
    double slack() const { return slack_; }    // more than any rounding of weighted sums

    const std::vector<double> weights;
    Worker& worker() { return *worker_; }
    Search& search() { return *search_; }
    double solves() const { return static_cast<double>(worker_->statistics.depth_two_solves); }

private:
    void weigh_cells();
    void join_sides();
    void reduce_cells();
    void move_sides();
    void weigh(std::vector<double>& costs);
    void choose_unit(double total, double size, bool whole, double priced);
    void price_tests(bool& whole, double& size);
    void reduce(const std::vector<double>& costs);
    void search_root(int depth, int nodes, double upper);

    const Rows& rows_;
    Control& control_;
    const Kernels& kernels_;
    Options options_;
    Problem problem_;                              // the default but for prices: no maximum
    std::vector<std::int32_t> attribute_, group_;  // by feature of the problem
    std::vector<double> full_, discounted_;        // weighted
    Prices prices_;
    ReducedProblem reduced_;
    std::unique_ptr<Search> search_;
    Level root_;
    std::unique_ptr<Worker> worker_;
    bool cells_ = false, two_sides_ = false;
    std::vector<int> side_of_;         // two sides: which label is the better one for rows of a kind
    std::vector<double> differences_;  // cells: what label 1 costs above label 0, in units, rounded to zero
    std::vector<double> constants_;    // per merged row, or per cell
    double least_ = 0, root_constant_ = 0, slack_ = 0, unit_ = 1, tick_ = 1, branch_ = 0;
    double rebate_ = 0;  // per branching node, when branching earns something
    double found_ = 0, proven_ = -std::numeric_limits<double>::infinity();
};

}  // namespace streed
