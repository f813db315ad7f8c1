// The best solution that is known so far, offered by any thread.
#pragma once

#include <mutex>
#include <utility>

namespace streed::run {

template <class Value, class Solution>
class Incumbent {
public:
    explicit Incumbent(Value value) : value_(value) {}  // of no solution

    // Of equally good ones the first stays.
    void offer(Value value, Solution solution) {
        const std::lock_guard lock(mutex_);
        if (value >= value_) return;
        value_ = value;
        solution_ = std::move(solution);
    }
    // Whatever was offered before.
    void set(Value value, Solution solution) {
        const std::lock_guard lock(mutex_);
        value_ = value;
        solution_ = std::move(solution);
    }
    Value value() const {
        const std::lock_guard lock(mutex_);
        return value_;
    }
    Solution solution() const {
        const std::lock_guard lock(mutex_);
        return solution_;
    }

private:
    mutable std::mutex mutex_;
    Value value_;
    Solution solution_{};
};

}  // namespace streed::run
