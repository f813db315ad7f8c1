// Rows with a cost for every label: a leaf costs the least sum over labels. Costs of two labels, and costs
// that are equal for all labels but one, become labels and weights, whose kernels are faster.
#include <algorithm>
#include <cmath>

#include "thresholds/models/label_splits.hpp"
#include "thresholds/models/labels.hpp"
#include "thresholds/models/models.hpp"

namespace streed::thresholds {
namespace {

class Costs final : public RowModel {
public:
    Costs() : RowModel({.numbers = true, .label_costs = true}) {}

    // Costs above the least one of each row. With two labels, or one label that costs nothing and others
    // that cost the same, the row has that label and this weight.
    ModelRows make_rows(const Problem& problem) const override {
        ModelRows out;
        const std::size_t n = problem.n_rows, k = static_cast<std::size_t>(problem.n_labels);
        out.numbers.resize(n * k);
        out.labels.resize(n);
        out.weights.resize(n);
        bool errors = true;
        for (std::size_t r = 0; r < n; ++r) {
            const double* row = problem.numbers + r * k;
            const auto [least, most] = std::minmax_element(row, row + k);
            out.base += *least;
            out.labels[r] = static_cast<std::uint32_t>(least - row);
            out.weights[r] = *most - *least;
            for (std::size_t c = 0; c < k; ++c) {
                out.numbers[r * k + c] = row[c] - *least;
                errors = errors && (c == out.labels[r] || row[c] - *least == out.weights[r]);
            }
        }
        out.n_labels = std::max(2, problem.n_labels);
        if (errors) {
            out.model = &model_of_labels(out.n_labels);
            out.numbers.clear();
            weigh(out);
            return out;
        }
        out.model = this;
        out.grain = put_on_grid(out.numbers);
        for (std::size_t r = 0; r < n; ++r)
            out.weights[r] = *std::max_element(out.numbers.begin() + static_cast<std::ptrdiff_t>(r * k),
                                               out.numbers.begin() + static_cast<std::ptrdiff_t>(r * k + k));
        return out;
    }
    void set_leaves(const double* numbers, streed::Problem& problem, LeafFunction&) const override {
        problem.costs = numbers;
    }

    Cost leaf_cost(const Node& node) const override {
        return *std::min_element(node.totals().begin(), node.totals().end());
    }
    Prediction predict(const Node& node) const override {
        const std::vector<Cost>& totals = node.totals();
        return {static_cast<int>(std::min_element(totals.begin(), totals.end()) - totals.begin()), 0};
    }
    Width width(const Node& node, const Kernels&, bool) const override {
        return width_of_costs(*std::max_element(node.totals().begin(), node.totals().end()), node.size());
    }

    Stump best_stump(const Node& node, int least_rows) const override {
        const std::vector<Cost>& totals = node.totals();
        const std::size_t labels = totals.size();
        const auto add = [&](std::vector<Cost>& sums, std::uint32_t row) {
            for (std::size_t c = 0; c < labels; ++c)
                sums[c] += static_cast<Cost>(node.costs()[row * labels + c]);
        };
        const auto cost = [&](const std::vector<Cost>& below) {
            Cost least[2] = {kInfinite, kInfinite};
            for (std::size_t c = 0; c < labels; ++c) {
                least[0] = std::min(least[0], below[c]);
                least[1] = std::min(least[1], totals[c] - below[c]);
            }
            return least[0] + least[1];
        };
        return best_split_of_labels(node, least_rows, add, cost);
    }

    void row_costs(const Node& node, const Prediction* const* predictions, double* costs) const override {
        const std::size_t labels = static_cast<std::size_t>(node.n_labels());
        for (std::size_t row = 0; row < static_cast<std::size_t>(node.size()); ++row)
            costs[row] = node.costs()[row * labels + static_cast<std::size_t>(predictions[row]->label)];
    }

    void walk(const Kernels& kernels, const NodeView& view, Width width, const void* words, void* scratch,
              Sides& out) const override {
        kernels.costs(view, width, words, scratch, out);
    }
    Cost side_cost(Cost, Cost given) const override { return given; }
};

const Costs kCosts;

}  // namespace

const RowModel& costs_model() { return kCosts; }

}  // namespace streed::thresholds
