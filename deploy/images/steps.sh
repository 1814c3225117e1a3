# The steps of `build`, one function each. The Dockerfiles use the functions for the runtime and the program.
# Source this file with the variables root (the checkout), out (the output directory) and jdk, and the function fail.

# The JDK modules of the programs: java.sql for client-java's date adapters, java.naming for its TLS host names,
# jdk.unsupported for Netty, java.management and jdk.management for JVM metrics, jdk.httpserver for the plugin's metrics.
modules=java.base,java.logging,java.management,java.naming,java.sql,jdk.httpserver,jdk.management,jdk.unsupported

# The modification time of every file in an image, for reproducible builds.
epoch=1

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

# Debian's C library and nothing else. glibc is required: the driver library that the NVIDIA runtime mounts is built against
# it. Downloaded once per suite; remove the directory to download it again.
make_libc() {
  local dir=$1 suite=$2
  [ "$(cat "$dir.suite" 2>/dev/null)" = "$suite" ] && return
  rm -rf "$dir" && mkdir -p "$dir"
  echo "fetching libc6 of Debian $suite" >&2
  mmdebstrap --quiet --variant=extract --include=libc6 "$suite" - >"$dir.fetched"
  tar -xf "$dir.fetched" -C "$dir" --no-same-owner --exclude='*/gconv' \
    --wildcards ./lib/x86_64-linux-gnu ./lib64 ./etc/ld.so.conf.d './usr/share/doc/*/copyright'
  rm "$dir.fetched"
  mkdir -p "$dir"/usr/lib/x86_64-linux-gnu "$dir"/{proc,sys,dev,run,tmp,var/lib}
  chmod 1777 "$dir/tmp"
  # The NVIDIA runtime reads debian_version to find the library directories, and refreshes the loader cache.
  echo 12 >"$dir/etc/debian_version"
  echo 'include /etc/ld.so.conf.d/*.conf' >"$dir/etc/ld.so.conf"
  printf 'root:x:0:0:root:/:/none\nnonroot:x:65532:65532:nonroot:/:/none\n' >"$dir/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' >"$dir/etc/group"
  echo 'hosts: files dns' >"$dir/etc/nsswitch.conf"
  echo "$suite" >"$dir.suite"
}

# The Java runtime with the required modules, in /opt/java.
make_runtime() {
  local dir=$1 made
  made="$modules $(sha256sum <"$jdk/release")"
  [ "$(cat "$dir.made" 2>/dev/null)" = "$made" ] && return
  rm -rf "$dir" && mkdir -p "$dir/opt"
  "$jdk/bin/jlink" --add-modules "$modules" --strip-debug --no-man-pages --no-header-files --output "$dir/opt/java"
  # A class data archive of the JDK saves 100 ms at start. Only G1 writes the heap objects of the archive; every
  # collector reads them.
  "$dir/opt/java/bin/java" -XX:+UseG1GC -Xshare:dump >/dev/null
  echo "$made" >"$dir.made"
}

# One program in /app: its jars, its JVM options, and JNA's native library, which cannot be unpacked on a read-only root. The
# device plugin can also be started by the name that gpushare's manifest uses.
make_app() {
  local module=$1 dir=$2 jar native
  native=com/sun/jna/linux-$(uname -m | tr _ -)/libjnidispatch.so
  rm -rf "$dir" && mkdir -p "$dir/app/lib" "$dir/app/native" "$dir/usr/share/doc/gpushare"
  cp "$root/LICENSE" "$dir/usr/share/doc/gpushare/copyright"
  [ -d "$root/$module/target/lib" ] || fail "no jars of $module; run without -k"
  cp "$root/$module"/target/lib/*.jar "$dir/app/lib/"
  cp "$(ls "$root/$module/target/$module"-*.jar | grep -v -e '-tests\.jar$' -e '-sources\.jar$')" "$dir/app/lib/"
  jar=$(ls "$dir"/app/lib/jna-5*.jar 2>/dev/null || true)
  if [ -n "$jar" ]; then
    (cd "$dir" && "$jdk/bin/jar" xf "$jar" "$native")
    mv "$dir/$native" "$dir/app/native/" && rm -r "$dir/com"
  fi
  if [ "$module" = device-plugin ]; then
    mkdir -p "$dir/opt/java/bin"
    gcc -Os -static -s -o "$dir/opt/java/bin/gpushare-device-plugin-v2" "$root/deploy/images/gpushare-device-plugin-v2.c"
  fi
  cp "$root/deploy/images/java.security" "$dir/app/"
  cp "$root/deploy/images/$module.args" "$dir/app/jvm.args"
  find "$dir" -exec touch -h -d "@$epoch" {} +
}

# Packs a directory as a layer: owned by root, sorted, with one modification time.
close_layer() {
  tar --create --file "$2" --directory "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" \
    --mode='u+rw,go+r,go-w' --format=gnu .
}

digest() {
  sha256sum "$1" | cut -d' ' -f1
}

# Writes an image tar in the format of `docker save`, which containerd and podman read as well. Layers are compressed once.
make_image() {
  local name=$1 user=$2 environment=$3 tar=$4 dir layer blob config diffs='' paths='' variable variables=''
  shift 4
  for variable in $environment; do
    variables+=",\"$variable\""
  done
  dir=$(mktemp -d "$out/image.XXXXXX")
  for layer in "$@"; do
    [ -f "$layer.gz" ] || gzip -n -c "$layer" >"$layer.gz"
    blob=$(digest "$layer.gz").tar.gz
    ln "$layer.gz" "$dir/$blob"
    diffs+="${diffs:+,}\"sha256:$(digest "$layer")\""
    paths+="${paths:+,}\"$blob\""
  done
  cat >"$dir/config" <<JSON
{"architecture":"amd64","os":"linux","created":"1970-01-01T00:00:01Z","config":{"User":"$user",\
"Env":["PATH=/opt/java/bin","JAVA_HOME=/opt/java","LANG=C.UTF-8"$variables],\
"Entrypoint":["/opt/java/bin/java","@/app/jvm.args"],"WorkingDir":"/",\
"Labels":{"org.opencontainers.image.title":"${name##*/}","org.opencontainers.image.licenses":"Apache-2.0"}},\
"rootfs":{"type":"layers","diff_ids":[$diffs]}}
JSON
  config=$(digest "$dir/config").json
  mv "$dir/config" "$dir/$config"
  echo "[{\"Config\":\"$config\",\"RepoTags\":[\"$name\"],\"Layers\":[$paths]}]" >"$dir/manifest.json"
  close_layer "$dir" "$tar"
  rm -r "$dir"
}

megabytes() {
  awk -v bytes="$1" 'BEGIN { printf "%.1f MB", bytes / 1e6 }'
}

report_sizes() {
  local name=$1 tar=$2 layer parts='' unpacked=0 size
  shift 2
  for layer in "$@"; do
    size=$(stat -c %s "$out/layers/$layer.tar")
    unpacked=$((unpacked + size))
    parts+="${parts:+, }$layer $(megabytes "$size")"
  done
  echo "$name: ${tar#"$root/"} $(megabytes "$(stat -c %s "$tar")"), unpacked $(megabytes "$unpacked") ($parts)"
}
