#!/usr/bin/env bash
# Runs tests under AddressSanitizer and ThreadSanitizer. Exits 77 where the toolchain cannot,
# with the reason as its last line.
#
#   tests/sanitizers.sh                      both sanitizers, every crate below
#   tests/sanitizers.sh thread heddle-profile  one sanitizer, one crate
#
# The stable compiler takes `-Zsanitizer` when it is told to behave like a nightly one. The
# standard library is built again with the same flags (`-Zbuild-std`, component rust-src):
# one that is not would hide its own synchronisation from ThreadSanitizer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sanitizers=(address thread)
crates=(heddle-profile heddle-runtime heddle-cuda)
if [ $# -gt 0 ]; then sanitizers=("$1"); fi
if [ $# -gt 1 ]; then crates=("${@:2}"); fi

host=$(rustc --print host-tuple)
libraries=$(rustc --print sysroot)/lib/rustlib/$host/lib
if ! compgen -G "$libraries/librustc-*_rt.asan.a" >/dev/null; then
    echo "no sanitizers for $host"
    exit 77
fi
source=$(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock
if [ ! -e "$source" ] && ! { rustup component add rust-src && [ -e "$source" ]; }; then
    echo 'the source of the standard library (rust-src) cannot be had'
    exit 77
fi

export RUSTC_BOOTSTRAP=1
export CARGO_PROFILE_DEV_DEBUG=line-tables-only
export TSAN_OPTIONS=halt_on_error=1

declare -A flags=(
    [address]=-Zsanitizer=address
    # ThreadSanitizer does not know fences; crossbeam does without them under this name.
    [thread]='-Zsanitizer=thread --cfg crossbeam_sanitize_thread'
)

# Each sanitizer has a target folder, because all dependencies are built with it.
for sanitizer in "${sanitizers[@]}"; do
    for crate in "${crates[@]}"; do
        # ThreadSanitizer does not know fibers: it takes the stacks of one thread's fibers
        # for several threads.
        if [ "$sanitizer $crate" = 'thread heddle-cuda' ]; then continue; fi
        printf '\n-- %s sanitizer, %s\n' "$sanitizer" "$crate"
        began=$SECONDS
        RUSTFLAGS=${flags[$sanitizer]} \
            CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/sanitizer-$sanitizer" \
            cargo test -Zbuild-std --target "$host" --package "$crate" --lib --tests --quiet
        printf '%s sanitizer, %s: %d s\n' "$sanitizer" "$crate" $((SECONDS - began))
    done
done
