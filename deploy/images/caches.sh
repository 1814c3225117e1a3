# The steps of `build -c`: an AOT cache of the JVM (JEP 483, 514, 515) in each image, with the classes that the program
# loads, linked, and profiles of its methods. Source this file after steps.sh.
#
# The JVM rejects a cache whose class path, times of jars or runtime differ, and starts without it. So the caches are made
# with `try` from the images themselves.

check_caches() {
  [ "$arch" = "$(host_arch)" ] || fail "-c runs the programs, so it is for $(host_arch) only, not for $arch"
  unshare --mount --pid --fork $([ "$(id -u)" = 0 ] || echo --user --map-root-user) true 2>/dev/null \
    || fail "-c needs root, or user namespaces that unprivileged users can create"
}

# Runs the images in the sandbox, which places pods on simulated cards and checks them. It writes
# record/files/<module>.aotconf: the programs are several users, and no other user of this machine can reach the folder.
record_caches() {
  echo "recording both programs in the sandbox" >&2
  rm -rf "$out/record" && mkdir -m 700 "$out/record" && mkdir -m 777 "$out/record/files"
  [ -d "$root/e2e-tests/target/lib" ] || fail "no jars of e2e-tests; run without -k"
  "$jdk/bin/java" -cp "$root/e2e-tests/target/classes:$root/e2e-tests/target/lib/*" io.gpushare.e2e.sandbox.Sandbox \
    --repository "$root" --record "$out" >"$out/record/log" 2>&1 || fail "the run failed; its output is in $out/record/log"
}

# A layer with the cache, and the JVM options with it. The cache contains no machine code, which would be for the processor
# of this machine, and crash on an older one.
make_cache() {
  local module=$1 dir=$2
  "$root/deploy/images/try" -s 600 -v "$out/record/files:/record" -e "JAVA_TOOL_OPTIONS=-XX:+UnlockDiagnosticVMOptions \
-XX:-AOTAdapterCaching -XX:-AOTStubCaching -XX:AOTMode=create -XX:AOTConfiguration=/record/$module.aotconf \
-XX:AOTCache=/record/$module.aot" "$out/gpushare-$module.tar" >"$out/record/$module.log" 2>&1 && [ -s "$out/record/files/$module.aot" ] \
    || fail "no AOT cache of $module; see $out/record/$module.log"
  rm -rf "$dir" && mkdir -p "$dir/app"
  mv "$out/record/files/$module.aot" "$dir/app/program.aot"
  { echo "-XX:AOTCache=/app/program.aot" && cat "$root/deploy/images/$module.args"; } >"$dir/app/jvm.args"
  set_times "$dir"
}
