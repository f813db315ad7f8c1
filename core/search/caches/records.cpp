// Records of the children of nodes with three levels left, instead of an entry per child in the path table.
//
// The rows behind a child are met again wherever its tests come in another order: with the path {p, q}, the
// child on c has the rows of the child on p of the node {q, c}. So a node asks, for every literal of its
// path, the records of all nodes that have one of its children's literals instead. Those lie behind one array
// of pointers, and a record keeps bounds as well as values, which single entries in the path table were not
// worth. German-credit at depth 4 takes two thirds of the time with them.
//
// Numbers are read and written one by one, each a proven bound at any time; a lost update costs nothing but
// its bound.
#include "search/caches/records.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "search/search.hpp"

namespace streed {

namespace {

// The key of a path, without its k-th literal if there is one.
PathKeyMaker prefix_of(const std::vector<int>& path, std::size_t k) {
    int literals[PathKeyMaker::kMaxLiterals];
    int n = 0;
    for (std::size_t j = 0; j < path.size(); ++j)
        if (j != k) literals[n++] = path[j];
    PathKeyMaker maker;
    // cppcheck-suppress uninitvar  ; the first n are set
    maker.assign(literals, n);
    return maker;
}

template <class T>
std::atomic_ref<T> number_at(const ChildRecords::Record* record, int literal) {
    T* numbers = reinterpret_cast<T*>(const_cast<ChildRecords::Record*>(record));
    return std::atomic_ref<T>(numbers[literal - 1]);
}

}  // namespace

ChildRecords::ChildRecords(run::Memory& memory, std::size_t literals, double most, bool shared)
    : memory_(memory), literals_(literals), wide_(!(most < 0x1p29)), shared_(shared) {
    for (double slots = static_cast<double>(literals);
         slots <= kMostSlots && most_literals_ < PathKeyMaker::kMaxLiterals;
         slots *= static_cast<double>(literals))
        ++most_literals_;
}

ChildRecords::Number ChildRecords::load(const Record* record, int literal) const {
    if (wide_) return number_at<std::int64_t>(record, literal).load(std::memory_order_relaxed);
    const std::int32_t number = number_at<std::int32_t>(record, literal).load(std::memory_order_relaxed);
    return number == INT32_MIN ? kNothing : number;
}

void ChildRecords::raise(Record* record, int literal, Number number) const {
    const auto store = [number](auto to) {
        using T = typename decltype(to)::value_type;
        const T narrow = static_cast<T>(number);
        if (narrow == number && narrow > to.load(std::memory_order_relaxed))
            to.store(narrow, std::memory_order_relaxed);
    };
    wide_ ? store(number_at<std::int64_t>(record, literal)) : store(number_at<std::int32_t>(record, literal));
}

ChildRecords::Siblings ChildRecords::siblings(const std::vector<int>& path, std::size_t k) const {
    Siblings all;
    all.prefix_ = prefix_of(path, k);
    if (hashed(path.size())) {
        all.records_ = nodes_.empty() ? nullptr : this;
    } else if (const auto at = slots_.find(all.prefix_.key()); at != slots_.end()) {
        all.records_ = this;
        all.slots_ = at->second.get();
    }
    return all;
}

ChildRecords::Record* ChildRecords::Siblings::find(int literal) const {
    if (records_ == nullptr) return nullptr;
    if (slots_ != nullptr) return slots_[literal - 1];
    const auto at = records_->nodes_.find(prefix_.child(literal, 0));
    return at == records_->nodes_.end() ? nullptr : at->second;
}

ChildRecords::Record* ChildRecords::find(const std::vector<int>& path) const {
    return path.empty() ? root_ : siblings(path, 0).find(path[0]);
}

std::size_t ChildRecords::bytes_for(const std::vector<int>& path) const {
    std::size_t bytes = literals_ * number_bytes() + sizeof(records_[0]);
    if (hashed(path.size())) return bytes + sizeof(*nodes_.begin()) + 32;
    for (std::size_t k = 0; k < path.size(); ++k)
        if (slots_.find(prefix_of(path, k).key()) == slots_.end())
            bytes += literals_ * sizeof(Record*) + sizeof(*slots_.begin()) + 32;
    return bytes;
}

bool ChildRecords::make(const std::vector<int>& path) {
    std::unique_lock lock(mutex_, std::defer_lock);
    acquire(lock);
    if (find(path) != nullptr) return true;
    if (!memory_.fits(bytes_for(path))) {
        clear();
        if (!memory_.fits(bytes_for(path))) return false;
    }
    add(path);
    return true;
}

void ChildRecords::add(const std::vector<int>& path) {
    const std::size_t bytes = bytes_for(path);
    memory_.take(bytes);
    taken_ += bytes;
    records_.push_back(std::make_unique<Record[]>(literals_ * number_bytes()));
    Record* record = records_.back().get();
    if (wide_)
        std::fill_n(reinterpret_cast<std::int64_t*>(record), literals_, INT64_MIN);
    else
        std::fill_n(reinterpret_cast<std::int32_t*>(record), literals_, INT32_MIN);
    if (path.empty()) {
        root_ = record;
    } else if (hashed(path.size())) {
        nodes_.emplace(prefix_of(path, 0).child(path[0], 0), record);
    }
    for (std::size_t k = 0; !hashed(path.size()) && k < path.size(); ++k) {
        std::unique_ptr<Record*[]>& slots = slots_[prefix_of(path, k).key()];
        if (slots == nullptr) slots = std::make_unique<Record*[]>(literals_);
        slots[static_cast<std::size_t>(path[k]) - 1] = record;
    }
}

void ChildRecords::clear() {
    memory_.give(taken_);
    taken_ = 0;
    root_ = nullptr;
    records_.clear();
    slots_.clear();
    nodes_.clear();
}

void ChildRecords::shrink() {
    std::unique_lock lock(mutex_, std::defer_lock);
    acquire(lock);
    if (memory_.exceeded()) clear();
}

// Whether the children of the node have one budget, that of a full tree: values then depend on their paths
// alone.
bool Worker::keeps_children(const Level& at) const {
    const Switches& switches = search_.options.switches;
    return switches.child_records && switches.depth_two && at.depth == 3 && at.n_budgets == 1 &&
           at.least_nodes == 3;
}

// Raises the bounds of the children to what records of other nodes, or earlier searches of this one, say.
void Worker::recall_children(Level& at) {
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    at.known.assign(2 * stride, 0);
    if (!uses_paths()) return;
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
void Worker::record_children(Level& at) {
    if (!keeps_children(at) || !uses_paths() || !search_.records.make(path_)) return;
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    const ChildRecords::Reading reading(search_.records);
    ChildRecords::Record* record = search_.records.find(path_);
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
