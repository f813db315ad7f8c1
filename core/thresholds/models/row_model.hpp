// What rows add to leaves of a search over thresholds, and what leaves cost: one row model per file.
//
// The search, the rows of a node and the anytime steps ask a row model and know none by name. To add an
// objective:
//
// 1. Write its file in this folder: a class with the functions below. squares.cpp is the example to copy.
// 2. Give it a line in models.hpp, which gives it the name that Python uses, and a line in CMakeLists.txt.
// 3. If a walk over the columns needs other sums than labels, costs or squares have, write its kernel in
//    kernels/ and give it a member in kernels/kernels.hpp and kernels/body.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "data/problem.hpp"
#include "greedy/grow.hpp"
#include "thresholds/problem.hpp"
#include "thresholds/rows/node.hpp"

namespace streed::thresholds {

constexpr Cost kInfinite = std::numeric_limits<Cost>::max() / 8;

// The rows of a problem as the search sees them: numbers are whole multiples of a grain, on which all sums
// are exact.
struct ModelRows {
    const RowModel* model = nullptr;
    int n_labels = 2;                   // or numbers of a row
    std::vector<std::uint32_t> labels;  // of each row
    std::vector<double> weights;        // what each row can cost at most
    std::vector<double> numbers;        // [row][n_labels], of models with numbers
    double grain = 1;                   // cost of a unit
    double base = 0;                    // what all rows cost in any tree
    double factor = 1;                  // of the model, for its kernel
    bool unit = false;                  // all rows have the weight one
    bool fine = false;                  // units are fine enough for any price of a node
};

// The best split into two leaves, with costs in units.
struct Stump {
    Cost value = kInfinite;    // with leaves of the least size
    Cost relaxed = kInfinite;  // with any
    std::int32_t column = -1;
    std::int32_t position = 0;
};

// What a leaf predicts: a label, or a number.
struct Prediction {
    int label = 0;
    double number = 0;
};

// Rows for greedy trees: labels, or one target each.
struct GreedyTargets {
    std::vector<std::int32_t> labels;
    std::vector<double> targets, weights;
    greedy::Criterion first = greedy::Criterion::gini, second = greedy::Criterion::entropy;
};

class RowModel {
public:
    explicit RowModel(const RowTraits& the_traits) : traits(the_traits) {}
    virtual ~RowModel() = default;

    const RowTraits traits;

    // Of a problem: its rows, the same leaves for the search by depth, and by how much sums of its numbers
    // may be apart when they are counted anew. `numbers` are those of the problem or sums of them.
    virtual ModelRows make_rows(const Problem& problem) const = 0;
    virtual void set_leaves(const double* numbers, streed::Problem& problem,
                            LeafFunction& function) const = 0;
    virtual double rounding(const Problem&) const { return 0; }

    // Of a node: its cost and prediction as a leaf, and the width of the sums of a walk.
    virtual Cost leaf_cost(const Node& node) const = 0;
    virtual Prediction predict(const Node& node) const = 0;
    virtual Width width(const Node& node, const Kernels& kernels, bool narrow_lanes) const = 0;
    virtual Stump best_stump(const Node& node, int least_rows) const = 0;
    // What each row costs in a leaf with the prediction that it is given, but for what it costs in any leaf.
    virtual void row_costs(const Node& node, const Prediction* const* predictions, double* costs) const = 0;
    // Of a node's rows for greedy trees; false if there are none.
    virtual bool greedy_targets(const Node&, GreedyTargets&) const { return false; }

    // Of a walk over all columns: it is run, and what its kernel has for a side becomes the cost of the side.
    // Rows with labels are walked as rows with costs where leaves have a least size; that needs no model.
    virtual void walk(const Kernels& kernels, const NodeView& view, Width width, const void* words,
                      void* scratch, Sides& out) const = 0;
    virtual Cost side_cost(Cost weight, Cost given) const = 0;
};

// Puts numbers on a grid: whole numbers stay, others become multiples of a power of two, so that the sum of
// all is below 2^50 of them. Returns the grain.
double put_on_grid(std::vector<double>& numbers);

}  // namespace streed::thresholds
