/* Compares the declarations of NVIDIA's libraries in bench/, which are written by hand, with NVIDIA's headers.
 * Compiling this file is the test (make check-cuda-abi).
 *
 * functions.inc is made from the tables of symbols in bench/: FUNCTION(struct, member, name) for each. A function
 * pointer equals the function if result and parameters are passed alike: pointers to data, numbers by size, class and
 * sign. Enums of the library are ints here. The file is C++ because templates can take function types apart. The
 * program does not link it. */
#define __CUDA_API_VERSION_INTERNAL /* declares the functions of older versions, too: a program that loads a plain name gets the old function */
#include <cstddef>
#include <type_traits>

#define NVML_CLOCK_SM THEIR_NVML_CLOCK_SM /* the only name in both */
#include <cuda.h>
#include <cublasLt.h>
#include <nccl.h>
#include <nvml.h>
#undef NVML_CLOCK_SM

#define _Atomic
extern "C" {
#include "bench/cuda/cublaslt.h"
#include "bench/cuda/cuda_driver.h"
#include "bench/cuda/nccl.h"
#include "bench/cuda/nvml.h"
}

template <class A, class B> constexpr bool same_class()
{
	if (std::is_pointer_v<A> || std::is_pointer_v<B>)
		return std::is_pointer_v<A> && std::is_pointer_v<B>;
	if (std::is_void_v<A> || std::is_void_v<B>)
		return std::is_void_v<A> && std::is_void_v<B>;
	return std::is_floating_point_v<A> == std::is_floating_point_v<B>;
}

template <class T> constexpr std::size_t bytes_of()
{
	if constexpr (std::is_void_v<T>)
		return 0;
	else
		return sizeof(T);
}

/* Pointers to numbers must point to the same number of bytes. If the library filled an int with a size_t, it would
 * write past the int's end. */
template <class A, class B> constexpr bool same_target()
{
	if constexpr (!std::is_pointer_v<A> || !std::is_pointer_v<B>) {
		return true;
	} else {
		using Left = std::remove_pointer_t<A>;
		using Right = std::remove_pointer_t<B>;

		if constexpr ((std::is_arithmetic_v<Left> || std::is_enum_v<Left>) && (std::is_arithmetic_v<Right> || std::is_enum_v<Right>))
			return sizeof(Left) == sizeof(Right) && std::is_floating_point_v<Left> == std::is_floating_point_v<Right>;
		else
			return std::is_pointer_v<Left> == std::is_pointer_v<Right> || std::is_void_v<Left> || std::is_void_v<Right>;
	}
}

template <class A, class B> constexpr bool same_passing = same_class<A, B>() && bytes_of<A>() == bytes_of<B>() && same_target<A, B>();

template <class Ours, class Theirs> struct signature : std::false_type {};
template <class R, class... A, class S, class... B> struct signature<R (*)(A...), S (*)(B...)> {
	static constexpr bool passing()
	{
		if constexpr (sizeof...(A) != sizeof...(B))
			return false;
		else
			return same_passing<R, S> && (same_passing<A, B> && ...);
	}
	static constexpr bool value = passing();
};

#define FUNCTION(structure, member, name) \
	static_assert(signature<decltype(structure::member), decltype(&::name)>::value, #structure "." #member " is not " #name);
#include "functions.inc"

#define SAME(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #ours " is not " #theirs);
#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs), #ours " and " #theirs " differ in size");
#define SAME_MEMBER(ours, member, theirs, their_member) \
	static_assert(offsetof(ours, member) == offsetof(theirs, their_member) && \
		sizeof(ours::member) == sizeof(theirs::their_member), #ours "." #member " is not " #theirs "." #their_member);
#include "constants.inc"

int main()
{
	return 0;
}
