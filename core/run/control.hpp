// Clock, progress callback, limits of work and memory of one search, and why it was ended; shared by its
// threads. Every search looks here now and then, between pieces of work that take about a millisecond.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>

#include "model/options.hpp"
#include "model/result.hpp"
#include "run/memory.hpp"

namespace streed::run {

using Clock = std::chrono::steady_clock;

// Thrown inside a search when a limit is reached or the user interrupts; caught where the root is searched.
struct Stopped {};

class Control {
public:
    explicit Control(const Options& the_options, Clock::time_point started = Clock::now(),
                     double work_limit = std::numeric_limits<double>::infinity())
        : options(the_options),
          memory(the_options.memory_limit),
          started_(started),
          work_limit_(work_limit) {}
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    double elapsed() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

    // For a search that has more to do after its end: the clock begins anew.
    void restart() {
        started_ = Clock::now();
        next_poll_ = 0;
        status_ = Status::optimal;
    }

    // Ends the search, for all threads; the first reason stays.
    void stop(Status reason) const {
        Status running = Status::optimal;
        status_.compare_exchange_strong(running, reason);
    }
    bool stopped() const { return status() != Status::optimal; }
    Status status() const { return status_.load(std::memory_order_relaxed); }  // optimal: it was not stopped

    // Looks at the clock, and on the calling thread calls `poll` at most every 0.1 s. True if the search is
    // to end.
    bool look(bool calling_thread);
    void checkpoint(bool calling_thread) {
        if (look(calling_thread)) throw Stopped{};
    }

    // Counts work; at the limit the search ends as at that of time.
    void take_work(double amount) {
        if (work_.fetch_add(amount, std::memory_order_relaxed) + amount <= work_limit_) return;
        stop(Status::time_limit);
        throw Stopped{};
    }
    double work() const { return work_.load(std::memory_order_relaxed); }
    bool out_of_work() const { return work() > work_limit_; }

    const Options& options;
    Memory memory;
    // What the search has found and proven, for `poll`; time and memory are filled in here.
    std::function<Progress()> progress;

private:
    Clock::time_point started_;
    const double work_limit_;
    std::atomic<double> work_{0};
    mutable std::atomic<Status> status_{Status::optimal};
    double next_poll_ = 0;  // of the calling thread
};

}  // namespace streed::run
