// The best multipliers as far as the points known so far tell.
#pragma once

#include <vector>

namespace streed {

// Maximises over lambda the least of (points[p][objective] + lambda . points[p]) minus the largest lambda . v
// within [low, high]: the master problem of the Lagrangian dual. `scale` limits |lambda[j]| (inf: no limit).
// Components with no limit on a side keep a multiplier of the sign that has one. `start` is a good guess.
// Returns the multipliers, with lambda[objective] = 1 (or 0 where objective is -1), and the value in `best`.
std::vector<double> best_multipliers(const std::vector<std::vector<double>>& points, int objective,
                                     const std::vector<double>& low, const std::vector<double>& high,
                                     const std::vector<double>& scale, const std::vector<double>& start,
                                     double& best);

}  // namespace streed
