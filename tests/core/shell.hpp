// The shell of all searches: threads that share pieces of work, and what they throw.
#pragma once

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "random_rows.hpp"
#include "run/control.hpp"
#include "run/team.hpp"

namespace driver {

// Each piece is done once, and the calling thread is asked while it waits for the others.
inline void team_waits(int n_threads) {
    std::vector<std::atomic<int>> done(40);
    std::atomic<bool> begun{n_threads == 1}, asked{n_threads == 1};
    const auto work = [&](int thread, std::size_t piece) {
        ++done[piece];
        if (thread != 0) begun = true;
        while (thread == 0 ? !begun : !asked) std::this_thread::yield();
    };
    streed::run::Team team(n_threads, work, [&] { asked = true; });
    for (int batch = 1; batch <= 3; ++batch) {
        team.run(done.size());
        for (const std::atomic<int>& times : done)
            if (times != batch) fail("team", "a piece was not done once");
    }
}

// A failure is thrown again rather than `Stopped`, which it has made the others throw.
inline void team_fails(int n_threads) {
    std::atomic<bool> failed{false};
    streed::run::Team team(
        n_threads,
        [&](int, std::size_t piece) {
            if (piece == 1) {
                failed = true;
                throw std::runtime_error("made to fail");
            }
            while (n_threads > 1 && !failed) std::this_thread::yield();
            if (n_threads > 1) throw streed::run::Stopped{};
        },
        [] {});
    try {
        team.run(30);
    } catch (const std::runtime_error&) {
        return;
    } catch (const streed::run::Stopped&) {
    }
    fail("team", "the failure of a piece is lost");
}

inline void shell() {
    for (const int n_threads : {1, 2, 3}) {
        team_waits(n_threads);
        team_fails(n_threads);
    }
    const streed::Options options;
    const streed::run::Control control(options);
    control.stop(streed::Status::memory_limit);
    control.stop(streed::Status::interrupted);
    if (control.status() != streed::Status::memory_limit) fail("control", "the first reason did not stay");
}

}  // namespace driver
