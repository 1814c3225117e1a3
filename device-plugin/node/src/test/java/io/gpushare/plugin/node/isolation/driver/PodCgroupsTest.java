package io.gpushare.plugin.node.isolation.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PodCgroupsTest {
    private static final String UID = "0a1b2c3d-0000-4000-8000-00000000000a";

    @TempDir
    private Path root;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b2c3d_0000_4000_8000_00000000000a.slice",
                "kubepods.slice/kubepods-pod0a1b2c3d_0000_4000_8000_00000000000a.slice",
                "kubepods/besteffort/pod0a1b2c3d-0000-4000-8000-00000000000a",
                "kubepods/pod0a1b2c3d-0000-4000-8000-00000000000a",
                "kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod0a1b2c3d_0000_4000_8000_00000000000a.slice"
            })
    void everyLayoutOfTheKubeletIsFound(String layout) throws IOException {
        Files.createDirectories(root.resolve("system.slice/ssh.service"));
        Files.createDirectories(root.resolve(layout)
                .resolveSibling(
                        "kubepods-burstable-podffffffff_0000_4000_8000_00000000000b.slice/cri-containerd-1.scope"));
        Path pod = Files.createDirectories(root.resolve(layout));

        assertThat(new PodCgroups(root).of(UID)).contains(pod);
        assertThat(new PodCgroups(root).of(UID.replace('a', 'b'))).isEmpty();
    }

    @Test
    void aPodWithoutACgroupIsNotFound() {
        assertThat(new PodCgroups(root).of(UID)).isEmpty();
        assertThat(new PodCgroups(root.resolve("absent")).of(UID)).isEmpty();
    }

    @Test
    void onlyVersionTwoIsAvailable() throws IOException {
        assertThat(new PodCgroups(root).available()).isFalse();
        Files.writeString(root.resolve("cgroup.controllers"), "cpu memory\n");
        assertThat(new PodCgroups(root).available()).isTrue();
    }
}
