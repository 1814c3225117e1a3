# shellcheck shell=bash disable=SC2034,SC2154 # the programs and this file set and read each other's variables
# Shared functions of the programs in this folder: the layout of a cluster's state, and starting, checking and stopping
# its components. A cluster runs in its own mount, network and process namespaces, so it does not change the machine's
# folders, firewall and sysctls, and it ends completely when the first process of the namespaces ends.

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
program=$(basename "$0")
components=(etcd kube-apiserver kube-controller-manager kube-scheduler runtime kubelet kube-proxy)
# The contents of the state folder except logs, which `stop` removes.
contents=(cni config etcd images kubeconfig kubelet kubernetes nodes pids pod-logs run runtime settings sysctl)
# The fixed folders that a node writes to, each with the node's own folder that is mounted over it.
places=(/var/lib/kubelet=kubelet /var/lib/cni=cni /var/log/pods=pod-logs/pods /var/log/containers=pod-logs/containers
    /run/gpushare=run/gpushare /run/cdi=run/cdi)
# The further nodes; each has its own mount namespace and its own address in the cluster's network.
more_nodes=() at=''
# shellcheck source=/dev/null
. "$here/runtime.bash"

say() { printf '[%d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2; }
fail() { printf '%s: %s\n' "$program" "$*" >&2; exit 1; }

# programs_in FOLDER: prints the folder of the programs: FOLDER itself, its bin, or an unpacked server archive's.
programs_in() {
    local candidate
    for candidate in "$1" "$1/bin" "$1/server/bin" "$1/kubernetes/server/bin"; do
        [ ! -x "$candidate/kubelet" ] || { readlink -f "$candidate"; return 0; }
    done
    fail "there is no kubelet in $1, nor in its bin or kubernetes/server/bin"
}

# minor_of FOLDER: prints the N of Kubernetes 1.N whose kubelet is in the folder.
minor_of() {
    local minor
    minor=$("$1/kubelet" --version | sed -n 's/^Kubernetes v1\.\([0-9]*\)\..*/\1/p')
    [ -n "$minor" ] || fail "can't tell the version of $1/kubelet"
    echo "$minor"
}

# use_state FOLDER: sets $state to the folder's absolute path.
use_state() {
    [ "$(id -u)" = 0 ] || fail 'needs root: it starts a kubelet, which mounts folders and creates namespaces'
    state=$(readlink -m "$1")
    # A Unix socket's path has at most 107 characters.
    [ ${#state} -le 60 ] || fail "the path $state is too long; use a state folder of at most 60 characters"
    case $state in
        / | /run | /run/* | /proc/* | /sys/* | /dev) fail "$state can't be the state folder; use one under /tmp or /var" ;;
    esac
}

# Reads the settings that `start` has written, and sets the paths and addresses.
load_settings() {
    [ -r "$state/settings" ] || fail "there is no cluster in $state; start one with: $here/start $state"
    # shellcheck source=/dev/null
    . "$state/settings"
    folder=$(readlink -f "$state/kubernetes")
    bin=$folder/bin
    host_ip=198.18.$network.1
    node_ip=198.18.$network.2
    service_ip=198.18.$network.129
    service_cidr=198.18.$network.128/25
    # By the folder, and not by the network: that is free before the control groups of its last cluster are removed.
    cgroups=gpushare-e2e-$(cksum <<<"$state" | cut -d ' ' -f 1)
    use_node "$node_name"
}

write_settings() {
    printf '%s=%q\n' node_name "$node_name" network "$network" minor "$minor" \
        runtime "$runtime" containerd_major "$containerd_major" crio_driver "${crio_driver-}" >"$state/settings"
    [ ${#more_nodes[@]} = 0 ] || printf 'more_nodes=(%s)\n' "${more_nodes[*]}" >>"$state/settings"
}

# The versions decide which flags and configurations the programs take: 1.$minor, and containerd's major version.
read_versions() {
    minor=$(minor_of "$bin")
    check_runtime
}

# use_node NAME: selects the node for the following calls. $at is the suffix of its processes' names.
use_node() {
    local number=1 name
    for name in "$node_name" "${more_nodes[@]}"; do
        [ "$name" != "$1" ] || break
        number=$((number + 1))
    done
    [ "$number" -le $((1 + ${#more_nodes[@]})) ] || fail "there is no node $1; there are: $node_name ${more_nodes[*]}"
    node=$1 at='' node_folder=$state kubelet_ip=$node_ip healthz_ip=127.0.0.1 bridge=pods
    pod_cidr=198.19.$((network + 64 * (number - 1))).0/24 cgroup_root=/$cgroups-$number
    [ "$number" -gt 1 ] || return 0
    at=@$node node_folder=$state/nodes/$number bridge=pods$number
    kubelet_ip=198.18.$network.$((8 + number)) healthz_ip=$kubelet_ip
}

# use_component NAME[@NODE]: selects the node, and sets $component to the component's name.
use_component() {
    component=${1%%@*}
    case $1 in
        *@*) use_node "${1#*@}" ;;
        *) use_node "$node_name" ;;
    esac
    [[ " ${components[*]} " == *" $component "* ]] || fail "there is no component $component"
    [ -z "$at" ] || [[ $component =~ ^(runtime|kubelet)$ ]] || fail "the node $node has only runtime and kubelet"
}

# The start time distinguishes a process from a later one with the same ID. A zombie (Z) has none.
start_time() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'; }

# pid_of NAME: prints the pid of a running process; fails if it does not run.
pid_of() {
    local pid started
    { read -r pid started <"$state/pids/$1"; } 2>/dev/null && [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ] && echo "$pid"
}

# remember_child NAME PID: records the only child of PID, which is the actual process behind `unshare` or `nsenter`.
remember_child() {
    local child=''
    while [ -z "$child" ]; do
        kill -0 "$2" 2>/dev/null || return 1
        child=$(pgrep -P "$2") || sleep 0.05
    done
    printf '%s %s\n' "$child" "$(start_time "$child")" >"$state/pids/$1"
    disown "$2"
}

# enter COMMAND...: runs a command in the node's namespaces, with a minimal environment.
enter() {
    local pid
    pid=$(pid_of "cluster$at") || fail "the cluster in $state doesn't run; start it with: $here/start $state"
    nsenter --target "$pid" --mount --net --pid -- env -i PATH="$bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root "$@"
}

launch() {
    local name=$1$at cluster
    shift
    cluster=$(pid_of "cluster$at") || failed cluster 'the cluster ended'
    printf '== %s: %s\n' "$(date -Is)" "$*" >>"$state/logs/$name.log"
    setsid nsenter --target "$cluster" --mount --net --pid -- \
        env -i PATH="$bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root "$@" >>"$state/logs/$name.log" 2>&1 </dev/null &
    remember_child "$name" $! || failed "$name" "$name ended at once"
    # Without its `nsenter`, which would be paused together with it, the process belongs to the namespace's first process.
    kill -KILL $!
}

# Without a proxy: the cluster's addresses are known only on this machine.
kubectl() { env -u HTTPS_PROXY -u https_proxy "$bin/kubectl" --kubeconfig "$state/kubeconfig" "$@"; }

failed() {
    printf '\n%s: %s. The end of %s:\n' "$program" "$2" "$state/logs/$1.log" >&2
    tail -n 25 "$state/logs/$1.log" | cut -c1-400 >&2
    exit 1
}

start_component() {
    local component gates=() versions=()
    use_component "$1"
    pid_of "$component$at" >/dev/null && return 0
    [ ! -e "$state/config/feature-gates" ] || gates=(--feature-gates "$(<"$state/config/feature-gates")")
    [ ! -e "$state/config/runtime-config" ] || versions=(--runtime-config "$(<"$state/config/runtime-config")")
    case $component in
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
                --audit-policy-file "$here/audit.yaml" --audit-log-path "$state/logs/audit.log" \
                --service-cluster-ip-range "$service_cidr" "${gates[@]}" "${versions[@]}" ;;
        kube-controller-manager)
            launch kube-controller-manager "$bin/kube-controller-manager" --bind-address 127.0.0.1 \
                "$(identity kube-controller-manager)" --leader-elect=false --use-service-account-credentials \
                --service-account-private-key-file "$state/config/service-accounts.key" \
                --root-ca-file "$state/config/ca.crt" "${gates[@]}" ;;
        kube-scheduler)
            local options=("$(identity kube-scheduler)" --leader-elect=false)
            [ ! -e "$state/config/scheduler-policy" ] || options+=(--policy-config-file "$state/config/scheduler-policy")
            [ ! -e "$state/config/scheduler-config" ] || options=(--config "$state/config/scheduler-config")
            launch kube-scheduler "$bin/kube-scheduler" --bind-address 127.0.0.1 --v 2 "${options[@]}" \
                --authentication-kubeconfig "$state/config/kube-scheduler.kubeconfig" \
                --authorization-kubeconfig "$state/config/kube-scheduler.kubeconfig" "${gates[@]}" ;;
        runtime) launch_runtime ;;
        kubelet)
            local runtime=()
            [ "$minor" -ge 27 ] || runtime=(--container-runtime-endpoint "unix://$(runtime_socket)"
                --pod-infra-container-image docker.io/gpushare-e2e/pause:1)
            [ "$minor" -ge 24 ] || runtime+=(--container-runtime remote)
            launch kubelet "$bin/kubelet" "--kubeconfig=$node_folder/config/kubelet.kubeconfig" \
                --config "$node_folder/config/kubelet.yaml" --v 2 \
                --root-dir /var/lib/kubelet --hostname-override "$node" --node-ip "$kubelet_ip" "${runtime[@]}" "${gates[@]}" ;;
        kube-proxy)
            # With zeros kube-proxy does not change the machine's connection limits.
            launch kube-proxy "$bin/kube-proxy" "$(identity kube-proxy)" --proxy-mode iptables \
                --hostname-override "$node_name" --cluster-cidr "$pod_cidr" --conntrack-max-per-core 0 \
                --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0 ;;
    esac
}

identity() { printf -- '--kubeconfig=%s' "$state/config/$1.kubeconfig"; }

is_healthy() {
    local component
    use_component "$1"
    case $component in
        etcd) enter curl -fsS http://127.0.0.1:2379/health ;;
        kube-apiserver) kubectl get --raw /readyz ;;
        kube-controller-manager) enter curl -fsSk https://127.0.0.1:10257/healthz ;;
        kube-scheduler) enter curl -fsSk https://127.0.0.1:10259/healthz ;;
        runtime) runtime_is_healthy ;;
        kubelet) enter curl -fsS "http://$healthz_ip:10248/healthz" ;;
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

kill_component() {
    local pid
    pid=$(pid_of "$1") || return 0
    kill -KILL "$pid"
    while pid_of "$1" >/dev/null; do sleep 0.05; done
}

# take_scheduler_option OPTION FILE: sets the configuration of the next start of the scheduler.
take_scheduler_option() {
    [ "$1" = --scheduler-plain ] || [ -r "$2" ] || fail "$1: can't read the file $2"
    rm -f "$state/config/scheduler-config" "$state/config/scheduler-policy"
    case $1 in
        --scheduler-policy) cp "$2" "$state/config/scheduler-policy" ;;
        --scheduler-config)
            cp "$2" "$state/config/scheduler-config"
            # With --config the scheduler ignores --kubeconfig and --leader-elect, so both are added unless the file sets them.
            grep -q '^clientConnection:' "$2" ||
                printf '\nclientConnection:\n  kubeconfig: %s\n' "$state/config/kube-scheduler.kubeconfig" >>"$state/config/scheduler-config"
            grep -q '^leaderElection:' "$2" ||
                printf '\nleaderElection:\n  leaderElect: false\n' >>"$state/config/scheduler-config" ;;
    esac
}

# image_tar TAR NAMES COMMAND ROOT: writes an image archive, as `docker save` does, with the folder ROOT as its layer. Several
# names are joined by `","`.
image_tar() {
    local work layer config
    work=$(mktemp -d)
    tar -C "$4" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$work/layer.tar" .
    layer=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
    printf '{"architecture":"%s","os":"linux","config":{"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"Cmd":["%s"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
        "$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')" "$3" "$layer" >"$work/config.json"
    config=$(sha256sum "$work/config.json" | cut -d' ' -f1).json
    mv "$work/config.json" "$work/$config"
    printf '[{"Config":"%s","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$config" "$2" >"$work/manifest.json"
    tar -C "$work" --sort=name --mtime=@0 --owner=0 --group=0 -cf "$1" "$config" layer.tar manifest.json
    rm -rf "$work"
}

# The parts of every node: folders, identity, configuration and images.
bind_places() {
    local pair
    for pair in "${places[@]}"; do
        mkdir -p "$node_folder/${pair#*=}"
        enter mkdir -p "${pair%=*}"
        enter mount --bind "$node_folder/${pair#*=}" "${pair%=*}"
    done
}

certificate() {
    openssl req -x509 -CA "$state/config/ca.crt" -CAkey "$state/config/ca.key" -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
        -nodes -days 365 -keyout "$state/config/$1.key" -out "$state/config/$1.crt" -subj "$2" \
        -addext 'basicConstraints=critical,CA:FALSE' -addext "$3" 2>>"$state/logs/cluster.log"
}

# kubeconfig USER CREDENTIAL: prints a kubeconfig; the credential is one line of YAML.
kubeconfig() {
    cat <<EOF
apiVersion: v1
kind: Config
current-context: gpushare-e2e
contexts: [{name: gpushare-e2e, context: {cluster: gpushare-e2e, user: $1}}]
clusters:
- name: gpushare-e2e
  cluster:
    server: https://$node_ip:6443
    certificate-authority-data: $(base64 -w0 "$state/config/ca.crt")
users: [{name: $1, user: {$2}}]
EOF
}

# make_cgroups: makes the control group of the node's pods, in every hierarchy of the machine.
make_cgroups() {
    local controllers hierarchy
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
        mkdir -p "/sys/fs/cgroup$cgroup_root"
        controllers=$(sed 's/[^ ]*/+&/g' /sys/fs/cgroup/cgroup.controllers)
        echo "$controllers" >/sys/fs/cgroup/cgroup.subtree_control
    else
        for hierarchy in /sys/fs/cgroup/*/; do
            mkdir -p "$hierarchy$cgroup_root"
        done
    fi
}

configure_kubelet() {
    make_cgroups
    cat >"$node_folder/config/kubelet.yaml" <<EOF
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $kubelet_ip
healthzBindAddress: $healthz_ip
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $state/config/ca.crt}
authorization: {mode: Webhook}
volumePluginDir: $node_folder/run/volume-plugins
# Pods have control groups as on other nodes; the machine's own groups stay unchanged.
cgroupDriver: cgroupfs
cgroupRoot: $cgroup_root
enforceNodeAllocatable: []
# The machine may lack CAP_SYS_RESOURCE, and may have swap and little disk space.
oomScoreAdj: 0
failSwapOn: false
evictionHard: {memory.available: 50Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
# There is no cluster DNS.
resolvConf: ""
EOF
    [ "$minor" -lt 27 ] ||
        echo "containerRuntimeEndpoint: unix://$(runtime_socket)" >>"$node_folder/config/kubelet.yaml"
    # The machine may have version 1 of the control groups.
    [ "$minor" -lt 31 ] || echo 'failCgroupV1: false' >>"$node_folder/config/kubelet.yaml"
}

import_images() {
    local image
    for image in pause busybox; do
        load_image "$state/images/$image.tar" >>"$state/logs/cluster.log" 2>&1 ||
            failed cluster "the image $image couldn't be loaded"
    done
}

# Whether the node is ready and untainted, and the pods' default service account exists.
takes_pods() {
    local ready taints account
    ready=$(kubectl get node "$node" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null) &&
        [ "$ready" = True ] && taints=$(kubectl get node "$node" -o 'jsonpath={.spec.taints}') && [ -z "$taints" ] &&
        account=$(kubectl get serviceaccount default -o 'jsonpath={.metadata.name}{.secrets[0].name}' 2>/dev/null) &&
        { [ "$minor" -ge 24 ] || [ "$account" != default ]; }
}

# wait_for_node COMPONENT...: waits until the node is ready for pods; all these components must run.
wait_for_node() {
    local deadline=$((SECONDS + 180)) next=$((SECONDS + 10)) name
    until takes_pods; do
        for name in "$@"; do
            pid_of "$name" >/dev/null || failed "$name" "$name ended"
        done
        [ "$SECONDS" -lt "$deadline" ] || failed "kubelet$at" "the node isn't ready for pods after three minutes"
        if [ "$SECONDS" -ge "$next" ]; then
            say "still waiting: $(kubectl get node "$node" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].message}' 2>&1 || true)"
            next=$((SECONDS + 10))
        fi
        sleep 0.5
    done
}
