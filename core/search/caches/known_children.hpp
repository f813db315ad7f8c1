// What other nodes, and earlier searches of the same one, have found out about the children of a node.
#pragma once

#include <vector>

#include "search/thread_state.hpp"

namespace streed {

// Whether the children of the node have one budget, that of a full tree: values then depend on their paths
// alone.
inline bool keeps_children(const Search& search, const Level& at) {
    const Switches& switches = search.options.switches;
    return switches.child_records && switches.depth_two && at.depth == 3 && at.n_budgets == 1 &&
           at.least_nodes == 3;
}

class KnownChildren {
public:
    explicit KnownChildren(ThreadState& thread) : thread_(thread), search_(thread.search) {}

    bool kept(const Level& at) const { return keeps_children(search_, at); }
    void recall(Level& at);
    void record(Level& at);
    template <class Fetch, class Learn>
    void each_record(const ChildRecords& records, const Level& at, Fetch&& fetch, Learn&& learn);

private:
    struct MetRecord {
        const ChildRecords::Record* record;
        std::int32_t lane;
        int side;
    };

    ThreadState& thread_;
    Search& search_;
    std::vector<MetRecord> met_;
};

// `learn(record, literal, lane, side)` for every record that bounds a child of the node: those of
// nodes that differ in one test, and its own. The records of a group are all looked up and fetched from
// memory (`fetch(record, literal)`) before the first of them is read.
template <class Fetch, class Learn>
void KnownChildren::each_record(const ChildRecords& records, const Level& at, Fetch&& fetch, Learn&& learn) {
    const auto literal = [&](int f, int side) {
        return PathKeyMaker::literal(at.node.feature(f), side == 1);
    };
    const std::size_t tests = thread_.path.size();
    const bool others = !records.hashed(tests) || at.node.n_slots() >= ChildRecords::kLeastHashed;
    for (std::size_t k = 0; k < tests && others; ++k) {
        const ChildRecords::Siblings siblings = records.siblings(thread_.path, k);
        met_.clear();
        for (const std::int32_t f : at.node.active())
            for (int side = 0; side < 2; ++side)
                if (const ChildRecords::Record* record = siblings.find(literal(f, side))) {
                    fetch(record, thread_.path[k]);
                    met_.push_back({record, f, side});
                }
        for (const MetRecord& met : met_) learn(met.record, thread_.path[k], met.lane, met.side);
    }
    const ChildRecords::Record* own = records.find(thread_.path);
    if (own == nullptr) return;
    for (const std::int32_t f : at.node.active())
        for (int side = 0; side < 2; ++side) learn(own, literal(f, side), f, side);
}

}  // namespace streed
