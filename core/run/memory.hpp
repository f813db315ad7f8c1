// Bytes of the structures of one search, counted by all its threads and held below a limit.
#pragma once

#include <atomic>
#include <cstddef>

namespace streed::run {

class Memory {
public:
    explicit Memory(std::size_t limit) : limit_(limit) {}  // 0: none
    bool exceeded() const { return limit_ != 0 && used() > limit_; }
    // For structures that a search can do without: buffers are counted once they have grown, and a sixteenth
    // of the memory is left to that.
    bool fits(std::size_t bytes) const { return limit_ == 0 || used() + bytes <= limit_ - limit_ / 16; }
    // Notes that something had to be forgotten.
    void overflow() { overflowed_.store(true, std::memory_order_relaxed); }
    bool overflowed() const { return overflowed_.load(std::memory_order_relaxed); }
    void take(std::size_t bytes) { raise_peak(used_.fetch_add(bytes, std::memory_order_relaxed) + bytes); }
    void give(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
    // Of structures that are measured as a whole, now and then.
    void measure(std::size_t bytes) {
        used_.store(bytes, std::memory_order_relaxed);
        raise_peak(bytes);
    }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }
    std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }

private:
    void raise_peak(std::size_t now) {
        std::size_t peak = peak_.load(std::memory_order_relaxed);
        while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
        }
    }

    std::size_t limit_;
    std::atomic<std::size_t> used_{0}, peak_{0};
    std::atomic<bool> overflowed_{false};
};

}  // namespace streed::run
