package io.gpushare.plugin.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.plugin.node.usage.Cgroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessTableTest {
    private static final String UID = "0f0e0d0c-1111-2222-3333-444455556666";
    private static final String ID = "a".repeat(64);
    private static final String KUBELETS = "812 790 254:1 /var/lib/kubelet/pods/" + UID
            + "/containers/main/3f2c /dev/termination-log rw - ext4 x rw\n";
    private static final String OTHER = "813 790 0:52 / /mounted/by/the/program rw - tmpfs tmpfs rw\n";

    @TempDir
    Path proc;

    @Test
    void theKubeletsMountNamesTheContainer() throws IOException {
        assertThat(cgroup(OTHER + KUBELETS))
                .isEqualTo(new Cgroup(Optional.of(UID), Optional.of(ID), Optional.of("main")));
    }

    @Test
    void ofAProgramThatMountsWithoutEndOnlyTheFirstMountsAreRead() throws IOException {
        String many = OTHER.repeat(100_000);
        assertThat(cgroup(KUBELETS + many).container()).contains("main");
        assertThat(cgroup(many + KUBELETS)).isEqualTo(new Cgroup(Optional.of(UID), Optional.of(ID)));
    }

    @Test
    void ofMountPointsOnlyThoseThatAreAskedForAreKept() throws IOException {
        String line = "36 35 98:0 / %s rw - tmpfs tmpfs rw\n";
        cgroup(line.formatted("/proc")
                + line.formatted("/.gpushare/c")
                + line.formatted("/other").repeat(1000));
        assertThat(new ProcessTable(proc).mountPoints(Set.of(ID), "/.gpushare/"))
                .isEqualTo(Map.of(ID, Set.of("/.gpushare/c")));
        cgroup(line.formatted("/.gpushare/c"));
        assertThat(new ProcessTable(proc).mountPoints(Set.of(ID), "/.gpushare/"))
                .as("in another root directory")
                .isEmpty();
    }

    private Cgroup cgroup(String mounts) throws IOException {
        Path process = Files.createDirectories(proc.resolve("7"));
        Files.writeString(process.resolve("cgroup"), "0::/kubepods/pod" + UID + "/" + ID + "\n");
        Files.writeString(process.resolve("mountinfo"), mounts);
        return new ProcessTable(proc).cgroup(7).orElseThrow();
    }
}
