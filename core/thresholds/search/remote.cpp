// Numbers of a batch of root thresholds, and of its answers.
#include "thresholds/search/remote.hpp"

#include <bit>
#include <memory>
#include <stdexcept>
#include <string>

namespace streed::thresholds {
namespace {

constexpr std::int64_t kNoPlan = -1;

void write_plan(const Plan* plan, Numbers& out) {
    if (plan == nullptr) return out.push_back(kNoPlan);
    out.insert(out.end(),
               {plan->column, plan->low, plan->high, plan->open ? 1 : 0, plan->nodes[0], plan->nodes[1]});
    for (const auto& side : plan->side) write_plan(side.get(), out);
}

class Reader {
public:
    explicit Reader(const Numbers& numbers) : numbers_(numbers) {}

    std::int64_t next() {
        if (at_ >= numbers_.size()) throw std::invalid_argument("an answer ends early");
        return numbers_[at_++];
    }
    int next_int() { return static_cast<int>(next()); }
    bool ended() const { return at_ == numbers_.size(); }

    std::shared_ptr<const Plan> plan(int depth = 0) {
        const std::int64_t column = next();
        if (column == kNoPlan) return nullptr;
        if (column < 0 || depth > 32) throw std::invalid_argument("an answer has no plan of a tree");
        auto plan = std::make_shared<Plan>();
        plan->column = static_cast<std::int32_t>(column);
        plan->low = next_int();
        plan->high = next_int();
        plan->open = next() != 0;
        for (int& nodes : plan->nodes) nodes = next_int();
        for (auto& side : plan->side) side = this->plan(depth + 1);
        return plan;
    }

private:
    const Numbers& numbers_;
    std::size_t at_ = 0;
};

}  // namespace

Numbers write_batch(const Grid& grid, const std::vector<RootTask>& tasks) {
    Numbers out{grid.root, grid.middle, grid.pairs, grid.for_trees ? 1 : 0};
    for (const RootTask& task : tasks) {
        const Interval& i = task.interval;
        out.insert(out.end(), {i.column, i.low, i.high, i.share, i.lower_low, i.upper_low, i.lower_high,
                               i.upper_high, i.bound, task.position, task.room, task.for_tree ? 1 : 0});
    }
    return out;
}

std::vector<RootTask> read_batch(const Numbers& batch, Grid& grid) {
    if (batch.size() < kHeaderNumbers || (batch.size() - kHeaderNumbers) % kTaskNumbers != 0)
        throw std::invalid_argument("a batch has a header of 4 numbers and 12 for each threshold, got " +
                                    std::to_string(batch.size()) + " numbers");
    Reader reader(batch);
    grid.root = reader.next_int();
    grid.middle = reader.next_int();
    grid.pairs = reader.next_int();
    grid.for_trees = reader.next() != 0;
    std::vector<RootTask> tasks;
    while (!reader.ended()) {
        RootTask task;
        Interval& i = task.interval;
        for (std::int32_t* each : {&i.column, &i.low, &i.high, &i.share}) *each = reader.next_int();
        for (Cost* each : {&i.lower_low, &i.upper_low, &i.lower_high, &i.upper_high, &i.bound})
            *each = reader.next();
        task.position = reader.next_int();
        task.room = reader.next();
        task.for_tree = reader.next() != 0;
        tasks.push_back(task);
    }
    return tasks;
}

void write_answer(const RootAnswer& answer, Numbers& out) {
    out.push_back(std::bit_cast<std::int64_t>(answer.work));
    for (const Outcome& side : answer.sides) {
        out.insert(out.end(), {side.value, side.relaxed, side.exact ? 1 : 0});
        write_plan(side.plan.get(), out);
    }
}

std::vector<RootAnswer> read_answers(const Numbers& numbers, std::size_t n) {
    Reader reader(numbers);
    std::vector<RootAnswer> answers(n);
    for (RootAnswer& answer : answers) {
        answer.work = std::bit_cast<double>(reader.next());
        if (!(answer.work >= 0)) throw std::invalid_argument("an answer has no work");
        for (Outcome& side : answer.sides) {
            side.value = reader.next();
            side.relaxed = reader.next();
            side.exact = reader.next() != 0;
            side.plan = reader.plan();
        }
    }
    if (!reader.ended()) throw std::invalid_argument("there are more answers than questions");
    return answers;
}

RootEvaluator::RootEvaluator(const Problem& problem, const Options& options)
    : table_(make_table(problem, options)),
      search_(problem, table_, options, {}, select_kernels(options.simd), started_),
      worker_(search_, true) {
    search_.use_cache = options.switches.cache && search_.depth >= 4;
}

bool RootEvaluator::evaluate(const Numbers& batch, Numbers& answers) {
    search_.restart();
    const std::vector<RootTask> tasks = read_batch(batch, search_.grid);
    for (const RootTask& task : tasks)
        if (task.interval.column < 0 || task.interval.column >= table_.root.n_columns() ||
            task.position <= 0 || task.position >= table_.root.size())
            throw std::invalid_argument("a threshold is not one of this table");
    try {
        worker_.evaluate_root(tasks, [&](const RootAnswer& answer) { write_answer(answer, answers); });
    } catch (const Stopped&) {
        return false;
    }
    return true;
}

}  // namespace streed::thresholds
