// What every search takes beside its data: keyword arguments, read in one place.
//
// To add an option: give it a line in `kOptions`, and a line in `_core.pyi`. Python hands over the limits of a solve
// in `Limits.arguments` (src/streed/options.py); `prices`, `branch_cost` and `combination` belong to the task.
#pragma once

#include "arguments.hpp"

namespace binding {

struct SearchOptions {
    int max_depth = 0;
    int max_nodes = 0;
    int min_samples_leaf = 1;
    double branch_cost = 0;  // of one value; vectors have one per component
    double time_limit = 0;
    std::int64_t memory_limit = 0;
    int n_threads = 1;
    std::optional<PriceArrays> prices;
    std::string combination = "sum";
    std::optional<nb::dict> switches;
    std::string simd = "auto";
    nb::object poll = nb::none();

    streed::Options engine() const {
        return make_options(max_depth, max_nodes, min_samples_leaf, branch_cost, time_limit, memory_limit, n_threads,
                            switches, simd);
    }
};

template <auto Member>
void read_option(SearchOptions& options, const char* name, nb::handle value) {
    if (!nb::try_cast(value, options.*Member)) {
        const std::string given = nb::type_name(value.type()).c_str();
        throw nb::type_error((std::string(name) + " has the wrong type: " + given).c_str());
    }
}

inline void read_poll(SearchOptions& options, const char*, nb::handle value) {
    if (!value.is_none() && !PyCallable_Check(value.ptr())) throw nb::type_error("poll must be callable or None");
    options.poll = nb::borrow(value);
}

enum class Needed { always, for_one_value, never, never_for_vectors };

struct OptionReader {
    const char* name;
    Needed needed;
    void (*read)(SearchOptions&, const char*, nb::handle);
};

constexpr OptionReader kOptions[] = {
    {"max_depth", Needed::always, read_option<&SearchOptions::max_depth>},
    {"max_nodes", Needed::always, read_option<&SearchOptions::max_nodes>},
    {"min_samples_leaf", Needed::always, read_option<&SearchOptions::min_samples_leaf>},
    {"time_limit", Needed::always, read_option<&SearchOptions::time_limit>},
    {"memory_limit", Needed::always, read_option<&SearchOptions::memory_limit>},
    {"n_threads", Needed::always, read_option<&SearchOptions::n_threads>},
    {"branch_cost", Needed::for_one_value, read_option<&SearchOptions::branch_cost>},
    {"prices", Needed::never_for_vectors, read_option<&SearchOptions::prices>},
    {"combination", Needed::never_for_vectors, read_option<&SearchOptions::combination>},
    {"switches", Needed::never, read_option<&SearchOptions::switches>},
    {"simd", Needed::never, read_option<&SearchOptions::simd>},
    {"poll", Needed::never, read_poll},
};

// Reads the options of a search for one value, or for a vector of values. Unknown and missing ones are a TypeError.
// Python hands them over in the order of the table, so that the next one is looked for first.
inline SearchOptions read_options(const nb::kwargs& given, bool one_value) {
    constexpr std::size_t n = std::size(kOptions);
    SearchOptions options;
    unsigned seen = 0;
    std::size_t next = 0;
    for (const auto& [key, value] : given) {
        const char* name = PyUnicode_AsUTF8(key.ptr());
        std::size_t tried = 0;
        while (tried < n && std::strcmp(name, kOptions[next].name) != 0) {
            ++tried;
            next = (next + 1) % n;
        }
        const Needed needed = kOptions[next].needed;
        const bool taken = one_value || needed == Needed::always || needed == Needed::never;
        if (tried == n || !taken) throw nb::type_error((std::string("unknown option '") + name + "'").c_str());
        kOptions[next].read(options, name, value);
        seen |= 1u << next;
        next = (next + 1) % n;
    }
    for (std::size_t k = 0; k < n; ++k) {
        const Needed needed = kOptions[k].needed;
        const bool must = needed == Needed::always || (one_value && needed == Needed::for_one_value);
        if (must && !(seen >> k & 1u))
            throw nb::type_error((std::string("missing option '") + kOptions[k].name + "'").c_str());
    }
    return options;
}

}  // namespace binding
