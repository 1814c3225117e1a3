package io.gpushare.plugin.node.isolation.mps;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.plugin.node.pod.TestPods;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.NodeUsage;
import io.gpushare.plugin.node.usage.TestUsages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MpsIsolationTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final StartingContainer ON_A =
            new StartingContainer(TestPods.ref("p"), TestPods.share("main", A, 2));

    @TempDir
    Path dir;

    private Instant now = TestPods.START;

    /** The kubelet waits for one call, whatever the number of cards. */
    @Test
    void theCardsOfAContainerShareOneDeadline() throws IOException {
        MpsDirectory directory = new MpsDirectory(dir);
        directory.create(A.uuid());
        directory.create(B.uuid());
        MpsIsolation isolation = isolation(directory);
        Inventory cards = new Inventory(
                        MemoryUnit.GIB,
                        null,
                        List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))))
                .withIsolation(Map.of(A, CardIsolation.of(Isolation.MPS), B, CardIsolation.of(Isolation.MPS)));
        ContainerAllocation both =
                new ContainerAllocation("main", ContainerRole.APP, Map.of(A, Share.memory(2), B, Share.memory(2)));

        Optional<String> problem = isolation.enforce(
                new StartingContainer(TestPods.ref("p"), both),
                TestNode.of(cards).holdings());

        assertThat(problem).hasValueSatisfying(reason -> assertThat(reason).contains("no supervisor reports it"));
        assertThat(Duration.between(TestPods.START, now)).isBetween(Duration.ofSeconds(25), Duration.ofSeconds(35));
    }

    @Test
    void aContainerWithAShareOfTheCoresGetsItsThreadPercentage() {
        MpsIsolation isolation = isolation(new MpsDirectory(dir));
        assertThat(isolation.settings(ON_A, Map.of(A, new ContainerIsolation.Limit(Memory.ofGib(2), Share.cores(30)))))
                .isInstanceOfSatisfying(
                        ContainerIsolation.Settings.class,
                        settings -> assertThat(settings.environment())
                                .containsEntry("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "30")
                                .containsEntry("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=2048M"));
        assertThat(isolation.settings(ON_A, Map.of(A, new ContainerIsolation.Limit(Memory.ofGib(2), Share.NONE))))
                .isInstanceOfSatisfying(
                        ContainerIsolation.Settings.class,
                        settings -> assertThat(settings.environment())
                                .doesNotContainKey("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"));
    }

    /** Whatever a supervisor reports as the card's server. */
    @Test
    void aProcessOfAPodThatSharesACardIsNoServer() throws IOException {
        MpsDirectory directory = new MpsDirectory(dir);
        directory.create(A.uuid());
        report(directory, A);
        ContainerAllocation allocation = TestPods.share("main", A, 2);
        for (String uid : List.of("uid-p", "uid-supervisor")) {
            MpsIsolation isolation = isolation(
                    directory,
                    () -> new MpsIsolation.Measured(NodeUsage.NONE, List.of()),
                    Optional.of(new Cgroup(Optional.of(uid), Optional.of("c"))));
            TestNode node = TestNode.of(
                            new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))))
                                    .withIsolation(Map.of(A, CardIsolation.of(Isolation.MPS))))
                    .withPod(TestPods.onCard("p", 0, A, 2))
                    .holds(TestPods.ref("p"), allocation);
            assertThat(isolation.enforce(new StartingContainer(TestPods.ref("p"), allocation), node.holdings()))
                    .isEmpty();
            isolation.reconcile(node.holdings());

            List<CardProcess> processes = List.of(new CardProcess(7, OptionalLong.of(1), OptionalInt.empty()));
            CardUsages others = isolation.ofOthers(new CardUsages(now, Map.of(A, TestUsages.of(processes))));
            assertThat(others.cards())
                    .hasEntrySatisfying(
                            A,
                            usage -> assertThat(usage.processes())
                                    .hasValue(uid.equals("uid-p") ? processes : List.of()));
        }
    }

    private MpsIsolation isolation(MpsDirectory directory) {
        return isolation(
                directory,
                () -> {
                    throw new AssertionError("nothing is measured");
                },
                Optional.empty());
    }

    /** Each look at the clock takes 4 s; after 20 s the first card that was waited for is ready. */
    private MpsIsolation isolation(
            MpsDirectory directory, Supplier<MpsIsolation.Measured> measured, Optional<Cgroup> cgroup) {
        return new MpsIsolation(
                directory,
                Duration.ofSeconds(10),
                new MpsIsolation.Sources(measured, _ -> cgroup, _ -> OptionalLong.empty()),
                (_, _) -> {},
                () -> {
                    now = now.plusSeconds(4);
                    if (now.equals(TestPods.START.plusSeconds(20))) {
                        report(directory, A);
                    }
                    return now;
                });
    }

    private static void report(MpsDirectory directory, CardId card) {
        try {
            directory.write(card.uuid(), new CardReport(0, Phase.READY, 4096, "", 7, 0, 0, List.of(), true, List.of()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
