# shellcheck shell=bash disable=SC2034,SC2154 # cluster.bash and this file set and read each other's variables
# The container runtime of a node: what differs between containerd, CRI-O, and Docker with cri-dockerd. $runtime is one of the
# three; all listen on $(runtime_socket), write into $node_folder/runtime, and have the component's name `runtime`.

runtimes=(containerd crio docker)

runtime_socket() { echo "$node_folder/run/runtime.sock"; }

# The programs of each, beside runc: the first one tells that a folder has that runtime.
runtime_programs() {
    case $1 in
        containerd) echo containerd containerd-shim-runc-v2 ctr ;;
        crio) echo crio conmon pinns skopeo ;;
        docker) echo cri-dockerd dockerd docker docker-init containerd containerd-shim-runc-v2 ;;
    esac
}

check_runtime() {
    local name
    [[ " ${runtimes[*]} " == *" $runtime "* ]] || fail "there is no runtime $runtime; there are: ${runtimes[*]}"
    for name in $(runtime_programs "$runtime"); do
        PATH=$bin:$PATH command -v "$name" >/dev/null ||
            fail "$runtime needs the program $name: put it into the folder of --runtime, or install it"
    done
    containerd_major=0
    [ "$runtime" = containerd ] || return 0
    containerd_major=$("$bin/containerd" --version | grep -oE '\b[0-9]+\.[0-9]+\.[0-9]+' | head -n 1 | cut -d. -f1)
    [ -n "$containerd_major" ] || fail "can't tell the version of containerd in $bin"
    [ "$minor" -lt 36 ] || [ "$containerd_major" -ge 2 ] ||
        fail "Kubernetes 1.$minor needs containerd 2, but this is $("$bin/containerd" --version): put containerd, containerd-shim-runc-v2 and ctr into the folder of the programs"
}

configure_runtime() {
    local storage=overlay
    # An overlay can't be stacked on an overlay.
    [ "$(stat -f -c %T "$node_folder")" != overlayfs ] || storage=copies
    mkdir -p "$node_folder"/{config/cni,runtime}
    case $runtime in
        containerd) configure_containerd ;;
        crio) configure_crio ;;
        docker) configure_docker ;;
    esac
    cat >"$node_folder/config/cni/gpushare-e2e.conflist" <<EOF
{
  "cniVersion": "0.4.0",
  "name": "gpushare-e2e",
  "plugins": [{
    "type": "bridge", "bridge": "$bridge", "isDefaultGateway": true, "hairpinMode": true,
    "ipam": {"type": "host-local", "ranges": [[{"subnet": "$pod_cidr"}]]}
  }]
}
EOF
}

launch_runtime() {
    case $runtime in
        containerd) launch runtime "$bin/containerd" --config "$node_folder/config/containerd.toml" ;;
        crio) launch runtime crio --config "$node_folder/config/crio.conf" --config-dir '' ;;
        docker)
            # Docker goes on while cri-dockerd, the runtime for the kubelet, is restarted.
            pid_of "dockerd$at" >/dev/null || launch dockerd dockerd --config-file "$node_folder/config/docker.json" \
                --host "unix://$node_folder/run/docker.sock" --oom-score-adjust 0
            launch runtime cri-dockerd --container-runtime-endpoint "unix://$(runtime_socket)" \
                --docker-endpoint "unix://$node_folder/run/docker.sock" \
                --cri-dockerd-root-directory "$node_folder/runtime/cri-dockerd" --pod-infra-container-image gpushare-e2e/pause:1 \
                --network-plugin cni --cni-bin-dir "$folder/cni" --cni-conf-dir "$node_folder/config/cni" \
                --cni-cache-dir "$node_folder/runtime/cni" --streaming-bind-addr 127.0.0.1:0 ;;
    esac
}

runtime_is_healthy() {
    case $runtime in
        containerd) enter ctr --connect-timeout 2s --address "$(runtime_socket)" version ;;
        crio) enter curl -fsS --max-time 2 --unix-socket "$(runtime_socket)" http://localhost/info ;;
        docker) pid_of "runtime$at" && [ -S "$(runtime_socket)" ] && enter docker --host "unix://$node_folder/run/docker.sock" version ;;
    esac
}

