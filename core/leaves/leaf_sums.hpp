// Class errors and label costs as a function of statistics, for trees whose leaves are not added up.
#pragma once

#include <vector>

#include "data/problem.hpp"

namespace streed {

// The statistics of a row are what it adds to the sums of a leaf by its own leaf model (leaf_models.hpp), and
// the function makes costs of them: no call from outside is needed.
class LeafSums {
public:
    explicit LeafSums(const Problem& problem);
    LeafSums(const LeafSums&) = delete;
    LeafSums& operator=(const LeafSums&) = delete;

    // The problem with this function; it holds as long as this object does.
    const Problem& problem() const { return problem_; }

private:
    std::vector<double> statistics_, least_, worst_;
    LeafFunction function_;
    Problem problem_;
};

}  // namespace streed
