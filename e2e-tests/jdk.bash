# shellcheck shell=bash
# find_jdk: sets jdk to JDK 25 or newer, JAVA_HOME if it qualifies, otherwise one in the usual folders; returns 1 without one.
# Maven itself runs on the java of the PATH or, where there is none, on that JDK.
find_jdk() {
  local home
  for home in ${JAVA_HOME:+"$JAVA_HOME"} /usr/lib/jvm/* "$HOME"/.jdks/* "$HOME"/.sdkman/candidates/java/*; do
    if [ -x "$home/bin/javac" ] && grep -qE '^JAVA_VERSION="(2[5-9]|[3-9][0-9])' "$home/release" 2>/dev/null; then
      # shellcheck disable=SC2034 # for those who read this file
      jdk=$home
      command -v java >/dev/null || export JAVA_HOME=$home
      return 0
    fi
  done
  return 1
}
