# shellcheck shell=bash disable=SC2034,SC2154 # the programs and this file set and read each other's variables
# What the programs of this folder share: where a cluster's things lie, and how one of its processes is started,
# looked at and ended. The whole cluster lives in a mount, network and process namespace of its own, so it leaves the
# machine's folders, firewall and sysctls alone, and ends, with everything in it, when the namespace's first process does.

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
program=$(basename "$0")
components=(etcd kube-apiserver kube-controller-manager kube-scheduler containerd kubelet kube-proxy)
# All that `start` makes in the state folder, beside logs, and removes again.
contents=(cni config containerd etcd images kubeconfig kubelet kubernetes pids pod-logs run settings sysctl)

say() { printf '[%d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2; }
fail() { printf '%s: %s\n' "$program" "$*" >&2; exit 1; }

# use_state FOLDER: the folder's absolute path in $state.
use_state() {
    [ "$(id -u)" = 0 ] || fail 'needs root: it starts a kubelet, which mounts and makes namespaces'
    state=$(readlink -m "$1")
    # A Unix socket's path has at most 107 characters.
    [ ${#state} -le 60 ] || fail "$state is too long a path; take a state folder of at most 60 characters"
    case $state in
        / | /run | /run/* | /proc/* | /sys/* | /dev) fail "$state can't be the state folder; take one under /tmp or /var" ;;
    esac
}

# Where things are, once `start` has written down what it chose.
load_settings() {
    [ -r "$state/settings" ] || fail "there is no cluster in $state; begin one with: $here/start $state"
    # shellcheck source=/dev/null
    . "$state/settings"
    bin=$(readlink -f "$state/kubernetes")/bin
    host_ip=198.18.$network.1
    node_ip=198.18.$network.2
    service_ip=198.18.$network.129
    service_cidr=198.18.$network.128/25
    pod_cidr=198.19.$network.0/24
}

write_settings() { printf '%s=%q\n' node_name "$node_name" network "$network" >"$state/settings"; }

# A process' start time tells it from a later one that was given the same number. One that ended (Z) has none.
start_time() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'; }

# pid_of NAME: prints the pid of a process that runs; false if it doesn't.
pid_of() {
    local pid started
    { read -r pid started <"$state/pids/$1"; } 2>/dev/null && [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ] && echo "$pid"
}

# remember_child NAME PID: writes down the one child of PID, the process proper behind `unshare` or `nsenter`.
remember_child() {
    local child=''
    while [ -z "$child" ]; do
        kill -0 "$2" 2>/dev/null || return 1
        child=$(pgrep -P "$2") || sleep 0.05
    done
    printf '%s %s\n' "$child" "$(start_time "$child")" >"$state/pids/$1"
    disown "$2"
}

# enter COMMAND...: runs it inside the cluster's namespaces, with no more of the environment than a path.
enter() {
    local pid
    pid=$(pid_of cluster) || fail "the cluster in $state doesn't run; start it with: $here/start $state"
    nsenter --target "$pid" --mount --net --pid -- env -i PATH="$bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root "$@"
}

launch() {
    local name=$1 cluster
    shift
    cluster=$(pid_of cluster) || failed cluster 'the cluster ended'
    printf '== %s: %s\n' "$(date -Is)" "$*" >>"$state/logs/$name.log"
    setsid nsenter --target "$cluster" --mount --net --pid -- \
        env -i PATH="$bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root "$@" >>"$state/logs/$name.log" 2>&1 </dev/null &
    remember_child "$name" $! || failed "$name" "$name ended at once"
    # Its `nsenter` would stop with it when it's paused; without one it belongs to the namespace's first process.
    kill -KILL $!
}

# Through no proxy: the cluster's addresses are known on this machine only.
kubectl() { env -u HTTPS_PROXY -u https_proxy "$bin/kubectl" --kubeconfig "$state/kubeconfig" "$@"; }

failed() {
    printf '\n%s: %s. The end of %s:\n' "$program" "$2" "$state/logs/$1.log" >&2
    tail -n 25 "$state/logs/$1.log" | cut -c1-400 >&2
    exit 1
}

start_component() {
    pid_of "$1" >/dev/null && return 0
    case $1 in
        etcd)
            launch etcd "$bin/etcd" --data-dir "$state/etcd" --logger zap \
                --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
                --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
                --initial-cluster default=http://127.0.0.1:2380 ;;
        kube-apiserver)
            launch kube-apiserver "$bin/kube-apiserver" --etcd-servers http://127.0.0.1:2379 \
                --bind-address 0.0.0.0 --advertise-address "$node_ip" --secure-port 6443 \
                --tls-cert-file "$state/config/kube-apiserver.crt" --tls-private-key-file "$state/config/kube-apiserver.key" \
                --client-ca-file "$state/config/ca.crt" --token-auth-file "$state/config/tokens.csv" \
                --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction --allow-privileged=true \
                --kubelet-client-certificate "$state/config/kubelet-client.crt" \
                --kubelet-client-key "$state/config/kubelet-client.key" --kubelet-preferred-address-types InternalIP \
                --service-account-issuer https://kubernetes.default.svc \
                --service-account-key-file "$state/config/service-accounts.key" \
                --service-account-signing-key-file "$state/config/service-accounts.key" \
                --service-cluster-ip-range "$service_cidr" ;;
        kube-controller-manager)
            launch kube-controller-manager "$bin/kube-controller-manager" --bind-address 127.0.0.1 \
                "$(identity kube-controller-manager)" --leader-elect=false --use-service-account-credentials \
                --service-account-private-key-file "$state/config/service-accounts.key" \
                --root-ca-file "$state/config/ca.crt" ;;
        kube-scheduler)
            local options=("$(identity kube-scheduler)" --leader-elect=false)
            [ ! -e "$state/config/scheduler-policy" ] || options+=(--policy-config-file "$state/config/scheduler-policy")
            [ ! -e "$state/config/scheduler-config" ] || options=(--config "$state/config/scheduler-config")
            launch kube-scheduler "$bin/kube-scheduler" --bind-address 127.0.0.1 --v 2 "${options[@]}" \
                --authentication-kubeconfig "$state/config/kube-scheduler.kubeconfig" \
                --authorization-kubeconfig "$state/config/kube-scheduler.kubeconfig" ;;
        containerd)
            launch containerd "$bin/containerd" --config "$state/config/containerd.toml" ;;
        kubelet)
            launch kubelet "$bin/kubelet" "$(identity kubelet)" --config "$state/config/kubelet.yaml" --v 2 \
                --root-dir /var/lib/kubelet --hostname-override "$node_name" --node-ip "$node_ip" \
                --container-runtime remote --container-runtime-endpoint "unix://$state/run/containerd.sock" \
                --pod-infra-container-image docker.io/gpushare-e2e/pause:1 ;;
        kube-proxy)
            # Zeros: it shall not try the machine's connection limits.
            launch kube-proxy "$bin/kube-proxy" "$(identity kube-proxy)" --proxy-mode iptables \
                --hostname-override "$node_name" --cluster-cidr "$pod_cidr" --conntrack-max-per-core 0 \
                --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0 ;;
    esac
}

identity() { printf -- '--kubeconfig=%s' "$state/config/$1.kubeconfig"; }

is_healthy() {
    case $1 in
        etcd) enter curl -fsS http://127.0.0.1:2379/health ;;
        kube-apiserver) kubectl get --raw /readyz ;;
        kube-controller-manager) enter curl -fsSk https://127.0.0.1:10257/healthz ;;
        kube-scheduler) enter curl -fsSk https://127.0.0.1:10259/healthz ;;
        containerd) enter ctr --connect-timeout 2s --address "$state/run/containerd.sock" version ;;
        kubelet) enter curl -fsS http://127.0.0.1:10248/healthz ;;
        kube-proxy) enter curl -fsS http://127.0.0.1:10256/healthz ;;
    esac >/dev/null 2>&1
}

wait_healthy() {
    local deadline=$((SECONDS + 120))
    until is_healthy "$1"; do
        pid_of "$1" >/dev/null || failed "$1" "$1 ended"
        [ "$SECONDS" -lt "$deadline" ] || failed "$1" "$1 isn't healthy after two minutes"
        sleep 0.3
    done
}

stop_component() {
    local pid deadline=$((SECONDS + 5))
    pid=$(pid_of "$1") || return 0
    kill -TERM "$pid" 2>/dev/null || true
    kill -CONT "$pid" 2>/dev/null || true
    while pid_of "$1" >/dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || kill -KILL "$pid" 2>/dev/null || true
        sleep 0.1
    done
}

# take_scheduler_option OPTION FILE: what the scheduler is to read from its next start on.
take_scheduler_option() {
    [ "$1" = --scheduler-plain ] || [ -r "$2" ] || fail "$1: can't read the file $2"
    rm -f "$state/config/scheduler-config" "$state/config/scheduler-policy"
    case $1 in
        --scheduler-policy) cp "$2" "$state/config/scheduler-policy" ;;
        --scheduler-config)
            cp "$2" "$state/config/scheduler-config"
            # With --config the scheduler ignores --kubeconfig and --leader-elect, so both go in where the file is silent.
            grep -q '^clientConnection:' "$2" ||
                printf '\nclientConnection:\n  kubeconfig: %s\n' "$state/config/kube-scheduler.kubeconfig" >>"$state/config/scheduler-config"
            grep -q '^leaderElection:' "$2" ||
                printf '\nleaderElection:\n  leaderElect: false\n' >>"$state/config/scheduler-config" ;;
    esac
}

# image_tar TAR NAME COMMAND ROOT: an image archive, as `docker save` writes them, of one layer, the folder ROOT.
image_tar() {
    local work layer config
    work=$(mktemp -d)
    tar -C "$4" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$work/layer.tar" .
    layer=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
    printf '{"architecture":"%s","os":"linux","config":{"Env":["PATH=/bin"],"Cmd":["%s"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
        "$(dpkg --print-architecture)" "$3" "$layer" >"$work/config.json"
    config=$(sha256sum "$work/config.json" | cut -d' ' -f1).json
    mv "$work/config.json" "$work/$config"
    printf '[{"Config":"%s","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$config" "$2" >"$work/manifest.json"
    tar -C "$work" --sort=name --mtime=@0 --owner=0 --group=0 -cf "$1" "$config" layer.tar manifest.json
    rm -rf "$work"
}
