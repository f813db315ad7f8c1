// Counts of all pairs of features in one node, by the kernels of the scalar engine.
//
// Where vectors are summed by counting (rows.hpp), a front search without a guide looks at every pair of
// features; the engine's pair tables count them an order of magnitude faster than pair by pair.
#pragma once

#include <vector>

#include "front/data/part.hpp"
#include "front/search/control.hpp"
#include "search/worker.hpp"

namespace streed {

class PairCounts {
public:
    PairCounts(const Rows& rows, Control& control, const Kernels& kernels);

    // Whether the table of that many features fits the memory that it may take.
    static bool fits(const Rows& rows, std::size_t features) {
        return rows.counting && features >= 4 && features <= 1024;
    }
    // Counts all pairs of the packed features of a node.
    void load(const Part& part);
    // Sums of the rows with feature `at` and each other feature, [feature][channel].
    void cells(const Part& part, std::size_t at, std::vector<double>& out) const;
    // Counts of the first two channels only, as columns.
    void columns(const Part& part, std::size_t at, std::int32_t* first, std::int32_t* second) const;

private:
    template <class Body>
    void rows_of(std::size_t at, Body&& body) const;

    const Rows& rows_;
    const Kernels& kernels_;
    Options options_;
    Problem problem_;
    ReducedProblem reduced_;
    Level level_;
    Search search_;
    Worker worker_;
};

}  // namespace streed
