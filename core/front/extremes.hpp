// Constraints of a constrained search that arithmetic settles.
#pragma once

#include <functional>
#include <vector>

#include "front/task.hpp"

namespace streed {

// Solves a problem with fewer constraints.
using SolveWithin =
    std::function<ConstrainedResult(const VectorProblem&, const std::vector<double>& lower,
                                    const std::vector<double>& upper, const ConstrainedStart&)>;

// Where one of the constraints only holds if some rows get one label or all get the other (all_or_none): the
// better one of two problems without it. False where that does not apply or nothing was found; `known` is
// then a bound on the objective.
bool solve_extremes(const VectorProblem& problem, const std::vector<double>& lower,
                    const std::vector<double>& upper, const ConstrainedStart& start, const SolveWithin& solve,
                    ConstrainedResult& result, double& known);

}  // namespace streed
