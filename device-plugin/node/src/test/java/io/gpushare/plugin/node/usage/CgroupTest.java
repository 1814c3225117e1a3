package io.gpushare.plugin.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of nodes with these runtimes; P is a pod's uid, Q the same in systemd's form, C and D are container IDs. */
class CgroupTest {
    private static final String P = "8d4e6d1c-7c0b-4a53-9f2e-0123456789ab";
    private static final String C = "3f1c".repeat(16);
    private static final String X = "c0ffee00-7c0b-4a53-9f2e-0123456789ab";
    private static final String O = "0a0a0a0a-7c0b-4a53-9f2e-0123456789ab";
    private static final String E = "77aa".repeat(16);
    private static final String D = "a0b9".repeat(16);

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        containerd, systemd, v2              | 0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podQ.slice/cri-containerd-C.scope
        containerd, systemd, v2, guaranteed  | 0::/kubepods.slice/kubepods-podQ.slice/cri-containerd-C.scope
        containerd, cgroupfs, v2             | 0::/kubepods/besteffort/podP/C
        containerd, cgroupfs, v2, guaranteed | 0::/kubepods/podP/C
        containerd, systemd, v1              | 12:memory:/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podQ.slice/cri-containerd-C.scope
        containerd, cgroupfs, v1             | 4:cpu,cpuacct:/kubepods/burstable/podP/C
        containerd cgroupfs, kubelet systemd | 1:name=systemd:/system.slice/containerd.service/kubepods-burstable-podQ.slice:cri-containerd:C
        CRI-O, systemd, v2                   | 0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podQ.slice/crio-C.scope
        CRI-O, crun's own level              | 0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podQ.slice/crio-C.scope/container
        CRI-O, cgroupfs                      | 0::/kubepods/burstable/podP/crio-C
        Docker, systemd                      | 0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podQ.slice/docker-C.scope
        Docker, cgroupfs, v1                 | 9:devices:/kubepods/burstable/podP/C
        systemd in the container             | 0::/kubepods.slice/kubepods-podQ.slice/cri-containerd-C.scope/init.scope
        Docker in the container              | 0::/kubepods/burstable/podP/C/docker/D
        seen from another cgroup namespace   | 0::/../../kubepods-burstable-podQ.slice/cri-containerd-C.scope
        another root                         | 0::/k3s/kubepods/burstable/podP/C
        """)
    void podAndContainerAreRead(String system, String line) {
        assertThat(Cgroup.parse(List.of(written(line))))
                .as(system)
                .isEqualTo(new Cgroup(Optional.of(P), Optional.of(C)));
    }

    /** Some runtimes let a container make cgroups below its own, with any name; X is another pod's uid. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        0::/kubepods/burstable/podP/C/podX/D
        0::/kubepods/burstable/podP/C/podX
        0::/kubepods/burstable/podP/crio-C/kubepods/besteffort/podX/crio-D
        0::/kubepods.slice/kubepods-podQ.slice/crio-C.scope/kubepods-podX.slice/crio-D.scope
        0::/../../kubepods-burstable-podQ.slice/cri-containerd-C.scope/podX/D
        0::/kubepods/podP/C/podX:cri-containerd:D
        """)
    void whatAContainerNamesBelowItsOwnCgroupIsNoPod(String line) {
        assertThat(Cgroup.parse(List.of(written(line)))).isEqualTo(new Cgroup(Optional.of(P), Optional.of(C)));
    }

    @Test
    void norIsItWhereTheKubeletMakesNoCgroups() {
        assertThat(Cgroup.parse(List.of(written("0::/k8s.io/C/podX/D")), List.of("0::/k8s.io/" + E)))
                .isEqualTo(new Cgroup(Optional.empty(), Optional.of(C)));
    }

    /** O is the pod that the node runs in, X the plugin's own, E its container. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        kind: the node is a container | 0::/docker/D/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-podQ.slice/cri-containerd-C.scope | 0::/docker/D/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-podX.slice/cri-containerd-E.scope
        kind, cgroupfs                | 11:pids:/docker/D/kubelet/kubepods/besteffort/podP/C                  | 11:pids:/docker/D/kubelet/kubepods/podX/E
        k3s in a pod                  | 0::/kubepods/burstable/podO/D/k3s/kubepods/burstable/podP/C           | 0::/kubepods/burstable/podO/D/k3s/kubepods/podX/E
        with a container's own names  | 0::/kubepods/burstable/podO/D/k3s/kubepods/burstable/podP/C/podX/E    | 0::/kubepods/burstable/podO/D/k3s/kubepods/podX/E
        another container of our pod  | 0::/kubepods/burstable/podO/D/k3s/kubepods/podP/C                     | 0::/kubepods/burstable/podO/D/k3s/kubepods/podP/E
        """)
    void onANodeThatIsAContainerThePodIsTheNodes(String system, String line, String own) {
        assertThat(Cgroup.parse(List.of(written(line)), List.of(written(own))))
                .as(system)
                .isEqualTo(new Cgroup(Optional.of(P), Optional.of(C)));
    }

    @Test
    void aProcessOfANodeInAPodIsNoneOfThatPod() {
        assertThat(Cgroup.parse(
                        List.of(written("0::/kubepods/podO/D/system.slice/k3s.service")),
                        List.of(written("0::/kubepods/podO/D/kubepods/podX/E"))))
                .isEqualTo(Cgroup.OF_THE_NODE);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        kubelet without cgroups for pods | 0::/k8s.io/C
        Docker without Kubernetes        | 0::/system.slice/docker-C.scope
        """)
    void aContainerWithoutAPodsCgroupIsRead(String system, String line) {
        assertThat(Cgroup.parse(List.of(written(line))))
                .as(system)
                .isEqualTo(new Cgroup(Optional.empty(), Optional.of(C)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        0::/
        0::/init.scope
        0::/system.slice/sshd.service
        0::/user.slice/user-1000.slice/session-3.scope
        0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podQ.slice
        0::/kubepods.slice/kubepods-podQ.slice/crio-conmon-C.scope
        0::/kubepods/podP/3f1c
        0::/tripod8d4e/xC
        no line at all
        ''
        """)
    void aProcessOfTheNodeIsInNoContainer(String line) {
        assertThat(Cgroup.parse(List.of(written(line)))).isEqualTo(Cgroup.OF_THE_NODE);
    }

    @Test
    void aStaticPodsUidIsAHash() {
        assertThat(Cgroup.parse(List.of("0::/kubepods/burstable/pod" + "0f".repeat(16) + "/" + C)))
                .isEqualTo(new Cgroup(Optional.of("0f".repeat(16)), Optional.of(C)));
    }

    @Test
    void theHierarchyThatNamesThePodHasPrecedence() {
        assertThat(Cgroup.parse(List.of(
                        "13:rdma:/", "12:misc:/k8s.io/" + C, written("11:memory:/kubepods/burstable/podP/C"), "0::/")))
                .isEqualTo(new Cgroup(Optional.of(P), Optional.of(C)));
        assertThat(Cgroup.parse(List.of())).isEqualTo(Cgroup.OF_THE_NODE);
    }

    /** Whoever may mount a hierarchy of version 1 names it, and the cgroups in it, as it likes. */
    @ParameterizedTest
    @ValueSource(strings = {"0::/kubepods/podP/C", "1:name=systemd:/kubepods/podP/C", "3:memory:/kubepods/podP/C"})
    void aNamedHierarchyButSystemdsSaysNothing(String line) {
        assertThat(Cgroup.parse(List.of(written("14:name=frame:/kubepods/podX/D"), written(line))))
                .isEqualTo(new Cgroup(Optional.of(P), Optional.of(C)));
        assertThat(Cgroup.parse(List.of(written("14:name=frame:/kubepods/podX/D"))))
                .isEqualTo(Cgroup.OF_THE_NODE);
    }

    @Test
    void theHierarchyOfVersion2ComesFirst() {
        assertThat(Cgroup.parse(List.of(written("13:rdma:/kubepods/podX/D"), written("0::/kubepods/podP/C"))))
                .isEqualTo(new Cgroup(Optional.of(P), Optional.of(C)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        346 330 254:0 /var/lib/kubelet/pods/P/containers/main-2/cfc87014 /dev/termination-log rw - ext4 /dev/vda rw  | main-2
        346 330 254:0 /pods/P/containers/main/cfc87014 /log rw - ext4 /dev/vdb rw                                    | main
        346 330 254:0 /var/lib/kubelet/pods/X/containers/main/cfc87014 /dev/termination-log rw - ext4 /dev/vda rw    |
        345 328 254:0 /var/lib/kubelet/pods/P/etc-hosts /etc/hosts rw - ext4 /dev/vda rw                             |
        328 327 0:99 / / rw - overlay overlay rw,upperdir=/var/lib/kubelet/pods/P/containers/main/cfc87014           |
        short                                                                                                        |
        """)
    void theKubeletsMountNamesTheContainer(String line, @Nullable String name) {
        assertThat(new Cgroup(Optional.of(P), Optional.of(C))
                        .withMounts(List.of("329 328 0:103 / /proc rw - proc proc rw", line.replace("P", P))))
                .isEqualTo(new Cgroup(Optional.of(P), Optional.of(C), Optional.ofNullable(name)));
        assertThat(new Cgroup(Optional.empty(), Optional.of(C))
                        .withMounts(List.of(line))
                        .container())
                .isEmpty();
    }

    private static String written(String line) {
        return line.replaceAll("Q(?=\\.slice)", P.replace('-', '_'))
                .replaceAll("X(?=\\.slice)", X.replace('-', '_'))
                .replaceAll("podP", "pod" + P)
                .replaceAll("podX", "pod" + X)
                .replaceAll("podO", "pod" + O)
                .replaceAll("D(?=\\.scope|/|$)", D)
                .replaceAll("E(?=\\.scope|/|$)", E)
                .replaceAll("C(?=\\.scope|/|$)", C);
    }
}
