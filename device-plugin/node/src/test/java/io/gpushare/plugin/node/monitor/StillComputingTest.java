package io.gpushare.plugin.node.monitor;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.HoldingsSource;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.holdings.OfferHoldings;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.TestUsages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods that have ended and whose containers run. */
class StillComputingTest {
    private static final CardId A = new CardId("GPU-a");
    private static final String ID = "a".repeat(64);
    private static final String SANDBOX = "b".repeat(64);

    @TempDir
    private Path proc;

    private final LatestHoldings latest = new LatestHoldings(
            new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15)))), () -> {});
    private volatile List<Holder> holders = List.of();
    private List<Long> computing = List.of();
    private volatile @Nullable CountDownLatch hang;
    private volatile boolean silent;
    private StillComputing ended;

    @BeforeEach
    void start() {
        latest.add(new HoldingsSource() {
            @Override
            public Offer offer() {
                return Offer.DEVICE_PLUGIN;
            }

            @Override
            public OfferHoldings on(Inventory inventory) {
                return new OfferHoldings(holders, Set.of(), true);
            }
        });
        ended = new StillComputing(
                new EventSubject.Node("n1"),
                latest,
                new ProcessTable(proc),
                _ -> {
                    CountDownLatch until = hang;
                    while (until != null && until.getCount() > 0) {
                        Thread.onSpinWait(); // as a call into the driver, which no interrupt ends
                    }
                    return silent ? Optional.empty() : Optional.of(computing);
                },
                () -> true,
                _ -> Optional.of(List.of()),
                (_, _) -> {},
                Instant::now);
    }

    @AfterEach
    void stop() {
        ended.close();
    }

    /** It closes its context for the moment in which the next pod starts. */
    @Test
    void aCardIsInUseWhileTheContainerRunsThatHadItWhole() throws IOException {
        NodePod had = TestPods.started(TestPods.whole("had", 0, A), Map.of(ID, "main"));
        holds(had);
        endsByForce(had);
        runs(ID);
        assertThat(nextIsRefused()).contains("ended pod default/had");
        ended.handle(new CardUsages(Instant.EPOCH, Map.of(A, TestUsages.of(List.of()))), Map.of());
        assertThat(latest.now().stillComputing()).containsKey("ended pod default/had");

        ends(ID);
        ended.handle(new CardUsages(Instant.EPOCH, Map.of(A, TestUsages.of(List.of()))), Map.of());
        assertThat(latest.now().stillComputing()).isEmpty();
        assertThat(nextIsRefused()).isEmpty();
    }

    /** Nothing ends a call that hangs in the driver, and the card was free for everybody after that. */
    @Test
    void whatComputedLastCountsWhileTheDriverDoesNotRespond() throws Exception {
        NodePod had = TestPods.started(TestPods.whole("had", 0, A), Map.of(ID, "main"));
        holds(had);
        endsByForce(had);
        runs(ID);
        assertThat(nextIsRefused()).contains("ended pod default/had");
        CountDownLatch responds = new CountDownLatch(1);
        hang = responds;
        assertThat(nextIsRefused()).contains("ended pod default/had");
        assertThat(nextIsRefused()).as("while the first read hangs").contains("ended pod default/had");
        hang = null;
        responds.countDown();
        silent = true;
        await().untilAsserted(() ->
                assertThat(nextIsRefused()).as("a read that fails").contains("ended pod default/had"));
        silent = false;
        ends(ID);
        await().untilAsserted(() -> assertThat(nextIsRefused()).isEmpty());
    }

    /** The kubelet removes it some time after the pod has ended. */
    @Test
    void theSandboxOfAnEndedPodHoldsNothing() throws IOException {
        NodePod had = TestPods.started(TestPods.whole("had", 0, A), Map.of(ID, "main"));
        holds(had);
        endsByForce(had);
        runs(SANDBOX);
        assertThat(nextIsRefused()).isEmpty();
    }

    /** A pod that is deleted in the moment in which it starts. */
    @Test
    void aCardIsInUseWhileAContainerRunsThatTheApiNeverNamed() throws IOException {
        PodRef had = new PodRef("00000000-1111-4222-8333-444444444444", "default", "had");
        holders = List.of(Holder.pod(
                had, TestPods.allocation(new ContainerAllocation("main", ContainerRole.APP, TestPods.wholeCards(A)))));
        ended.remember();
        holders = List.of();
        Path process = Files.createDirectories(proc.resolve("101"));
        Files.writeString(process.resolve("cgroup"), "0::/kubepods/pod" + had.uid() + "/" + ID + "\n");
        Files.writeString(process.resolve("comm"), "train\n");
        assertThat(nextIsRefused()).contains("ended pod default/had");
        Files.writeString(process.resolve("comm"), "pause\n");
        assertThat(nextIsRefused()).isEmpty();
    }

    @Test
    void aShareOfAnEndedPodHoldsNothing() throws IOException {
        NodePod had = TestPods.started(TestPods.onCard("had", 0, A, 3), Map.of(ID, "main"));
        holds(had);
        endsByForce(had);
        runs(ID);
        assertThat(nextIsRefused()).isEmpty();
    }

    @Test
    void aShareThatStillComputesIsNotForgottenForThousandsOfOtherPods() throws IOException {
        String uid = "00000000-1111-4222-8333-444444444444";
        holders = List.of(share(new PodRef(uid, "evil", "stuck")));
        ended.remember();
        holders = List.of();
        Files.writeString(
                Files.createDirectories(proc.resolve("101")).resolve("cgroup"),
                "0::/kubepods/pod" + uid + "/" + ID + "\n");
        computing = List.of(101L);
        assertThat(nextIsRefused()).isEmpty();
        for (int pod = 0; pod < 4_200; pod++) {
            holders = List.of(share(new PodRef("uid-" + pod, "evil", "p" + pod)));
            ended.remember();
        }
        holders = List.of();
        assertThat(nextIsRefused()).isEmpty();
    }

    private static Holder share(PodRef pod) {
        return Holder.pod(pod, TestPods.allocation(TestPods.share("main", A, 1)));
    }

    private void holds(NodePod pod) {
        Allocation allocation = pod.allocation().valid().orElseThrow();
        latest.pod(pod);
        holders = List.of(Holder.pod(pod.ref(), allocation));
        ended.remember();
    }

    private void endsByForce(NodePod pod) {
        latest.podDeleted(pod.ref().uid());
        holders = List.of();
    }

    private void runs(String container) throws IOException {
        Files.writeString(
                Files.createDirectories(proc.resolve("101")).resolve("cgroup"),
                "0::/kubepods/pod00000000-1111-4222-8333-000000000001/" + container + "\n");
    }

    private void ends(String container) throws IOException {
        assertThat(Files.readString(proc.resolve("101/cgroup"))).contains(container);
        Files.delete(proc.resolve("101/cgroup"));
    }

    private Optional<String> nextIsRefused() {
        return ended.inUseBy(List.of(TestPods.ref("next")), Set.of(A));
    }
}
