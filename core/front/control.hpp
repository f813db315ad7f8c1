// Clock, interrupts and work limits, shared by all searches of one call.
#pragma once

#include <chrono>
#include <limits>

#include "../search/search.hpp"

namespace streed {

// Thrown when a part of the search has used up the work it was given; the caller tries something else.
struct OutOfWork {};

class Control {
public:
    explicit Control(const Options& the_options) : options(the_options) {}

    double elapsed() const { return std::chrono::duration<double>(Search::Clock::now() - started).count(); }

    // About ten times a second, whoever asks. True ends the search.
    bool poll(Progress progress) {
        const double now = elapsed();
        if (!options.poll || now < next_poll_) return interrupted_;
        next_poll_ = now + 0.1;
        progress.elapsed = now;
        progress.objective = objective;
        progress.lower_bound = lower_bound;
        interrupted_ = interrupted_ || options.poll(progress);
        return interrupted_;
    }

    // Counts work of about a nanosecond each; looks at the clock now and then.
    void work(double amount) {
        done_ += amount;
        since_ += amount;
        if (done_ > cap_) throw OutOfWork{};
        if (since_ > 1e6) checkpoint();
    }

    void checkpoint() {
        since_ = 0;
        const double now = elapsed();
        if (now > options.time_limit) {
            status = Status::time_limit;
            throw Stopped{};
        }
        if (now > time_cap_) throw OutOfWork{};
        if (poll({})) {
            status = Status::interrupted;
            throw Stopped{};
        }
    }

    double work_done() const { return done_; }
    void cap_work(double amount) { cap_ = done_ + amount; }
    void cap_time(double until) { time_cap_ = until; }
    void lift_cap() { cap_ = time_cap_ = std::numeric_limits<double>::infinity(); }

    const Options& options;
    const Search::Clock::time_point started = Search::Clock::now();
    Status status = Status::optimal;
    double objective = std::numeric_limits<double>::infinity();
    double lower_bound = -std::numeric_limits<double>::infinity();

private:
    double done_ = 0, since_ = 0, next_poll_ = 0;
    double cap_ = std::numeric_limits<double>::infinity();
    double time_cap_ = std::numeric_limits<double>::infinity();
    bool interrupted_ = false;
};

}  // namespace streed
