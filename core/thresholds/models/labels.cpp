// Rows with a label and a weight: a leaf costs the weight of its rows with another label. Two labels have a
// kernel of their own, which adds up one signed sum.
#include <algorithm>
#include <cmath>
#include <limits>

#include "thresholds/models/label_splits.hpp"
#include "thresholds/models/labels.hpp"
#include "thresholds/models/models.hpp"

namespace streed::thresholds {
namespace {

class Labels : public RowModel {
public:
    using RowModel::RowModel;

    ModelRows make_rows(const Problem& problem) const override {
        ModelRows out;
        out.labels = number_labels(problem, out.n_labels);
        out.weights.assign(problem.weights, problem.weights + problem.n_rows);
        out.model = &model_of_labels(out.n_labels);
        weigh(out);
        return out;
    }
    void set_leaves(const double*, streed::Problem&, LeafFunction&) const override {}  // labels are there

    Cost leaf_cost(const Node& node) const override {
        return node.weight() - *std::max_element(node.totals().begin(), node.totals().end());
    }
    Prediction predict(const Node& node) const override {
        const std::vector<Cost>& totals = node.totals();
        return {static_cast<int>(std::max_element(totals.begin(), totals.end()) - totals.begin()), 0};
    }

    // Lanes hold every sum of a walk: of one label with two labels, of two labels with more, of four cells
    // where rows are walked with costs. Rows of two labels that count one are walked in blocks of bytes.
    Width width(const Node& node, const Kernels& kernels, bool narrow_lanes) const override {
        const Cost largest = *std::max_element(node.totals().begin(), node.totals().end());
        if (node.as_costs()) return width_of_costs(largest, node.size());
        const Cost most = traits.opposed ? largest : node.weight();
        const bool counts = traits.opposed && node.unit() && most < (1 << 30);
        if (narrow_lanes && counts && most > 127 && kernels.lanes[static_cast<int>(Width::blocks)] > 0)
            return Width::blocks;
        if (narrow_lanes && most <= 32767)
            return most <= 127 && kernels.lanes[0] > 0 ? Width::i8 : Width::i16;
        return most < (1 << 30) ? Width::i32 : Width::f64;
    }

    Stump best_stump(const Node& node, int least_rows) const override {
        const auto add = [&](std::vector<Cost>& sums, std::uint32_t row) {
            sums[node.labels()[row]] += node.unit() ? 1 : static_cast<Cost>(node.weights()[row]);
        };
        const std::vector<Cost>& totals = node.totals();
        const auto cost = [&](const std::vector<Cost>& below) {
            Cost most[2] = {0, 0};
            for (std::size_t c = 0; c < totals.size(); ++c) {
                most[0] = std::max(most[0], below[c]);
                most[1] = std::max(most[1], totals[c] - below[c]);
            }
            return node.weight() - most[0] - most[1];
        };
        return best_split_of_labels(node, least_rows, add, cost);
    }

    void row_costs(const Node& node, const Prediction* const* predictions, double* costs) const override {
        for (std::size_t row = 0; row < static_cast<std::size_t>(node.size()); ++row) {
            const bool right = static_cast<int>(node.labels()[row]) == predictions[row]->label;
            costs[row] = right ? 0.0 : node.unit() ? 1.0 : node.weights()[row];
        }
    }

    bool greedy_targets(const Node& node, GreedyTargets& out) const override {
        const std::size_t n = static_cast<std::size_t>(node.size());
        out.weights.assign(n, 1.0);
        for (std::size_t row = 0; row < n; ++row) {
            out.labels.push_back(static_cast<std::int32_t>(node.labels()[row]));
            if (!node.unit()) out.weights[row] = node.weights()[row];
        }
        return true;
    }

private:
    // Labels that occur, numbered in their order.
    static std::vector<std::uint32_t> number_labels(const Problem& problem, int& n_labels) {
        std::vector<std::int32_t> of(static_cast<std::size_t>(problem.n_labels), -1);
        for (std::size_t r = 0; r < problem.n_rows; ++r) of[static_cast<std::size_t>(problem.labels[r])] = 0;
        n_labels = 0;
        for (std::int32_t& number : of)
            if (number == 0) number = n_labels++;
        std::vector<std::uint32_t> labels(problem.n_rows);
        for (std::size_t r = 0; r < problem.n_rows; ++r)
            labels[r] = static_cast<std::uint32_t>(of[static_cast<std::size_t>(problem.labels[r])]);
        n_labels = std::max(n_labels, 2);
        return labels;
    }
};

class TwoLabels final : public Labels {
public:
    TwoLabels() : Labels({.opposed = true, .work = 1}) {}

    void walk(const Kernels& kernels, const NodeView& view, Width width, const void* words, void*,
              Sides& out) const override {
        kernels.two_labels(view, width, words, out);
    }
    // Gains of two labels count what leaves have right twice, less the weight.
    Cost side_cost(Cost weight, Cost given) const override { return (weight - given) / 2; }
};

class Classes final : public Labels {
public:
    Classes() : Labels({.runs = true, .work = 2.5}) {}

    void walk(const Kernels& kernels, const NodeView& view, Width width, const void* words, void* scratch,
              Sides& out) const override {
        kernels.classes(view, width, words, scratch, out);
    }
    Cost side_cost(Cost weight, Cost given) const override { return weight - given; }
};

const TwoLabels kTwoLabels;
const Classes kClasses;

}  // namespace

const RowModel& labels_model() { return kClasses; }

const RowModel& model_of_labels(int n_labels) {
    if (n_labels == 2) return kTwoLabels;
    return kClasses;
}

Width width_of_costs(Cost largest, int n_rows) {
    return largest < (1 << 28) && n_rows < (1 << 28) ? Width::i32 : Width::f64;
}

void weigh(ModelRows& rows) {
    rows.grain = put_on_grid(rows.weights);
    rows.unit = rows.weights[0] > 0 && std::all_of(rows.weights.begin(), rows.weights.end(),
                                                   [&](double w) { return w == rows.weights[0]; });
    if (!rows.unit) return;
    rows.grain *= rows.weights[0];
    std::fill(rows.weights.begin(), rows.weights.end(), 1.0);
}

}  // namespace streed::thresholds
