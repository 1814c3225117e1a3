package io.gpushare.plugin.node.isolation.hami;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.isolation.ContainerIsolation.Limit;
import io.gpushare.plugin.node.isolation.ContainerIsolation.Mount;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.plugin.node.pod.TestPods;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HamiCoreIsolationTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Path LIBRARY =
            Path.of(System.getProperty("gpushare.simulated.driver")).resolveSibling("mps/libvgpu.so");
    private static final Inventory NODE =
            new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))));
    private static final StartingContainer ON_A =
            new StartingContainer(TestPods.ref("p"), TestPods.share("main", A, 2));

    @TempDir
    Path dir;

    private HamiCoreIsolation isolation;

    @BeforeEach
    void make() {
        isolation = with(LIBRARY);
    }

    private HamiCoreIsolation with(Path library) {
        return new HamiCoreIsolation(new HamiCoreLibrary(library), new HamiCoreDirectory(dir));
    }

    @Test
    void aContainerGetsHamisVariablesAndMountsWithALockOfItsCard() {
        assertThat(isolation.settings(ON_A, Map.of(A, new Limit(Memory.ofGib(2), Share.cores(30)))))
                .isEqualTo(new ContainerIsolation.Settings(
                        Map.of(
                                "CUDA_DEVICE_MEMORY_LIMIT_0", "2048m",
                                "CUDA_DEVICE_SM_LIMIT", "30",
                                "CUDA_DEVICE_MEMORY_SHARED_CACHE", "/usr/local/vgpu/gpushare.cache"),
                        List.of(
                                new Mount(dir + "/containers/" + ON_A.pod().uid() + "_main", "/usr/local/vgpu", false),
                                new Mount(LIBRARY.toString(), "/usr/local/vgpu/libvgpu.so", true),
                                new Mount(dir + "/ld.so.preload", "/etc/ld.so.preload", true),
                                new Mount(dir + "/locks/GPU-a", "/tmp/vgpulock", false)),
                        Map.of(A, new Limit(Memory.ofGib(2), Share.cores(30)))));
    }

    @Test
    void eachOfSeveralCardsHasItsLimitAndWithoutCoresThereIsNone() {
        Map<CardId, Share> shares = new LinkedHashMap<>();
        shares.put(B, Share.memory(3));
        shares.put(A, Share.memory(2));
        StartingContainer both =
                new StartingContainer(TestPods.ref("p"), new ContainerAllocation("main", ContainerRole.APP, shares));
        Map<CardId, Limit> limits =
                Map.of(A, new Limit(Memory.ofGib(2), Share.NONE), B, new Limit(Memory.ofGib(3), Share.NONE));

        assertThat(isolation.settings(both, limits))
                .isInstanceOfSatisfying(
                        ContainerIsolation.Settings.class,
                        settings -> assertThat(settings.environment())
                                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_0", "3072m")
                                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_1", "2048m")
                                .doesNotContainKey("CUDA_DEVICE_SM_LIMIT"));
    }

    @Test
    void aStartMakesItsDirectoriesEmptyAndWritableForEverybody() throws IOException {
        assertThat(isolation.enforce(ON_A, TestNode.of(NODE).holdings())).isEmpty();
        Path own = dir.resolve("containers/" + ON_A.pod().uid() + "_main");
        for (Path each : List.of(own, dir.resolve("locks/GPU-a"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                    .isEqualTo("rwxrwxrwx");
        }
        assertThat(dir.resolve("ld.so.preload")).hasContent("/usr/local/vgpu/libvgpu.so");

        // What a tenant left, also links out of its directory, is gone at the next start, and nothing beyond it.
        Path outside = Files.createDirectory(dir.resolve("outside"));
        Files.createFile(outside.resolve("kept"));
        Files.createFile(own.resolve("gpushare.cache"));
        Files.createSymbolicLink(own.resolve("link"), outside);
        assertThat(isolation.enforce(ON_A, TestNode.of(NODE).holdings())).isEmpty();
        assertThat(own).isEmptyDirectory();
        assertThat(outside.resolve("kept")).exists();
    }

    @Test
    void aContainerDoesNotStartWithoutTheLibraryAndAWholeCardNeedsNone() {
        HamiCoreIsolation without = with(dir.resolve("absent"));
        assertThat(without.enforce(ON_A, TestNode.of(NODE).holdings()).orElseThrow())
                .contains("absent, is missing");
        assertThat(without.enforce(
                        new StartingContainer(
                                TestPods.ref("p"),
                                new ContainerAllocation("main", ContainerRole.APP, Map.of(A, Share.WHOLE_CARD))),
                        TestNode.of(NODE).holdings()))
                .isEmpty();
        assertThat(without.missing(NODE.cards().getFirst(), NODE)).isPresent();
        assertThat(isolation.missing(NODE.cards().getFirst(), NODE)).isEmpty();
        assertThat(isolation.missing(TestPods.instance("MIG-1", 1, "1g.10gb", 9), NODE))
                .contains("HAMi-core does not serve MIG instances");
    }

    @Test
    void aDirectoryThatCantBeWrittenIsNamed() throws IOException {
        Path file = Files.createFile(dir.resolve("file"));
        assertThat(new HamiCoreDirectory(file).prepare("/library").orElseThrow())
                .contains("the directory " + file + " can't be written: mount it into the device plugin");
    }

    @Test
    void theDirectoriesOfPodsThatAreGoneAreRemovedOnceThePodsAreKnown() throws IOException {
        isolation.enforce(ON_A, TestNode.of(NODE).holdings());
        Path own = dir.resolve("containers/" + ON_A.pod().uid() + "_main");
        Path gone = Files.createDirectory(dir.resolve("containers/gone_main"));
        TestNode node = TestNode.of(NODE).withPod(TestPods.unannotated("p", 0, TestPods.memory("main", 2)));

        isolation.reconcile(TestNode.of(NODE).incomplete().holdings());
        assertThat(gone).exists();
        isolation.reconcile(node.holdings());
        assertThat(gone).doesNotExist();
        assertThat(own).exists();
        isolation.reconcile(TestNode.of(NODE).holdings());
        assertThat(own).doesNotExist();
    }

    @Test
    void directoriesWhosePathsAreTooLongAreRemoved() throws Exception {
        Path own = Files.createDirectories(dir.resolve("containers/gone1_main"));
        Files.createDirectory(dir.resolve("containers/gone2_main"));
        Files.createDirectory(dir.resolve("containers/gone3_main"));
        String nested = "d=$(printf %0200d 0); for i in $(seq 25); do mkdir $d && cd -P $d; done";
        assertThat(new ProcessBuilder("bash", "-e", "-c", nested)
                        .directory(own.toFile())
                        .start()
                        .waitFor())
                .isZero();
        isolation.reconcile(TestNode.of(NODE).holdings());
        assertThat(dir.resolve("containers")).isEmptyDirectory();
    }

    /** The kubelet gives the devices of an init container to the app as well, and may name either. */
    @Test
    void theOtherContainersOfThePodHaveTheirDirectoriesTooAndKeepWhatIsInThem() throws IOException {
        ContainerAllocation init = new ContainerAllocation("init", ContainerRole.INIT, Map.of(A, Share.memory(2)));
        TestNode node = TestNode.of(NODE);
        for (ContainerAllocation each : List.of(init, ON_A.allocation())) {
            node = node.holds(ON_A.pod(), each);
        }
        assertThat(isolation.enforce(ON_A, node.holdings())).isEmpty();
        Path other = dir.resolve("containers/" + ON_A.pod().uid() + "_init");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(other)))
                .isEqualTo("rwxrwxrwx");
        Path cache = Files.createFile(other.resolve("gpushare.cache"));
        assertThat(isolation.enforce(ON_A, node.holdings())).isEmpty();
        assertThat(cache).exists();
    }
}
