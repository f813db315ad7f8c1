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

}  // namespace streed
