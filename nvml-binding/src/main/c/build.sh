#!/bin/sh
# Builds the simulated driver if it is older than its sources: build.sh <folder> [<compiler>]. The library is replaced by a rename,
# which does not affect a program that has the old one loaded.
set -eu
case ${1-} in -h | --help) exec sed -n '2,/^set/s/^# \{0,1\}//p' "$0" ;; esac
sources=$(dirname "$0")
target=$1
compiler=${2:-gcc}

build() {
    library=$1/libnvidia-ml.so.1
    if [ -e "$library" ] && [ -z "$(find "$sources" -newer "$library")" ]; then
        return
    fi
    command -v "$compiler" >/dev/null || {
        echo "The simulated driver is built with $compiler, which is not installed: install the packages gcc and libc6-dev." >&2
        exit 1
    }
    mkdir -p "$1"
    shift
    "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -fvisibility=hidden -shared -fPIC -pthread "$@" \
        -Wl,-soname,libnvidia-ml.so.1 -Wl,--build-id=none -o "$library.new" "$sources"/*.c
    mv -f "$library.new" "$library"
}

# The programs of MPS are one executable: the server is the control program under another name. Beside them are CUDA's
# library, a tenant that uses it, and a library that the tenant may preload.
build_mps() {
    program=$1/nvidia-cuda-mps-control
    if [ -e "$program" ] && [ -z "$(find "$sources" -newer "$program")" ]; then
        return
    fi
    mkdir -p "$1"
    "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -Wl,--build-id=none -o "$program.new" "$sources"/mps/control.c "$sources"/mps/ledger.c
    ln -f "$program.new" "$1/nvidia-cuda-mps-server"
    "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -fvisibility=hidden -shared -fPIC -Wl,-soname,libcuda.so.1 -Wl,--build-id=none \
        -o "$1/libcuda.so.1" "$sources"/mps/libcuda.c "$sources"/mps/ledger.c "$sources"/machine.c "$sources"/instances.c "$sources"/kinds.c
    "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-cast-function-type -Wl,--build-id=none -o "$1/gpu-eat" "$sources"/mps/gpu-eat.c
    # A stand-in for HAMi-core's library, and the same without what makes it work.
    for hidden in "" -hidden; do
        "$compiler" -std=gnu11 -O2 -Wall -Wextra -Werror -fvisibility=hidden -shared -fPIC ${hidden:+-DHIDDEN} -Wl,--build-id=none \
            -o "$1/libvgpu$hidden.so" "$sources"/mps/hami-core.c
    done
    mv -f "$program.new" "$program"
}

build "$target"
build_mps "$target/mps"
build "$target/old" -DOLD_DRIVER