load_image() {
    case $runtime in
        containerd) "$bin/ctr" --address "$(runtime_socket)" --namespace k8s.io images import "$1" ;;
        docker) enter docker --host "unix://$node_folder/run/docker.sock" load --input "$1" ;;
        crio)
            local names name
            names=$(tar -xOf "$1" --wildcards '*manifest.json' | grep -oE '"RepoTags":\[[^]]*\]' | grep -oE '"[^":]+:[^"]+"' | tr -d '"')
            for name in $names; do
                # Only the first part with a dot is a registry's.
                [[ ${name%%/*} == *.* ]] || name=docker.io/$name
                enter skopeo --insecure-policy copy --quiet "docker-archive:$1:$name" \
                    "containers-storage:[$crio_driver@$node_folder/runtime/storage+$node_folder/runtime/run]$name"
            done ;;
    esac
}

# The configurations of containerd print to the output; the argument is the snapshotter.
containerd_1() {
    cat <<EOF
version = 2
root = "$node_folder/runtime/root"
state = "$node_folder/runtime/state"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = "$(runtime_socket)"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/gpushare-e2e/pause:1"
  netns_mounts_under_state_dir = true
  # The machine may lack CAP_SYS_RESOURCE; every pod would fail without this.
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "$1"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "$folder/cni"
  conf_dir = "$node_folder/config/cni"
EOF
}

containerd_2() {
    cat <<EOF
version = 3
root = "$node_folder/runtime/root"
state = "$node_folder/runtime/state"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = "$(runtime_socket)"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "$1"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "docker.io/gpushare-e2e/pause:1"
[plugins."io.containerd.cri.v1.runtime"]
  netns_mounts_under_state_dir = true
  # The machine may lack CAP_SYS_RESOURCE; every pod would fail without this.
  restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
  BinaryName = "$bin/runc"
[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = ["$folder/cni"]
  conf_dir = "$node_folder/config/cni"
[plugins."io.containerd.nri.v1.nri"]
  disable = true
EOF
}

configure_containerd() {
    local snapshotter=overlayfs
    [ "$storage" != copies ] || snapshotter=native
    if [ "$containerd_major" -ge 2 ]; then
        containerd_2 "$snapshotter"
    else
        containerd_1 "$snapshotter"
    fi >"$node_folder/config/containerd.toml"
}

# CRI-O completes no short name of an image, unless there is one registry to search: Docker's.
configure_crio() {
    crio_driver=overlay
    [ "$storage" != copies ] || crio_driver=vfs
    write_reduced_runc "$node_folder/config/runc"
    echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$node_folder/config/policy.json"
    printf 'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "disabled"\n' >"$node_folder/config/registries.conf"
    # It reads this path alone.
    [ -e /etc/containers/registries.conf ] || fail 'there is no /etc/containers/registries.conf: install skopeo'
    enter mount --bind "$node_folder/config/registries.conf" /etc/containers/registries.conf
    mkdir -p "$node_folder"/runtime/{storage,run,exits,attach,namespaces}
    cat >"$node_folder/config/crio.conf" <<EOF
[crio]
root = "$node_folder/runtime/storage"
runroot = "$node_folder/runtime/run"
storage_driver = "$crio_driver"
log_dir = "$node_folder/runtime/logs"
version_file = "$node_folder/runtime/version"
version_file_persist = ""
clean_shutdown_file = ""
[crio.api]
listen = "$(runtime_socket)"
stream_address = "127.0.0.1"
stream_port = "0"
[crio.runtime]
cgroup_manager = "cgroupfs"
conmon_cgroup = "pod"
default_runtime = "runc"
pinns_path = "$(PATH=$bin:$PATH command -v pinns)"
container_exits_dir = "$node_folder/runtime/exits"
container_attach_socket_dir = "$node_folder/runtime/attach"
namespaces_dir = "$node_folder/runtime/namespaces"
apparmor_profile = "unconfined"
[crio.runtime.runtimes.runc]
runtime_path = "$node_folder/config/runc"
runtime_root = "$node_folder/runtime/runc"
monitor_path = "$(PATH=$bin:$PATH command -v conmon)"
[crio.image]
pause_image = "docker.io/gpushare-e2e/pause:1"
pause_command = "/pause"
signature_policy = "$node_folder/config/policy.json"
[crio.network]
network_dir = "$node_folder/config/cni"
plugin_dirs = ["$folder/cni"]
[crio.nri]
enable_nri = false
EOF
}

configure_docker() {
    local driver=overlay2
    [ "$storage" != copies ] || driver=vfs
    write_reduced_runc "$node_folder/config/runc"
    cat >"$node_folder/config/docker.json" <<EOF
{
  "data-root": "$node_folder/runtime/data", "exec-root": "$node_folder/runtime/exec", "pidfile": "$node_folder/run/docker.pid",
  "storage-driver": "$driver", "bridge": "none", "iptables": false, "ip6tables": false, "ip-forward": false, "ip-masq": false,
  "exec-opts": ["native.cgroupdriver=cgroupfs"], "features": {"cdi": true}, "cdi-spec-dirs": ["/var/run/cdi", "/etc/cdi"],
  "runtimes": {"reduced": {"path": "$node_folder/config/runc"}}, "default-runtime": "reduced"
}
EOF
}

# write_reduced_runc FILE: a runtime for machines without CAP_SYS_RESOURCE. It takes that capability, lower OOM scores and
# limits of huge pages out of what runc is to start.
write_reduced_runc() {
    cat >"$1" <<'RUNTIME'
#!/bin/bash
file='' last=''
for argument; do
    case $last in
        -b | --bundle) file=$argument/config.json ;;
        -p | --process) file=$argument ;;
    esac
    case $argument in
        --bundle=*) file=${argument#*=}/config.json ;;
        --process=*) file=${argument#*=} ;;
    esac
    last=$argument
done
# CRI-O writes a line for each field.
[ ! -f "$file" ] || sed -z -i -E 's/,\s*"CAP_SYS_RESOURCE"//g; s/"CAP_SYS_RESOURCE",?//g; s/"oomScoreAdj": ?-[0-9]+/"oomScoreAdj":0/g
    s/,\s*"hugepageLimits":\s*\[[^]]*\]//g; s/"hugepageLimits":\s*\[[^]]*\],?//g' "$file"
exec runc "$@"
RUNTIME
    chmod +x "$1"
}
