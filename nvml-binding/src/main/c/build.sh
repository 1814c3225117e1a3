#!/bin/sh
# Builds the simulated driver if it is older than its sources: build.sh <folder>. The library is replaced by a rename,
# which does not affect a program that has the old one loaded.
set -eu
sources=$(dirname "$0")
target=$1

build() {
    library=$1/libnvidia-ml.so.1
    if [ -e "$library" ] && [ -z "$(find "$sources" -newer "$library")" ]; then
        return
    fi
    command -v gcc >/dev/null || {
        echo "The simulated driver is built with gcc, which is not installed: install the packages gcc and libc6-dev." >&2
        exit 1
    }
    mkdir -p "$1"
    shift
    gcc -std=gnu11 -O2 -Wall -Wextra -Werror -fvisibility=hidden -shared -fPIC -pthread "$@" \
        -Wl,-soname,libnvidia-ml.so.1 -Wl,--build-id=none -o "$library.new" "$sources"/*.c
    mv -f "$library.new" "$library"
}

build "$target"
build "$target/old" -DOLD_DRIVER
