// What every search takes beside its data: keyword arguments, read by one table.
//
// To add an option: give it a member of `streed::Options` (or of `SearchOptions`, if the engine does not see
// it) and a line in `kOptions` that says which searches read it and which numbers they take. Tests compare
// this table with the options of users (src/streed/options.py) and with the stub (`_core.pyi`).
#pragma once

#include <iterator>
#include <limits>
#include <type_traits>

#include "arguments.hpp"

namespace binding {

struct SearchOptions {
    streed::Options limits;
    std::optional<PriceArrays> prices;
    std::string combination = "sum";
    double work_limit = std::numeric_limits<double>::infinity();
    // Thresholds: work of an exact attempt before a good tree and bounds; 0: the exact search alone.
    double first_attempt = 0;
    std::optional<nb::dict> switches;
    nb::object poll = nb::none();

    streed::Options engine() const {
        streed::Options options = limits;
        if (switches) set_switches(*switches, options.switches);
        return options;
    }
};

// The searches that read options: for one value, for a vector of values, without a depth where nodes have a
// price, over all thresholds.
enum : unsigned { kOneValue = 1, kVector = 2, kPriced = 4, kThresholds = 8 };
constexpr unsigned kByDepth = kOneValue | kVector | kThresholds, kScalar = kOneValue | kPriced | kThresholds,
                   kAll = kByDepth | kPriced;
constexpr struct {
    const char* name;
    unsigned search;
} kSearches[] = {
    {"one_value", kOneValue}, {"vector", kVector}, {"priced", kPriced}, {"thresholds", kThresholds}};

// The numbers that an option takes; `above`: without `low` itself.
struct Range {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool above = false;
};

inline void check_range(const char* name, double value, const Range& range) {
    if ((range.above ? value > range.low : value >= range.low) && value <= range.high) return;
    std::string expected = (range.above ? "above " : "at least ") + number(range.low);
    if (std::isfinite(range.high)) expected = "from " + number(range.low) + " to " + number(range.high);
    refuse(std::string(name) + " must be " + expected + ", got " + number(value));
}

template <auto Member>
auto& member_of(SearchOptions& options) {
    if constexpr (std::is_invocable_v<decltype(Member), SearchOptions&>)
        return options.*Member;
    else
        return options.limits.*Member;
}

template <auto Member>
void read(SearchOptions& options, const char* name, nb::handle value, const Range& range) {
    auto& member = member_of<Member>(options);
    using Value = std::remove_reference_t<decltype(member)>;
    std::conditional_t<std::is_same_v<Value, std::size_t>, std::int64_t, Value> given{};
    if (!nb::try_cast(value, given))
        throw nb::type_error(
            (std::string(name) + " has the wrong type: " + nb::type_name(value.type()).c_str()).c_str());
    if constexpr (std::is_arithmetic_v<Value>) check_range(name, static_cast<double>(given), range);
    member = static_cast<Value>(std::move(given));
}

inline void read_poll(SearchOptions& options, const char*, nb::handle value, const Range&) {
    if (!value.is_none() && !PyCallable_Check(value.ptr()))
        throw nb::type_error("poll must be callable or None");
    options.poll = nb::borrow(value);
}

struct OptionReader {
    const char* name;
    unsigned needed, optional;  // searches that must, and that may get it
    void (*read)(SearchOptions&, const char*, nb::handle, const Range&);
    Range range = {};
};

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr OptionReader kOptions[] = {
    {"max_depth", kByDepth, 0, read<&streed::Options::max_depth>, {0, 20}},
    {"max_nodes", kByDepth, 0, read<&streed::Options::max_nodes>, {0}},
    {"min_samples_leaf", kByDepth, kPriced, read<&streed::Options::min_samples_leaf>, {1}},
    {"time_limit", kAll, 0, read<&streed::Options::time_limit>, {.low = 0, .above = true}},
    {"memory_limit", kAll, 0, read<&streed::Options::memory_limit>, {0}},
    {"needs_cache", 0, kOneValue | kVector, read<&streed::Options::needs_cache>},
    {"n_threads", kByDepth, kPriced, read<&streed::Options::n_threads>, {1, 1024}},
    {"branch_cost", kScalar, 0, read<&streed::Options::branch_cost>, {0, kLargest}},
    {"prices", 0, kOneValue, read<&SearchOptions::prices>},
    {"combination", 0, kOneValue, read<&SearchOptions::combination>},
    {"work_limit", 0, kThresholds, read<&SearchOptions::work_limit>, {.low = 0, .above = true}},
    {"first_attempt", 0, kThresholds, read<&SearchOptions::first_attempt>, {0, kLargest}},
    {"neighbourhood_steps", 0, kOneValue, read<&streed::Options::neighbourhood_steps>, {0}},
    {"switches", 0, kAll, read<&SearchOptions::switches>},
    {"simd", 0, kAll, read<&streed::Options::simd>},
    {"poll", 0, kAll, read_poll},
};

// The table for Python: of every search the options by name, each with whether it is needed and its range.
inline nb::dict options_table() {
    nb::dict table;
    for (const auto& each : kSearches) {
        nb::dict options;
        for (const OptionReader& option : kOptions)
            if ((option.needed | option.optional) & each.search)
                options[option.name] = nb::make_tuple((option.needed & each.search) != 0, option.range.low,
                                                      option.range.high, option.range.above);
        table[each.name] = options;
    }
    return table;
}

// Reads the options of a search. Unknown and missing ones are a TypeError. Python hands them over in the
// order of the table, so that the next one is looked for first.
inline SearchOptions read_options(const nb::kwargs& given, unsigned search) {
    constexpr std::size_t n = std::size(kOptions);
    SearchOptions options;
    unsigned seen = 0;
    std::size_t next = 0;
    for (const auto& [key, value] : given) {
        const char* name = PyUnicode_AsUTF8AndSize(key.ptr(), nullptr);  // in the stable interface, too
        std::size_t tried = 0;
        while (tried < n && std::strcmp(name, kOptions[next].name) != 0) {
            ++tried;
            next = (next + 1) % n;
        }
        const OptionReader& option = kOptions[next];
        if (tried == n || !((option.needed | option.optional) & search))
            throw nb::type_error((std::string("unknown option '") + name + "'").c_str());
        option.read(options, name, value, option.range);
        seen |= 1u << next;
        next = (next + 1) % n;
    }
    for (std::size_t k = 0; k < n; ++k)
        if ((kOptions[k].needed & search) && !(seen >> k & 1u))
            throw nb::type_error((std::string("missing option '") + kOptions[k].name + "'").c_str());
    return options;
}

}  // namespace binding
