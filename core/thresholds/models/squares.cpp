// Squared error in whole numbers. Weights and sums of targets lie on grids of powers of two on which all sums
// of rows are exact. Costs of leaves are rounded to ticks, 2^-36 of what a leaf for all rows costs, and are
// exact from there on: the tolerance of the other engine (leaves/native/leaf.hpp). The squares of rows are
// rounded up, to 2^-14 of a tick: so no row makes a leaf cheaper, whatever was rounded, and the rules for
// intervals hold up to a tick per leaf.
//
// A row that is taken away saves at most its weight times the square of the largest distance of its target to
// any other, since means lie between these: that is its weight in the rules for intervals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "leaves/native/rows.hpp"
#include "thresholds/models/models.hpp"

namespace streed::thresholds {
namespace {

// Whole numbers stay; others are put on a grid on which the sum of all sizes is below 2^50.
double unit_of(const std::vector<double>& values) {
    double total = 0;
    bool whole = true;
    for (const double value : values) {
        total += std::abs(value);
        whole = whole && value == std::floor(value);
    }
    return (whole && total < 0x1p50) || total == 0 ? 1.0 : std::ldexp(1.0, std::ilogb(total) - 49);
}

class Squares final : public RowModel {
public:
    Squares() : RowModel({.numbers = true, .work = 8}) {}

    ModelRows make_rows(const Problem& problem) const override {
        const std::size_t n = problem.n_rows;
        ModelRows out;
        out.model = this;
        out.n_labels = 3;  // numbers of a row
        out.labels.assign(n, 0);
        out.fine = true;
        std::vector<double> weights(n), sums(n);
        for (std::size_t r = 0; r < n; ++r) {
            weights[r] = problem.numbers[3 * r];
            sums[r] = problem.numbers[3 * r + 1];
            if (!(weights[r] > 0)) continue;
            out.base += std::max(0.0, problem.numbers[3 * r + 2] - sums[r] * sums[r] / weights[r]);
        }
        const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) /
                            std::max(std::accumulate(weights.begin(), weights.end(), 0.0), 0x1p-1000);
        for (std::size_t r = 0; r < n; ++r) sums[r] -= mean * weights[r];  // no cost depends on it
        const double weight_unit = unit_of(weights), sum_unit = unit_of(sums);
        double total = 0, low = INFINITY, high = -INFINITY;
        for (std::size_t r = 0; r < n; ++r) {
            weights[r] = std::nearbyint(weights[r] / weight_unit);
            sums[r] = weights[r] > 0 ? std::nearbyint(sums[r] / sum_unit) : 0.0;
            if (!(weights[r] > 0)) continue;
            total += sums[r] * sums[r] / weights[r];
            low = std::min(low, sums[r] / weights[r]);
            high = std::max(high, sums[r] / weights[r]);
        }
        // Of the loss of all rows, about their mean.
        const double parts = total > 0 ? std::ldexp(1.0, 36 - std::ilogb(total)) / kPartsOfTick : 1.0;
        out.factor = parts;
        out.grain = sum_unit * sum_unit / weight_unit / (parts * kPartsOfTick);
        out.numbers.resize(3 * n);
        out.weights.resize(n);
        for (std::size_t r = 0; r < n; ++r) {
            double* own = out.numbers.data() + 3 * r;
            own[0] = weights[r];
            own[1] = sums[r];
            own[2] = weights[r] > 0 ? std::ceil(sums[r] * sums[r] / weights[r] * parts) : 0.0;
            if (!(weights[r] > 0)) continue;
            const double own_mean = sums[r] / weights[r], far = std::max(own_mean - low, high - own_mean);
            out.weights[r] = std::ceil(
                std::min(weights[r] * far * far * parts * kPartsOfTick * (1 + 1e-9), 0x1p37) + 2);
        }
        return out;
    }

    // Leaves as the search by depth counts them.
    void set_leaves(const double* numbers, streed::Problem& problem, LeafFunction& function) const override {
        function.statistics = numbers;
        function.n_statistics = 3;
        for (const NativeLoss& loss : native_losses())
            if (loss.name == "squares") function.native = loss.loss;
        function.costs = [loss = function.native](const double* sums, std::size_t n, double* costs) {
            for (std::size_t k = 0; k < n; ++k) {
                const double own[3] = {sums[k], sums[n + k], sums[2 * n + k]};
                costs[k] = native_leaf_cost(loss, own, 3, 0);
            }
        };
        problem.function = &function;
    }

    double rounding(const Problem& problem) const override {  // differences of squares lose digits
        double rounding = 0;
        for (std::size_t row = 0; row < problem.n_rows; ++row)
            rounding += 1e-12 * problem.numbers[3 * row + 2];
        return rounding;
    }

    Cost leaf_cost(const Node& node) const override {
        const double sum = static_cast<double>(node.totals()[1]);
        return square_ticks(static_cast<double>(node.totals()[2]),
                            sum * sum / std::max(static_cast<double>(node.totals()[0]), 1.0) * node.factor());
    }
    Prediction predict(const Node& node) const override {
        return {0,
                static_cast<double>(node.totals()[1]) / std::max(static_cast<double>(node.totals()[0]), 1.0)};
    }
    Width width(const Node&, const Kernels&, bool) const override { return Width::f64; }

    // One pass per column, with the formula of the kernel (kernels/squares.hpp).
    Stump best_stump(const Node& node, int least_rows) const override {
        Stump best;
        const double all = static_cast<double>(node.totals()[0]), sum = static_cast<double>(node.totals()[1]),
                     square = static_cast<double>(node.totals()[2]);
        double most = -1, any = -1;
        for (int j = 0; j < node.n_columns(); ++j) {
            if (node.constant(j)) continue;
            double a = 0, c = 0;
            for (int position = 1; position < node.size(); ++position) {
                const double* row = node.costs() + 3 * static_cast<std::size_t>(node.row_at(j, position - 1));
                a += row[0];
                c += row[1];
                if (!node.ends_at(j, position)) continue;
                const double b = all - a, d = sum - c;
                const double two = (c * c * b + d * d * a) / std::max(a * b, 0x1p-200);
                any = std::max(any, two);
                if (two <= most || std::min(position, node.size() - position) < least_rows) continue;
                most = two;
                best.column = j;
                best.position = position;
            }
        }
        if (any >= 0) best.relaxed = square_ticks(square, any * node.factor());
        if (most >= 0) best.value = square_ticks(square, most * node.factor());
        return best;
    }

    // Less the square of the target.
    void row_costs(const Node& node, const Prediction* const* predictions, double* costs) const override {
        for (std::size_t row = 0; row < static_cast<std::size_t>(node.size()); ++row) {
            const double *of = node.costs() + 3 * row, mean = predictions[row]->number;
            costs[row] = mean * (mean * of[0] - 2 * of[1]);
        }
    }

    bool greedy_targets(const Node& node, GreedyTargets& out) const override {
        for (std::size_t row = 0; row < static_cast<std::size_t>(node.size()); ++row) {
            const double* of = node.costs() + 3 * row;
            out.weights.push_back(std::max(of[0], 1.0));
            out.targets.push_back(of[1] / out.weights[row]);
        }
        out.first = out.second = greedy::Criterion::squares;
        return true;
    }

    void walk(const Kernels& kernels, const NodeView& view, Width, const void* words, void*,
              Sides& out) const override {
        kernels.squares(view, words, out);
    }
    Cost side_cost(Cost, Cost given) const override { return given; }
};

const Squares kSquares;

}  // namespace

const RowModel& squares_model() { return kSquares; }

}  // namespace streed::thresholds
