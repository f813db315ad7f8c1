// Thresholds of the root that another process evaluates, as plain numbers.
//
// A batch is a header and a record of kTaskNumbers for each threshold, so that its sender may cut it into
// parts; the answers of the parts, one after the other, are the answer of the batch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "thresholds/search/search.hpp"

namespace streed::thresholds {

constexpr std::size_t kHeaderNumbers = 4, kTaskNumbers = 12;

using Numbers = std::vector<std::int64_t>;

Numbers write_batch(const Grid& grid, const std::vector<RootTask>& tasks);
std::vector<RootTask> read_batch(const Numbers& batch, Grid& grid);

// The outcomes of both sides of a threshold, and the work that they took.
struct RootAnswer {
    std::array<Outcome, 2> sides;
    double work = 0;
};

void write_answer(const RootAnswer& answer, Numbers& out);
// Throws std::invalid_argument where the numbers are not so many answers.
std::vector<RootAnswer> read_answers(const Numbers& numbers, std::size_t n);

// The search of a process that evaluates thresholds for another one. What it has cached stays.
class RootEvaluator {
public:
    RootEvaluator(const Problem& problem, const Options& options);

    // False if a limit or the caller has ended it.
    bool evaluate(const Numbers& batch, Numbers& answers);

private:
    run::Clock::time_point started_ = run::Clock::now();
    Table table_;
    Search search_;
    Worker worker_;
};

}  // namespace streed::thresholds
