# The steps of `build` that write files: layers, images and SBOMs. Source this file after steps.sh.

# Packs a directory as a layer: owned by root, sorted, with one modification time.
close_layer() {
  tar --create --file "$2" --directory "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" \
    --mode='u+rw,go+r,go-w' --format=gnu .
}

digest() {
  sha256sum "$1" | cut -d' ' -f1
}

# Joins NAME=VALUE arguments as members of a JSON object.
members() {
  local pair all=
  for pair in "$@"; do
    all+="${all:+,}\"${pair%%=*}\":\"${pair#*=}\""
  done
  echo "$all"
}

# Writes an image tar in the format of `docker save`, which containerd and podman read as well. Layers are compressed once.
# $labels are NAME=VALUE.
make_image() {
  local name=$1 user=$2 environment=$3 description=$4 tar=$5 dir layer blob config diffs='' paths='' variable variables=''
  shift 5
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
  title=${name##*/}
  cat >"$dir/config" <<JSON
{"architecture":"$arch","os":"linux","created":"1970-01-01T00:00:01Z","config":{"User":"$user",\
"Env":["PATH=/opt/java/bin","JAVA_HOME=/opt/java","LANG=C.UTF-8"$variables],\
"Entrypoint":["/opt/java/bin/java","@/app/jvm.args"],"WorkingDir":"/",\
"Labels":{$(members org.opencontainers.image.title="${title%:*}" org.opencontainers.image.version="${title#*:}" \
  org.opencontainers.image.description="$description" org.opencontainers.image.licenses=Apache-2.0 "${labels[@]}")}},\
"rootfs":{"type":"layers","diff_ids":[$diffs]}}
JSON
  config=$(digest "$dir/config").json
  mv "$dir/config" "$dir/$config"
  echo "[{\"Config\":\"$config\",\"RepoTags\":[\"$name\"],\"Layers\":[$paths]}]" >"$dir/manifest.json"
  close_layer "$dir" "$tar"
  rm -r "$dir"
}

# The commit that is built, with -dirty if files differ from it; nothing outside of git.
revision() {
  git -C "$root" describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || true
}

# Writes the SBOM of an image in CycloneDX, under the name of the program: Maven's list of the jars, the Java runtime, and the
# Debian packages.
make_sbom() {
  local module=$1 sbom=$2 java file package version
  java=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$out/runtime/opt/java/release")
  {
    component platform openjdk "$java" "pkg:generic/openjdk@$java" "\"cpe\" : \"cpe:2.3:a:oracle:openjdk:$java:*:*:*:*:*:*:*\", "
    for file in "$out"/libc/var/lib/dpkg/status.d/*; do
      package=$(sed -n 's/^Package: //p' "$file")
      version=$(sed -n 's/^Version: //p' "$file")
      component library "$package" "$version" \
        "pkg:deb/debian/$(encoded "$package")@$(encoded "$version")?arch=$arch&distro=debian-$(cat "$out/libc/etc/debian_version")" ''
    done
  } >"$sbom.part"
  sed -e "0,/\"name\" : \"$module[a-z-]*\"/s//\"name\" : \"$module\"/" -e "/^  \"components\" : \[/r $sbom.part" \
    "$root/$module/target/bom.json" >"$sbom"
  rm "$sbom.part"
}

component() {
  local type=$1 name=$2 version=$3 purl=$4 more=$5
  echo "    { \"type\" : \"$type\", \"bom-ref\" : \"$purl\", \"name\" : \"$name\", \"version\" : \"$version\", $more\"purl\" : \"$purl\" },"
}

encoded() {
  sed 's/+/%2B/g; s/:/%3A/g' <<<"$1"
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
