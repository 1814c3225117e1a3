package io.gpushare.plugin.node.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.isolation.driver.DriverIsolation;
import io.gpushare.plugin.node.isolation.driver.MemoryLimits;
import io.gpushare.plugin.node.isolation.driver.PodCgroups;
import io.gpushare.plugin.node.isolation.hami.HamiCoreDirectory;
import io.gpushare.plugin.node.isolation.hami.HamiCoreIsolation;
import io.gpushare.plugin.node.isolation.hami.HamiCoreLibrary;
import io.gpushare.plugin.node.isolation.mps.MpsIsolation;
import io.gpushare.plugin.node.pod.TestPods;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.NodeUsage;
import io.gpushare.plugin.node.usage.TestUsages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each provider limits what a container has, whichever protocol gave it. */
class ProvidersTest {
    private static final CardId A = new CardId("GPU-a");
    private static final PodRef POD = new PodRef("0a1b2c3d-0000-4000-8000-00000000000a", "default", "p");

    @TempDir
    Path dir;

    /** Who has two units of card A; the container is {@code main} of the pod in both cases. */
    @SuppressWarnings("ImmutableEnumChecker") // They have no state.
    enum Kind {
        POD_WITH_DEVICES(
                Holder.pod(POD, TestPods.allocation(TestPods.share("main", A, 2))),
                new StartingContainer(POD, TestPods.share("main", A, 2))),
        CLAIM(
                TestNode.claim("c", TestPods.share("gpu", A, 2), new Holder.User(POD, "main")),
                new StartingContainer(new PodRef("uid-claim-c", "default", "c"), TestPods.share("gpu", A, 2)));

        private final Holder holder;
        private final StartingContainer starting;

        Kind(Holder holder, StartingContainer starting) {
            this.holder = holder;
            this.starting = starting;
        }

        TestNode node(Isolation inForce) {
            return ended(inForce).with(holder);
        }

        static TestNode ended(Isolation inForce) {
            return TestNode.of(new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))))
                    .withIsolation(Map.of(A, CardIsolation.of(inForce))));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theDriverLimitsThePod(Kind kind) throws IOException {
        Path cgroup = Files.createDirectories(dir.resolve("kubepods/pod" + POD.uid()));
        Map<Path, Memory> limits = new HashMap<>();
        AtomicBoolean losing = new AtomicBoolean();
        DriverIsolation driver = new DriverIsolation(
                new MemoryLimits() {
                    @Override
                    public Optional<Memory> read(CardId card, Path of) {
                        return Optional.ofNullable(losing.getAndSet(false) ? limits.remove(of) : limits.get(of));
                    }

                    @Override
                    public void set(CardId card, Path of, Memory limit) {
                        limits.put(of, limit);
                    }

                    @Override
                    public void remove(CardId card, Path of) {
                        limits.remove(of);
                    }
                },
                new PodCgroups(dir),
                (_, _) -> {});
        TestNode node = kind.node(Isolation.DRIVER);
        assertThat(driver.enforce(kind.starting, node.holdings())).isEmpty();
        assertThat(limits).containsExactly(Map.entry(cgroup, Memory.ofGib(2)));

        limits.clear();
        driver.reconcile(node.holdings());
        assertThat(limits).containsExactly(Map.entry(cgroup, Memory.ofGib(2)));
        assertThat(driver.repairs()).containsEntry("limit_restored", 1L);

        losing.set(true); // as soon as it was read
        driver.reconcile(node.holdings());
        assertThat(limits).containsExactly(Map.entry(cgroup, Memory.ofGib(2)));
        assertThat(driver.repairs()).containsEntry("limit_restored", 2L);

        driver.reconcile(Kind.ended(Isolation.DRIVER).holdings());
        assertThat(limits).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void hamiCoreHasADirectoryAsLongAsTheHolderIsThere(Kind kind) {
        HamiCoreIsolation hami = new HamiCoreIsolation(
                new HamiCoreLibrary(
                        Path.of(System.getProperty("gpushare.simulated.driver")).resolveSibling("mps/libvgpu.so")),
                new HamiCoreDirectory(dir));
        TestNode node = kind.node(Isolation.HAMI_CORE)
                .withPod(TestPods.pod(
                        POD,
                        TestPods.START,
                        false,
                        TestPods.withoutDemand("p").demand(),
                        TestPods.withoutDemand("p").allocation()));
        assertThat(hami.enforce(kind.starting, node.holdings())).isEmpty();
        Path own = dir.resolve("containers/" + kind.starting.pod().uid() + "_"
                + kind.starting.allocation().name());
        hami.reconcile(node.holdings());
        assertThat(own).isDirectory();

        hami.reconcile(Kind.ended(Isolation.HAMI_CORE).holdings());
        assertThat(own).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource
    void mpsIsReadyForItsShareAndKnowsItsProcesses(Kind kind) throws IOException {
        MpsDirectory directory = new MpsDirectory(dir);
        directory.create(A.uuid());
        directory.write(A.uuid(), new CardReport(0, Phase.READY, 2048, "", 7, 0, 0, List.of(), true, List.of()));
        MpsIsolation mps = new MpsIsolation(
                directory,
                Duration.ofSeconds(10),
                new MpsIsolation.Sources(
                        () -> new MpsIsolation.Measured(NodeUsage.NONE, List.of()),
                        _ -> Optional.of(new Cgroup(Optional.of(POD.uid()), Optional.of("c"))),
                        _ -> OptionalLong.empty()),
                (_, _) -> {},
                () -> TestPods.START);
        TestNode node = kind.node(Isolation.MPS);
        assertThat(mps.enforce(kind.starting, node.holdings())).isEmpty();
        mps.reconcile(node.holdings());

        // What a supervisor reports as the server is a process of the pod.
        List<CardProcess> processes = List.of(new CardProcess(7, OptionalLong.of(1), OptionalInt.empty()));
        CardUsages usages = new CardUsages(TestPods.START, Map.of(A, TestUsages.of(processes)));
        assertThat(mps.ofOthers(usages).processes(A)).isEqualTo(processes);
        mps.reconcile(Kind.ended(Isolation.MPS).holdings());
        assertThat(mps.ofOthers(usages).processes(A)).isEmpty();
    }
}
