// Limits that only all-or-none labellings of some rows can meet: a search per label, without the limit, in
// which the wrong label costs these rows more than everything else together.
#include "front/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "front/scalar/arithmetic.hpp"
#include "front/trees.hpp"

namespace streed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A problem without one of its constraints, in which some rows pay for one of the two labels.
struct ForcedLabel {
    std::vector<double> costs, branch_cost, lower, upper;
    VectorProblem problem;

    ForcedLabel(const VectorProblem& whole, std::size_t constraint, const std::vector<double>& low,
                const std::vector<double>& high, const std::vector<std::uint32_t>& rows, int label,
                double price)
        : lower(low), upper(high), problem(whole) {
        const std::size_t m = static_cast<std::size_t>(whole.n_values), out = constraint + 1;
        for (std::size_t c = 0; c < 2 * whole.n_rows; ++c)
            for (std::size_t j = 0; j < m; ++j)
                if (j != out) costs.push_back(whole.costs[c * m + j]);
        for (const std::uint32_t r : rows)
            costs[(2 * r + static_cast<std::size_t>(1 - label)) * (m - 1)] += price;
        for (std::size_t j = 0; j < m; ++j)
            if (j != out) branch_cost.push_back(whole.branch_cost[j]);
        lower.erase(lower.begin() + static_cast<std::ptrdiff_t>(constraint));
        upper.erase(upper.begin() + static_cast<std::ptrdiff_t>(constraint));
        problem.costs = costs.data();
        problem.branch_cost = branch_cost.data();
        --problem.n_values;
    }
};

}  // namespace

bool solve_extremes(const VectorProblem& problem, const std::vector<double>& lower,
                    const std::vector<double>& upper, const ConstrainedStart& start, const SolveWithin& solve,
                    ConstrainedResult& result, double& known) {
    std::vector<std::uint32_t> rows;
    std::size_t constraint = 0;
    for (std::size_t j = 0; j < lower.size() && rows.empty() && problem.prices == nullptr; ++j) {
        if (!std::isfinite(lower[j]) || !std::isfinite(upper[j])) continue;
        rows = all_or_none(problem, static_cast<int>(j) + 1, lower[j], upper[j]);
        constraint = j;
    }
    if (rows.empty()) return false;
    const std::size_t m = static_cast<std::size_t>(problem.n_values);
    double total = problem.branch_cost[0] * static_cast<double>(problem.n_rows);
    for (std::size_t c = 0; c < 2 * problem.n_rows; ++c) {
        const double cost = problem.costs[m * c];
        if (cost != std::floor(cost)) return false;
        total += std::abs(cost);
    }
    const double price = 2 * total + 1;
    if (price * static_cast<double>(rows.size()) > 0x1p47) return false;
    ConstrainedResult best;
    bool ended = true;
    double least = kInfinity;
    for (int label = 0; label < 2; ++label) {
        const ForcedLabel part(problem, constraint, lower, upper, rows, label, price);
        const ConstrainedResult found = solve(part.problem, part.lower, part.upper,
                                              {kInfinity, start.trees, {}});
        least = std::min(least, found.lower_bound);
        ended = ended && found.status == Status::optimal;
        for (const auto& [name, value] : found.statistics) best.statistics[name] += value;
        best.known.insert(best.known.end(), found.known.begin(), found.known.end());
        if (found.status != Status::optimal || found.tree.empty()) continue;
        const std::vector<double> values = tree_values(problem, found.tree);
        bool within = best.tree.empty() || values[0] < best.values[0];
        for (std::size_t j = 0; j < lower.size(); ++j)
            within = within && values[j + 1] >= lower[j] && values[j + 1] <= upper[j];
        if (!within) continue;
        best.tree = found.tree;
        best.values = values;
    }
    known = least;
    if (!ended || best.tree.empty())
        return false;  // the general way knows what to do with the little time left
    best.feasible = best.optimal = true;
    best.lower_bound = best.values[0];
    best.multipliers.assign(lower.size(), 0);
    result = std::move(best);
    return true;
}

}  // namespace streed
