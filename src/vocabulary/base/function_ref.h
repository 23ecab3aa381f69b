// A call that is passed down and made before the caller returns. Unlike std::function it owns nothing, so
// that passing it needs no memory and cannot fail.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace tacit::vocabulary {

template <typename Signature>
class function_ref;

template <typename Result, typename... Arguments>
class function_ref<Result(Arguments...)> {
public:
  template <typename Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref>)
  function_ref(Callable&& call) // NOLINT(google-explicit-constructor): as std::function
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(call)))),
        invoke_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return invoke_(object_, std::forward<Arguments>(arguments)...);
  }

private:
  void* object_;
  Result (*invoke_)(void*, Arguments...);
};

} // namespace tacit::vocabulary
