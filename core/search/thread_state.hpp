// What the techniques of one thread share: where it is, what it has counted, and the search of all threads.
#pragma once

#include <cstddef>
#include <vector>

#include "search/level.hpp"
#include "search/search.hpp"

namespace streed {

class ThreadState {
public:
    ThreadState(Search& of, bool is_calling_thread) : search(of), calling_thread_(is_calling_thread) {
        keys.assign(path);
    }
    ThreadState(const ThreadState&) = delete;
    ThreadState& operator=(const ThreadState&) = delete;

    void checkpoint() { search.checkpoint(calling_thread_); }
    // Looking at the clock costs little, but not nothing: about once in a million operations.
    void look_at_clock(const Node& node) {
        work_since_checkpoint_ += static_cast<double>(node.active().size() * node.active().size()) *
                                  (node.words() + 4);
        if (work_since_checkpoint_ <= 1e6) return;
        work_since_checkpoint_ = 0;
        checkpoint();
    }
    void account(std::size_t grown) {
        if (grown > 0) search.take_memory(grown);
    }
    // The rows of a node as bits, one row after the other.
    void turn_rows(Level& at) {
        const std::size_t before = at.node.bytes();
        at.node.row_bits();
        account(at.node.bytes() - before);
    }
    // Whether children are known by their paths, whose keys are exact.
    bool uses_paths() const {
        return search.options.switches.cache && keys.child_fits() &&
               search.reduced.features.size() <= PathKeyMaker::kMaxFeatures;
    }
    void enter_path(int feature, bool side) {
        path.push_back(PathKeyMaker::literal(feature, side));
        tested.push_back(feature);
    }
    void leave_path() {
        path.pop_back();
        tested.pop_back();
    }

    Search& search;
    std::vector<int> path;    // literals (caches/cache.hpp)
    std::vector<int> tested;  // root features
    PathKeyMaker keys;        // of the children of the node under way
    Statistics statistics;

private:
    const bool calling_thread_;
    double work_since_checkpoint_ = 0;
};

}  // namespace streed
