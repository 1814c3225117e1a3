# The steps of `build`, one function each: what the layers contain. The Dockerfiles use those for the runtime and the program.
# Source this file with the variables root (the checkout), out (the output directory), jdk and arch, and the function fail.

# The JDK modules of the programs: java.sql for client-java's date adapters, java.naming for its TLS host names,
# jdk.unsupported for Netty, java.management and jdk.management for JVM metrics, jdk.httpserver for the plugin's metrics.
modules=java.base,java.logging,java.management,java.naming,java.sql,jdk.httpserver,jdk.management,jdk.unsupported

# The modification time of every file in an image, for reproducible builds.
epoch=1

# The architecture of this machine by Debian's name.
host_arch() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) uname -m ;;
  esac
}

# The architecture by the kernel's name, as in file names of tools and libraries.
machine() {
  case $arch in
    amd64) echo x86_64 ;;
    arm64) echo aarch64 ;;
  esac
}

# Finds JDK 25 or newer: JAVA_HOME if it qualifies, otherwise one in the usual directory.
find_jdk() {
  local home
  for home in ${JAVA_HOME:-} /usr/lib/jvm/*; do
    if [ -x "$home/bin/jlink" ] && [ -x "$home/bin/jar" ] \
      && grep -qE '^JAVA_VERSION="(2[5-9]|[3-9][0-9])' "$home/release" 2>/dev/null; then
      echo "$home"
      return 0
    fi
  done
  return 1
}

ensure_mmdebstrap() {
  command -v mmdebstrap >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing mmdebstrap" >&2
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap >&2
  else
    fail "needs mmdebstrap; install it with: apt-get install mmdebstrap (without root also: uidmap)"
  fi
}

# Writes Debian packages as a tar, unpacked, with their control files where scanners of images look for them.
debian_packages() {
  local packages=$1 suite=$2
  echo "fetching $packages of Debian $suite for $arch" >&2
  # shellcheck disable=SC2016
  mmdebstrap --quiet --variant=extract --architectures="$arch" --include="$packages" --extract-hook='
    mkdir -p "$1/var/lib/dpkg/status.d"
    for deb in "$1"/var/cache/apt/archives/*.deb; do
      dpkg-deb --field "$deb" >"$1/var/lib/dpkg/status.d/$(dpkg-deb --field "$deb" Package)"
    done' "$suite" -
}

# The modules of Debian's JDK 25, to build a runtime for another architecture than this machine's.
fetch_jmods() {
  local dir=$1
  [ -e "$dir/java.base.jmod" ] && return
  rm -rf "$dir" && mkdir -p "$dir.part"
  debian_packages openjdk-25-jdk-headless trixie | tar -x -C "$dir.part" --strip-components=6 --wildcards './usr/lib/jvm/*/jmods/*'
  mv "$dir.part" "$dir"
}

# The Java runtime with the required modules, in /opt/java: of this machine's JDK, or of the modules in $jmods.
make_runtime() {
  local dir=$1 source made strip=(--strip-debug)
  source=$jdk/release
  [ -z "$jmods" ] || source=$jmods/java.base.jmod
  made="$modules $(sha256sum <"$source")"
  [ "$(cat "$dir.made" 2>/dev/null)" = "$made" ] && return
  rm -rf "$dir" && mkdir -p "$dir/opt"
  # Native symbols can be stripped from files of this machine's architecture only.
  [ -z "$jmods" ] || strip=(--module-path "$jmods" --strip-java-debug-attributes)
  "$jdk/bin/jlink" --add-modules "$modules" "${strip[@]}" --no-man-pages --no-header-files --output "$dir/opt/java"
  echo "$made" >"$dir.made"
}

# The Debian packages that the runtime needs. Temurin contains its C++ library and zlib; Debian's JDK does not.
runtime_packages() {
  if grep -q 'libstdc++\.so' "$1/opt/java/lib/server/libjvm.so"; then
    echo libc6,libstdc++6,zlib1g
  else
    echo libc6
  fi
}

# Debian's C library and what else the runtime needs. glibc is required: the driver library that the NVIDIA runtime mounts is
# built against it. Downloaded once; remove the directory to download it again.
make_libc() {
  local dir=$1 packages=$2 suite=$3 version
  [ "$(cat "$dir.made" 2>/dev/null)" = "$packages $suite" ] && return
  rm -rf "$dir" && mkdir -p "$dir"
  debian_packages "$packages" "$suite" >"$dir.fetched"
  tar -tf "$dir.fetched" | grep -E "^\./((usr/)?lib(64|/$(machine)-linux-gnu|/ld-[^/]*$)|etc/ld\.so\.conf\.d|var/lib/dpkg/status\.d|usr/share/doc/[^/]*/copyright)" \
    | grep -vE '/gconv(/|$)' >"$dir.files"
  tar -xf "$dir.fetched" -C "$dir" --no-same-owner --no-recursion -T "$dir.files"
  rm "$dir.fetched" "$dir.files"
  mkdir -p "$dir/usr/lib/$(machine)-linux-gnu" "$dir"/{proc,sys,dev,run,tmp,var/lib}
  # From Debian 13 on, packages have all libraries in /usr.
  [ -e "$dir/lib" ] || ln -s usr/lib "$dir/lib"
  [ -e "$dir/lib64" ] || [ ! -e "$dir/usr/lib64" ] || ln -s usr/lib64 "$dir/lib64"
  chmod 1777 "$dir/tmp"
  # The NVIDIA runtime reads debian_version to find the library directories, and refreshes the loader cache.
  version=$(debian_version "$suite")
  echo "$version" >"$dir/etc/debian_version"
  printf 'ID=debian\nVERSION_ID=%s\nPRETTY_NAME="Debian GNU/Linux %s"\n' "$version" "$version" >"$dir/etc/os-release"
  echo 'include /etc/ld.so.conf.d/*.conf' >"$dir/etc/ld.so.conf"
  printf 'root:x:0:0:root:/:/none\nnonroot:x:65532:65532:nonroot:/:/none\n' >"$dir/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' >"$dir/etc/group"
  echo 'hosts: files dns' >"$dir/etc/nsswitch.conf"
  echo "$packages $suite" >"$dir.made"
}

