// One problem that is asked about its parts: the value of a subproblem, or bounds of root splits
// (shared_root.hpp). The reduction, the caches and the bounds stay from question to question, so that a
// search can be led from outside.
#pragma once

#include <functional>
#include <vector>

#include "search/shared_root.hpp"

namespace streed {

// Rows that have a feature of the problem, or lack it.
struct Test {
    int feature = 0;
    bool with = true;
};

// `value` is that of the best tree if `exact`, else no tree costs less.
struct Answer {
    double value = 0;
    bool exact = false;
    Status status = Status::optimal;  // why it is not known whether a tree below the limit exists
};

// A subproblem that a question has closed, as `Answer` says it; `reason` as in search.hpp.
struct ClosedPart {
    std::vector<Test> path;
    int depth = 0, nodes = 0;
    double bound = 0;
    bool exact = false;
    Reason reason = Reason::leaf;
};
using Listener = std::function<void(const ClosedPart&)>;

// Leaves cost sums over their rows, tests have no prices. Limits of depth and nodes come with each question,
// that of time holds for each of them. `options` must keep all features: a question may name any of them.
class Subproblems : public SharedRoot {
public:
    using SharedRoot::SharedRoot;

    // Trees that cost less than `limit`, for the rows that pass all tests.
    Answer solve(const std::vector<Test>& path, int depth, int nodes, double limit);

    // From now on `listener` is told of every subproblem that a question closes, by any thread; empty: no
    // one is.
    void listen(Listener listener);

private:
    bool descend(Worker& worker, const Test& test, std::vector<std::uint64_t>& rows, int& level);
    double base_of(const std::vector<Test>& path, double leaf) const;
};

}  // namespace streed
