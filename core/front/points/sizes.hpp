// Numbers of components for which the search is compiled; problems are padded with components that cost
// nothing.
#pragma once

#include <stdexcept>
#include <string>

namespace streed {

constexpr int kMostComponents = 128;

template <class Body>
auto with_size(int components, Body&& body) {
    if (components <= 2) return body.template operator()<2>();
    if (components == 3) return body.template operator()<3>();
    if (components == 4) return body.template operator()<4>();
    if (components <= 8) return body.template operator()<8>();
    if (components <= 32) return body.template operator()<32>();
    if (components <= kMostComponents) return body.template operator()<kMostComponents>();
    throw std::invalid_argument("at most " + std::to_string(kMostComponents) +
                                " components can be searched, got " + std::to_string(components));
}

inline int padded_size(int components) {
    return with_size(components, []<int M>() { return M; });
}

}  // namespace streed
