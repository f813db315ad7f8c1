// The children of nodes with three levels left, by the records of records.cpp.
#include "search/caches/known_children.hpp"

#include <algorithm>
#include <cmath>

namespace streed {

// Raises the bounds of the children to what records of other nodes, or earlier searches of this one, say.
void KnownChildren::recall(Level& at) {
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    at.known.assign(2 * stride, 0);
    if (!thread_.uses_paths()) return;
    const ChildRecords& records = search_.records;
    const ChildRecords::Reading reading(search_.records);
    double* bounds[2] = {&at.bound(at.least_nodes, false, 0), &at.bound(at.least_nodes, true, 0)};
    each_record(
        records, at,
        [&](const ChildRecords::Record* record, int literal) { records.prefetch(record, literal); },
        [&](const ChildRecords::Record* record, int literal, int lane, int side) {
            const ChildRecords::Number number = records.load(record, literal);
            if (number == ChildRecords::kNothing) return;
            double& bound = bounds[side][lane];
            bound = std::max(bound, static_cast<double>(number >> 1));
            if ((number & 1) != 0)
                at.known[static_cast<std::size_t>(side) * stride + static_cast<std::size_t>(lane)] = 1;
        });
}

// Keeps what the search of the node has found out about its children, at its end. Values beyond 2^60 are left
// out.
void KnownChildren::record(Level& at) {
    if (!kept(at) || !thread_.uses_paths() || !search_.records.make(thread_.path)) return;
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    const ChildRecords::Reading reading(search_.records);
    ChildRecords::Record* record = search_.records.find(thread_.path);
    if (record == nullptr) return;  // given back by another thread
    for (const std::int32_t f : at.node.active())
        for (int side = 0; side < 2; ++side) {
            const double bound = at.bound(at.least_nodes, side == 1, f);
            if (!(std::abs(bound) < 0x1p60)) continue;
            const ChildRecords::Number whole = static_cast<ChildRecords::Number>(std::floor(bound));
            const bool exact =
                at.known[static_cast<std::size_t>(side) * stride + static_cast<std::size_t>(f)] != 0 &&
                static_cast<double>(whole) == bound;
            search_.records.raise(record, PathKeyMaker::literal(at.node.feature(f), side == 1),
                                  2 * whole + (exact ? 1 : 0));
        }
}

}  // namespace streed
