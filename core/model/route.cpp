// Routing of rows through flat trees, by binary features or by tests on the columns of a table.
#include "model/route.hpp"

#include <algorithm>
#include <cstring>

namespace streed {

namespace {

int depth_of(const std::vector<Fork>& forks) {
    std::vector<int> level(forks.size(), 0);
    for (std::size_t node = 0; node < forks.size(); ++node)
        for (const std::int32_t child : forks[node].child) {
            const auto below = static_cast<std::size_t>(child);
            if (below != node) level[below] = std::max(level[below], level[node] + 1);
        }
    return *std::max_element(level.begin(), level.end());
}

template <class T>
T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);  // columns of packed records need not be aligned
    return value;
}

template <class T>
bool of_float(const ColumnTest& test, const char* at) {
    const double value = static_cast<double>(load<T>(at));
    return value <= test.cut || (test.missing && value != value);
}

template <class T>
bool of_signed(const ColumnTest& test, const char* at) {
    return static_cast<std::int64_t>(load<T>(at)) <= test.whole;
}

// A cut below zero is never reached: `whole` is -1 then.
template <class T>
bool of_unsigned(const ColumnTest& test, const char* at) {
    return test.whole >= 0 && static_cast<std::uint64_t>(load<T>(at)) <= test.whole_unsigned;
}

bool of_byte(const ColumnTest&, const char* at) { return *at != 0; }

bool satisfies(const ColumnTest& test, std::size_t row) {
    const char* at = test.data + static_cast<std::ptrdiff_t>(row) * test.stride;
    switch (test.type) {
        case ColumnType::f64:
            return of_float<double>(test, at);
        case ColumnType::f32:
            return of_float<float>(test, at);
        case ColumnType::i64:
            return of_signed<std::int64_t>(test, at);
        case ColumnType::i32:
            return of_signed<std::int32_t>(test, at);
        case ColumnType::i16:
            return of_signed<std::int16_t>(test, at);
        case ColumnType::i8:
            return of_signed<std::int8_t>(test, at);
        case ColumnType::u64:
            return of_unsigned<std::uint64_t>(test, at);
        case ColumnType::u32:
            return of_unsigned<std::uint32_t>(test, at);
        case ColumnType::u16:
            return of_unsigned<std::uint16_t>(test, at);
        case ColumnType::u8:
            return of_unsigned<std::uint8_t>(test, at);
        case ColumnType::bits:
            return of_byte(test, at);
    }
    return false;
}

}  // namespace

void route(const FeatureMatrix& features, const std::vector<Fork>& forks, std::int64_t* leaf) {
    const int depth = depth_of(forks);
    for (std::size_t r = 0; r < features.n_rows; ++r) {
        const std::uint8_t* row = features.data + static_cast<std::ptrdiff_t>(r) * features.row_stride;
        std::int32_t node = 0;
        for (int step = 0; step < depth; ++step) {
            const Fork& fork = forks[static_cast<std::size_t>(node)];
            node = fork.child[row[fork.offset] != 0];
        }
        leaf[r] = node;
    }
}

void route_columns(const std::vector<ColumnTest>& tests, const std::vector<Fork>& forks, std::size_t n_rows,
                   std::int64_t* leaf) {
    for (std::size_t r = 0; r < n_rows; ++r) {
        std::int32_t node = 0;
        for (;;) {
            const Fork& fork = forks[static_cast<std::size_t>(node)];
            if (fork.child[0] == node) break;
            node = fork.child[satisfies(tests[static_cast<std::size_t>(fork.offset)], r)];
        }
        leaf[r] = node;
    }
}

}  // namespace streed
