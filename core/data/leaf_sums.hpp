// Class errors and label costs as a function of statistics, for trees whose leaves are not added up.
#pragma once

#include <vector>

#include "problem.hpp"

namespace streed {

// The statistics of a row are its costs under the labels, or its weight at the place of its own label; in the first case
// their sums are the costs of a leaf, in the second what the other labels have. Both need no call from outside.
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
