// What all workers of a search over thresholds share: incumbent, bound, limits and progress.
#include "thresholds/search/search.hpp"

#include <algorithm>

#include "thresholds/search/parts.hpp"

namespace streed::thresholds {
namespace {

// A search that has taken half its time spends a tenth of it on a bound of its own, since that of the root
// rises late. A search that ends before pays nothing for it.
constexpr double kBoundFrom = 0.5, kBoundShare = 0.1;

}  // namespace

Search::Search(const Problem& the_problem, Table& the_table, const Options& the_options, double work_limit,
               const Kernels& the_kernels, Clock::time_point started)
    : problem(the_problem),
      table(the_table),
      options(the_options),
      kernels(the_kernels),
      branch_cost(the_table.branch_cost),
      least_rows(the_options.min_samples_leaf),
      cache(the_options.memory_limit / 3),
      depth(std::min(the_options.max_depth, the_options.max_nodes)),
      nodes(std::min(the_options.max_nodes, full_tree(depth))),
      started_(started),
      work_limit_(work_limit) {
    // cppcheck-suppress useInitializationList  ; one number for two members
    used_ = peak_ = the_table.bytes;
}

double Search::elapsed() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

void Search::stop(Status reason) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!stopped()) status = reason;
    stopped_ = true;
}

void Search::checkpoint(bool calling_thread) {
    if (stopped()) throw Stopped{};
    const double now = elapsed();
    if (now > options.time_limit) {
        stop(Status::time_limit);
    } else if (calling_thread && options.poll && now >= next_poll_) {
        next_poll_ = now + 0.1;
        if (options.poll(progress())) stop(Status::interrupted);
    }
    if (stopped()) throw Stopped{};
    if (calling_thread && !bound_tried_ && now > kBoundFrom * options.time_limit) {
        bound_tried_ = true;
        raise_bound_by_parts(*this, kBoundShare * options.time_limit);
    }
}

void Search::take_work(double cells) {
    const double now = work_.fetch_add(cells, std::memory_order_relaxed) + cells;
    if (now <= work_limit_) return;
    stop(Status::time_limit);
    throw Stopped{};
}

void Search::take_memory(std::ptrdiff_t bytes) {
    const std::size_t now = used_.fetch_add(static_cast<std::size_t>(bytes), std::memory_order_relaxed) +
                            static_cast<std::size_t>(bytes);
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    if (bytes <= 0 || options.memory_limit == 0 || now <= options.memory_limit || stopped() || building)
        return;
    stop(Status::memory_limit);
    throw Stopped{};
}

void Search::offer(Cost value, const std::shared_ptr<const Plan>& tree) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (value >= incumbent) return;
    incumbent = value;
    plan = tree;
}

void Search::set_optimum(Cost value, const std::shared_ptr<const Plan>& tree) {
    const std::lock_guard<std::mutex> lock(mutex);
    incumbent = value;
    plan = tree;
}

void Search::raise_bound(Cost bound) {
    Cost known = lower_bound.load();
    while (bound > known && !lower_bound.compare_exchange_weak(known, bound)) {
    }
}

Progress Search::progress() const {
    auto& self = const_cast<Search&>(*this);
    const std::lock_guard<std::mutex> lock(self.mutex);
    const Cost best = std::min(incumbent, table.root.leaf_cost() * table.ticks),
               bound = std::min(lower_bound.load(), best);
    return {elapsed(), table.in_weights(best), table.in_weights(bound), root_done.load(),
            static_cast<double>(used_.load())};
}

}  // namespace streed::thresholds
