// Threads of a search: pieces are taken one by one under a lock, and threads sleep between batches.
#include "run/team.hpp"

#include <chrono>
#include <system_error>

#include "run/control.hpp"

namespace streed::run {

Team::Team(int n_threads, Work work, Wait wait) : work_(std::move(work)), wait_(std::move(wait)) {
    const auto begin = [this](int thread) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!over_) {
            take_pieces(thread, lock);
            if (!over_) begins_.wait(lock, [this] { return over_ || next_ < n_; });
        }
    };
    try {
        for (int thread = 1; thread < n_threads; ++thread) threads_.emplace_back(begin, thread);
    } catch (const std::system_error&) {  // the system refused a thread: go on with those started
    }
}

Team::~Team() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        over_ = true;
        next_ = n_ = 0;
    }
    begins_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

// Runs something without the lock; a failure ends the batch.
template <class Piece>
void Team::attempt(std::unique_lock<std::mutex>& lock, Piece&& piece) {
    std::exception_ptr failure;
    bool stopped = false;
    lock.unlock();
    try {
        piece();
    } catch (const Stopped&) {
        stopped = true;
    } catch (...) {
        failure = std::current_exception();
    }
    lock.lock();
    if (!failure && !stopped) return;
    stopped_ = true;
    if (!failure_) failure_ = failure;
    next_ = n_;
}

void Team::take_pieces(int thread, std::unique_lock<std::mutex>& lock) {
    while (next_ < n_) {
        const std::size_t piece = next_++;
        ++in_work_;
        attempt(lock, [&] { work_(thread, piece); });
        --in_work_;
    }
    if (in_work_ == 0) ends_.notify_one();
}

void Team::run(std::size_t n) {
    std::unique_lock<std::mutex> lock(mutex_);
    next_ = 0;
    n_ = n;
    failure_ = nullptr;
    stopped_ = false;
    if (n > 1) begins_.notify_all();
    take_pieces(0, lock);
    while (in_work_ > 0)
        if (!ends_.wait_for(lock, std::chrono::milliseconds(50), [this] { return in_work_ == 0; }))
            attempt(lock, wait_);
    if (failure_) std::rethrow_exception(failure_);
    if (stopped_) throw Stopped{};
}

}  // namespace streed::run
