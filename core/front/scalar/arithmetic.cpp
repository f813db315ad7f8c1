// Limits that only extreme labellings meet: both groups' counts are combined in whole numbers.
#include "front/scalar/arithmetic.hpp"

#include <algorithm>
#include <cmath>

namespace streed {

std::vector<std::uint32_t> all_or_none(const VectorProblem& problem, int component, double lower,
                                       double upper) {
    const std::size_t m = static_cast<std::size_t>(problem.n_values);
    if (problem.n_labels != 2 || problem.branch_cost[component] != 0) return {};
    std::vector<std::uint32_t> rows;
    double plus = 0, minus = 0, n_plus = 0, n_minus = 0, origin = 0;
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        const double zero = problem.costs[2 * r * m + static_cast<std::size_t>(component)];
        const double one = problem.costs[(2 * r + 1) * m + static_cast<std::size_t>(component)];
        if (zero != std::floor(zero) || one != std::floor(one) || std::abs(zero) + std::abs(one) > 0x1p40)
            return {};
        origin += zero;
        const double change = one - zero;
        if (change == 0) continue;
        double& value = change > 0 ? plus : minus;
        if (value == 0) value = change;
        if (value != change) return {};
        (change > 0 ? n_plus : n_minus) += 1;
        rows.push_back(static_cast<std::uint32_t>(r));
    }
    if (n_plus == 0 || n_minus == 0 || std::max(n_plus * plus, -n_minus * minus) + std::abs(origin) > 0x1p50)
        return {};
    // For every number of rows of the first group: how many of the second one would bring the sum within the
    // limits?
    for (double a = 0; a <= n_plus; ++a) {
        const double sum = origin + a * plus;
        const double least = std::max(0.0, std::ceil((sum - upper) / -minus));
        const double most = std::min(n_minus, std::floor((sum - lower) / -minus));
        for (double b = least; b <= most; ++b)
            if (!(a == 0 && b == 0) && !(a == n_plus && b == n_minus)) return {};
    }
    return rows;
}

}  // namespace streed
