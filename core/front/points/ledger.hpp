// Memory of the searches of one call: lists of points and their trees, and what scalar searches hold.
//
// Caches of scalar searches make room by themselves. Points cannot: when they would pass the limit by more
// than a tenth, the search ends as it does when its time is up; a capped attempt ends with OutOfWork.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "search/search.hpp"

namespace streed {

// Thrown when a part of the search has used up the work or the memory it was given; the caller tries
// something else.
struct OutOfWork {};

class Ledger {
public:
    // Points may take this much whatever the limit, so that every search can return some.
    static constexpr std::size_t kLeast = std::size_t{1} << 20;

    Ledger(std::size_t limit, Status& status) : limit_(limit), status_(status) {}

    void take(std::size_t bytes) {
        points_ += bytes;
        const std::size_t now = used();
        if (limit_ != 0 && points_ > kLeast && now > limit_ + limit_ / 10 && !lenient) {
            points_ -= bytes;
            if (attempt) throw OutOfWork{};
            status_ = Status::memory_limit;
            throw Stopped{};
        }
        peak_ = std::max(peak_, now);
    }
    // Whether an optional allocation stays below half the limit.
    bool fits_optional(std::size_t bytes) const { return limit_ == 0 || used() + bytes <= limit_ / 2; }
    void give(std::size_t bytes) { points_ -= bytes; }
    void keep(std::size_t bytes) { kept_ += bytes; }  // for good: the rows

    bool attempt = false;  // there is another way if this one takes too much
    bool lenient = false;  // the search is over: its points are put together

    // Scalar searches that are alive; each may fill a part of the memory with its caches.
    void enter(const run::Memory& budget) { scalars_.push_back(&budget); }
    void leave(const run::Memory& budget) {
        peak_ = std::max(peak_, used() - budget.used() + budget.peak());
        std::erase(scalars_, &budget);
    }
    std::size_t share() const { return limit_ == 0 ? 0 : std::max<std::size_t>(1, limit_ / 5 * 2); }

    std::size_t used() const {
        std::size_t sum = kept_ + points_;
        for (const run::Memory* budget : scalars_) sum += budget->used();
        return sum;
    }
    std::size_t peak() const { return peak_; }

private:
    std::size_t limit_, kept_ = 0, points_ = 0, peak_ = 0;
    Status& status_;
    std::vector<const run::Memory*> scalars_;
};

// Counts what a container holds.
template <class T>
class Counted {
public:
    using value_type = T;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    explicit Counted(Ledger& ledger) : ledger_(&ledger) {}
    template <class U>
    Counted(const Counted<U>& other) : ledger_(other.ledger()) {}

    T* allocate(std::size_t n) {
        ledger_->take(n * sizeof(T));
        try {
            return std::allocator<T>().allocate(n);
        } catch (...) {
            ledger_->give(n * sizeof(T));
            throw;
        }
    }
    void deallocate(T* at, std::size_t n) {
        ledger_->give(n * sizeof(T));
        std::allocator<T>().deallocate(at, n);
    }
    Ledger* ledger() const { return ledger_; }
    friend bool operator==(const Counted& a, const Counted& b) { return a.ledger_ == b.ledger_; }

private:
    Ledger* ledger_;
};

template <class T>
using CountedVector = std::vector<T, Counted<T>>;

}  // namespace streed
