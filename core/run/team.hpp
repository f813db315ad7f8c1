// Threads that do numbered pieces of work together, one batch of pieces after the other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace streed::run {

// The calling thread is number 0 and takes part. Threads sleep between batches.
class Team {
public:
    using Work = std::function<void(int thread, std::size_t piece)>;
    using Wait = std::function<void()>;

    // `wait` is called by the calling thread about every 50 ms while it waits for others; it may throw.
    Team(int n_threads, Work work, Wait wait);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    // Does the pieces 0, 1, ..., n - 1, each begun in this order. What the first piece to fail has thrown is
    // thrown again when no piece is in work any more; pieces that were not begun by then are left out.
    // `Stopped` gives way to any other failure, which may be why the others were stopped.
    void run(std::size_t n);

private:
    void take_pieces(int thread, std::unique_lock<std::mutex>& lock);
    template <class Piece>
    void attempt(std::unique_lock<std::mutex>& lock, Piece&& piece);

    Work work_;
    Wait wait_;
    std::mutex mutex_;
    std::condition_variable begins_, ends_;
    std::size_t next_ = 0, n_ = 0, in_work_ = 0;
    bool over_ = false, stopped_ = false;
    std::exception_ptr failure_;
    std::vector<std::thread> threads_;
};

}  // namespace streed::run
