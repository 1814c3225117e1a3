# shellcheck shell=bash
# What .ci/run and e2e-tests/everything share: steps with their times, and last lines that say what failed and what was not
# run. With go_on=1 a failed step does not end the run.

# The folder with the programs of a current Kubernetes, or nothing.
current=$(e2e-tests/local-kubernetes/current) || [ -z "${GPUSHARE_KUBERNETES-}" ]
times=() failed=() not_run=() running=''

say() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

# step NAME COMMAND...
step() {
    local began=$SECONDS result=''
    running=$1
    say "$running"
    shift
    if [ -z "${go_on-}" ]; then
        "$@"
    elif ! (set -e; "$@"); then
        result=': FAILED'
        failed+=("$running")
    fi
    times+=("$(printf '%5d s  %s%s' $((SECONDS - began)) "$running" "$result")")
    running=''
}

# skip WHAT WHY
skip() { not_run+=("$1 ($2)"); }

# Scenarios on kind, where an engine and the image of a node are there: the one made of the programs of a current Kubernetes,
# else one that the engine has or can pull.
on_kind() {
    local image=kindest/node:v1.34.0 why
    if [ -n "$current" ] && why=$(e2e-tests/kind-node-image --check "$current" 2>&1) && why=$(e2e-tests/kind-engine --check 2>&1); then
        step "RbacIT, MainPathIT on kind, of $current" e2e-tests/kind-engine bash -c 'set -euo pipefail
            image=$(e2e-tests/kind-node-image "$1" | tail -n 1)
            e2e-tests/scenario RbacIT,MainPathIT -Dgpushare.cluster=kind -Dgpushare.kind.image="$image"' - "$current"
    elif docker info >/dev/null 2>&1 && { docker image inspect "$image" || timeout 300 docker pull -q "$image"; } >/dev/null 2>&1; then
        step "RbacIT, MainPathIT on kind, of $image" \
            e2e-tests/scenario RbacIT,MainPathIT -Dgpushare.cluster=kind -Dgpushare.kind.image="$image"
    else
        why=${why-no programs of a current Kubernetes}
        skip 'scenarios on kind' "no node image: ${why##*$'\n'}; no Docker engine has or pulls $image"
    fi
}

summary() {
    local code=$?
    [ -z "$running" ] || failed+=("$running")
    printf '\n'
    [ ${#times[@]} = 0 ] || printf '%s\n' "${times[@]}"
    printf '%5d s  in all\n' "$SECONDS"
    [ ${#failed[@]} = 0 ] || printf 'Failed: %s\n' "${failed[@]}"
    if [ ${#not_run[@]} = 0 ]; then echo 'Not run: nothing.'; else printf 'Not run: %s\n' "${not_run[@]}"; fi
    [ "$code" != 0 ] || [ ${#failed[@]} = 0 ] || code=1
    exit "$code"
}
trap summary EXIT
