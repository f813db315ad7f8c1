// Differences of tables. Part of kernels/body.hpp.

template <class T>
void typed_subtract(const void* a, const void* b, void* out, int n) {
    for (int j = 0; j < n; ++j)
        static_cast<T*>(out)[j] = static_cast<T>(static_cast<const T*>(a)[j] - static_cast<const T*>(b)[j]);
}

void subtract(Lane lane, const void* a, const void* b, void* out, int n) {
    switch (lane) {
        case Lane::i8:
            return typed_subtract<std::int8_t>(a, b, out, n);
        case Lane::i16:
            return typed_subtract<std::int16_t>(a, b, out, n);
        case Lane::i32:
            return typed_subtract<std::int32_t>(a, b, out, n);
        default:
            return typed_subtract<double>(a, b, out, n);
    }
}

// Numbers of the parent may be wider than those of the node. Lanes that are idle in both have zeros already.
template <class P, class T>
void difference(const Frame& parent, const Frame& node, const std::int32_t* lanes, int channels,
                const P* whole, const P* part, T* out) {
    const std::size_t from_stride = static_cast<std::size_t>(parent.stride),
                      stride = static_cast<std::size_t>(node.stride);
    // Lanes that are idle in the node only; where there are more than so many, all idle ones are cleared.
    std::int32_t fresh[64];
    int n_fresh = 0;
    for (int k = 0, p = 0; lanes == nullptr && k < node.n_idle && n_fresh <= 64; ++k) {
        while (p < parent.n_idle && parent.idle[p] < node.idle[k]) ++p;
        if (p < parent.n_idle && parent.idle[p] == node.idle[k]) continue;
        if (n_fresh < 64) fresh[n_fresh] = node.idle[k];
        ++n_fresh;
    }
    const std::int32_t* stale = n_fresh <= 64 ? fresh : node.idle;
    const int n_stale = n_fresh <= 64 ? n_fresh : node.n_idle;
    const std::size_t used = node.n_active == 0
                                 ? 0
                                 : static_cast<std::size_t>(node.active[node.n_active - 1]) + 1;
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        for (int a = 0; a < node.n_active; ++a) {
            const std::size_t i = static_cast<std::size_t>(node.active[a]);
            const std::size_t own = lanes == nullptr ? i : static_cast<std::size_t>(lanes[i]);
            const P* all = whole + (c * from_stride + own) * from_stride;
            const P* other = part + (c * from_stride + own) * from_stride;
            T* row = out + (c * stride + i) * stride;
            if (lanes == nullptr) {
                for (std::size_t j = 0; j < stride; ++j) row[j] = static_cast<T>(all[j] - other[j]);
                for (int k = 0; k < n_stale; ++k) row[stale[k]] = T{};
            } else {
                for (std::size_t j = 0; j < used; ++j)
                    row[j] = static_cast<T>(all[lanes[j]] - other[lanes[j]]);
                for (std::size_t j = used; j < stride; ++j) row[j] = T{};
                for (int k = 0; k < node.n_idle && static_cast<std::size_t>(node.idle[k]) < used; ++k)
                    row[node.idle[k]] = T{};
            }
        }
    }
}

template <class P>
void difference_from(const Frame& parent, const Frame& node, const std::int32_t* lanes, const void* whole,
                     const void* part, void* out) {
    const auto to = [&](auto* typed) {
        difference(parent, node, lanes, node.n_channels, static_cast<const P*>(whole),
                   static_cast<const P*>(part), typed);
    };
    switch (node.lane) {
        case Lane::i8:
            return to(static_cast<std::int8_t*>(out));
        case Lane::i16:
            return to(static_cast<std::int16_t*>(out));
        default:
            return to(static_cast<std::int32_t*>(out));
    }
}

void subtract_table(const Frame& parent, const Frame& node, const std::int32_t* lanes, const void* whole,
                    const void* part, void* out) {
    switch (parent.lane) {
        case Lane::i8:
            return difference_from<std::int8_t>(parent, node, lanes, whole, part, out);
        case Lane::i16:
            return difference_from<std::int16_t>(parent, node, lanes, whole, part, out);
        default:
            return difference_from<std::int32_t>(parent, node, lanes, whole, part, out);
    }
}

void subtract_counts(const Frame& parent, const Frame& node, const std::int32_t* lanes, const double* whole,
                     const double* part, double* out) {
    difference(parent, node, lanes, 1, whole, part, out);
}
