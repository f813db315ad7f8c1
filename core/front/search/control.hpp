// Clock, interrupts, work limits and memory, shared by all searches of one call.
#pragma once

#include <chrono>
#include <limits>

#include "front/points/ledger.hpp"
#include "search/search.hpp"

namespace streed {

class Control {
public:
    explicit Control(const Options& the_options)
        : options(the_options), ledger(the_options.memory_limit, status) {}
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    double elapsed() const { return std::chrono::duration<double>(run::Clock::now() - started).count(); }

    // Calls `poll` of the options at most every 0.1 s. True ends the search.
    bool poll(Progress progress) {
        const double now = elapsed();
        if (!options.poll || now < next_poll_) return interrupted_;
        next_poll_ = now + 0.1;
        progress.elapsed = now;
        progress.objective = objective;
        progress.lower_bound = lower_bound;
        progress.memory = static_cast<double>(ledger.used());
        interrupted_ = interrupted_ || options.poll(progress);
        return interrupted_;
    }

    // Counts work of about a nanosecond each; checks the clock now and then.
    void work(double amount) {
        done_ += amount;
        since_ += amount;
        if (done_ > cap_) throw OutOfWork{};
        if (since_ > 1e6) checkpoint();
    }

    void checkpoint() {
        since_ = 0;
        if (status != Status::optimal) throw Stopped{};
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

    // Whether nothing may be tried any more.
    bool over() const { return status != Status::optimal || interrupted_ || elapsed() > options.time_limit; }
    // Gives a part of the time that is left to what comes next.
    void spend(double share) {
        const double now = elapsed();
        deadline = share < 1 ? now + share * (options.time_limit - now) : options.time_limit;
    }

    double work_done() const { return done_; }
    // An attempt: it ends with OutOfWork when it takes more work, time or memory than this.
    void cap_work(double amount) {
        cap_ = done_ + amount;
        ledger.attempt = true;
    }
    void cap_time(double until) {
        time_cap_ = until;
        ledger.attempt = true;
    }
    void lift_cap() {
        cap_ = time_cap_ = std::numeric_limits<double>::infinity();
        ledger.attempt = false;
    }

    const Options& options;
    const run::Clock::time_point started = run::Clock::now();
    double deadline = options.time_limit;  // of scalar searches
    Status status = Status::optimal;
    double objective = std::numeric_limits<double>::infinity();
    double lower_bound = -std::numeric_limits<double>::infinity();
    Ledger ledger;

private:
    double done_ = 0, since_ = 0, next_poll_ = 0;
    double cap_ = std::numeric_limits<double>::infinity();
    double time_cap_ = std::numeric_limits<double>::infinity();
    bool interrupted_ = false;
};

}  // namespace streed
