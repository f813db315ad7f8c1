// A growing buffer aligned for vector loads. Its contents are not kept when it grows.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

namespace streed {

class AlignedBuffer {
public:
    AlignedBuffer() = default;
    AlignedBuffer(const AlignedBuffer&) = delete;
    AlignedBuffer& operator=(const AlignedBuffer&) = delete;
    AlignedBuffer(AlignedBuffer&& other) noexcept : data_(other.data_), capacity_(other.capacity_) {
        other.data_ = nullptr;
        other.capacity_ = 0;
    }
    ~AlignedBuffer() { release(); }

    // Room for `bytes`; returns by how much the buffer has grown.
    std::size_t reserve(std::size_t bytes) {
        if (bytes <= capacity_) return 0;
        const std::size_t wanted = (bytes + bytes / 4 + 63) / 64 * 64;
        const std::size_t grown = wanted - capacity_;
        release();
        data_ = ::operator new(wanted, kAlignment);
        capacity_ = wanted;
        return grown;
    }

    std::size_t capacity() const { return capacity_; }

    template <class T>
    T* as() {
        return static_cast<T*>(data_);
    }
    template <class T>
    const T* as() const {
        return static_cast<const T*>(data_);
    }
    void* data() { return data_; }
    const void* data() const { return data_; }

private:
    static constexpr std::align_val_t kAlignment{64};

    void release() {
        ::operator delete(data_, kAlignment);
        data_ = nullptr;
        capacity_ = 0;
    }

    void* data_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace streed