debian_version() {
  case $1 in
    bookworm) echo 12 ;;
    trixie) echo 13 ;;
    *) echo "$1" ;;
  esac
}

# A class data archive of the JDK saves 100 ms at start. Only G1 writes the heap objects of the archive; every collector reads
# them. $emulator starts the runtime where this machine can't.
make_archive() {
  local java=$1/opt/java
  [ ! -e "$java/lib/server/classes.jsa" ] || return 0
  # The archive contains the times of these files.
  set_times "$1"
  # shellcheck disable=SC2086
  ${emulator:-} "$java/bin/java" -XX:+UseG1GC -Xshare:dump >/dev/null
}

# One program in /app: its jars, its JVM options, and JNA's native library, which cannot be unpacked on a read-only root. The
# device plugin can also be started by the name that gpushare's manifest uses.
make_app() {
  local module=$1 dir=$2 jar native built
  native=com/sun/jna/linux-$(machine | tr _ -)/libjnidispatch.so
  built=$root/$module/target
  rm -rf "$dir" && mkdir -p "$dir/app/lib" "$dir/app/native" "$dir/usr/share/doc/gpushare"
  cp "$root/LICENSE" "$dir/usr/share/doc/gpushare/copyright"
  [ -d "$built/lib" ] || fail "no jars of $module; run without -k"
  cp "$built"/lib/*.jar "$dir/app/lib/"
  cp "$(ls "$built/$module"-*.jar | grep -v -e '-tests\.jar$' -e '-sources\.jar$')" "$dir/app/lib/"
  jar=$(ls "$dir"/app/lib/jna-5*.jar 2>/dev/null || true)
  if [ -n "$jar" ]; then
    (cd "$dir" && "$jdk/bin/jar" xf "$jar" "$native")
    mv "$dir/$native" "$dir/app/native/" && rm -r "$dir/com"
  fi
  if [ "$module" = device-plugin ]; then
    mkdir -p "$dir/opt/java/bin"
    "${cc:-gcc}" -Os -static -s -o "$dir/opt/java/bin/gpushare-device-plugin-v2" "$root/deploy/images/gpushare-device-plugin-v2.c"
  fi
  cp "$root/deploy/images/java.security" "$dir/app/"
  cp "$root/deploy/images/$module.args" "$dir/app/jvm.args"
  set_times "$dir"
}

set_times() {
  find "$1" -exec touch -h -d "@$epoch" {} +
}
