// Problems and results of the search over thresholds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "model/options.hpp"
#include "model/result.hpp"

namespace streed::thresholds {

class RowModel;

// Columns as ranks: equal values have equal ranks, larger values larger ones, -1 is a missing value. A
// Boolean is a column with two ranks. Rows are those of a row model (models/): a label and a weight each, or
// numbers.
struct Problem {
    const std::int32_t* ranks = nullptr;  // [column][row]
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    int n_labels = 1;
    const RowModel* model = nullptr;
    const std::int32_t* labels = nullptr;
    const double* weights = nullptr;
    const double* numbers = nullptr;  // n_rows x n_numbers; without labels and weights
    std::size_t n_numbers = 0;
};

// A test of the tree: rows of the column whose rank is at most `rank` go right, and so do missing values if
// `missing_right`. `next` is the least rank above it among the rows of the node, so that any number between
// the two values separates the same rows. The test for missing values has the rank -1.
struct Split {
    std::int32_t column = 0;
    std::int32_t rank = 0;
    std::int32_t next = 0;
    bool missing_right = false;
};

// Features of the tree's nodes are numbers of splits. `work` counts the rows times columns that were walked
// over.
struct Result : streed::Result {
    std::vector<Split> splits;
    double work = 0;
    bool work_limit = false;  // the search has ended at its limit of work
};

// Evaluates a batch of root thresholds elsewhere (search/remote.hpp has the numbers). False: not yet, and the
// caller asks again, with the same batch, after a look at the clock. No answers: the caller is to do it.
using Helper =
    std::function<bool(const std::vector<std::int64_t>& batch, std::vector<std::int64_t>& answers)>;

struct Effort {
    double work_limit = std::numeric_limits<double>::infinity();  // in rows times columns walked over
    // Work of a first exact attempt, after which a good tree and a bound come first, and the exact search
    // only where it is foreseen to end (anytime/anytime.hpp); 0: the exact search alone.
    double first_attempt = 0;

    Helper helper = {};  // for searches that end with a proof, and have no limit of work

    bool anytime() const { return first_attempt > 0; }
};

// Finds a tree of least cost over all thresholds, or the best one until a limit ends the search. A limit of
// work ends a search of one thread at the same point on every machine. Throws std::invalid_argument for
// options that this machine cannot serve, std::bad_alloc when memory runs out.
Result solve(const Problem& problem, const Options& options, const Effort& effort);

}  // namespace streed::thresholds
