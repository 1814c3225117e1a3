package io.gpushare.plugin.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of containers on a card that MPS serves, where NVML has samples of the server only. */
class MpsClientsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final long GIB = 1L << 30;

    private final Map<Long, Cgroup> cgroups = new HashMap<>();
    private final List<CardProcess> processes = new ArrayList<>();
    private TestNode snapshot =
            TestNode.of(new Inventory(MemoryUnit.GIB, null, List.of(Card.of(A.uuid(), 0, Memory.ofGib(15)))));
    private OptionalInt server = OptionalInt.of(0);
    private NodeUsage usage = NodeUsage.NONE;
    private IdleTimes idle = IdleTimes.NONE;
    private Instant now = TestPods.START;

    private void pods(String... names) {
        for (String name : names) {
            NodePod pod = TestPods.onCard(name, 0, A, 3);
            snapshot = snapshot.withPod(TestPods.started(pod, Map.of(id(name), "main")))
                    .holds(
                            pod.ref(),
                            pod.allocation().valid().orElseThrow().containers().getFirst());
        }
    }

    private static String id(String pod) {
        return "container-of-" + pod;
    }

    private void client(long pid, String pod) {
        process(pid, pod, OptionalInt.empty(), Optional.of(true));
    }

    private void process(long pid, String pod, OptionalInt percent, Optional<Boolean> mps) {
        processes.add(new CardProcess(pid, new ProcessUse(OptionalLong.of(GIB), percent), mps));
        cgroups.put(
                pid, pod.isEmpty() ? Cgroup.OF_THE_NODE : new Cgroup(Optional.of("uid-" + pod), Optional.of(id(pod))));
    }

    /** Evaluates a report with these processes, and begins the next one. */
    private void report() {
        now = now.plus(INTERVAL);
        var reported = new CardUsages(now, Map.of(A, TestUsages.of(processes)), Map.of(A, server));
        usage = usage.next(reported, pid -> Optional.ofNullable(cgroups.get(pid)), snapshot.holdings());
        idle = idle.with(ContainerShare.of(snapshot.holdings()), usage, now);
        processes.clear();
    }

    private ContainerShare share(String pod) {
        return ContainerShare.of(snapshot.holdings()).stream()
                .filter(share -> share.pod().name().equals(pod))
                .findFirst()
                .orElseThrow();
    }

    private OptionalInt percent(String pod) {
        return usage.of(share(pod)).orElseThrow().percent();
    }

    private Optional<Long> idleSeconds(String pod) {
        return idle.of(share(pod), now).map(Duration::toSeconds);
    }

    @Test
    void aContainerThatIsAloneHasTheFigureOfTheServer() {
        pods("p", "q");
        server = OptionalInt.of(70);
        client(1, "p");
        client(2, "p");
        report();
        assertThat(percent("p")).hasValue(70);
        assertThat(usage.of(share("p")).orElseThrow().bytes()).hasValue(2 * GIB);
        assertThat(percent("q")).as("without a program").hasValue(0);
        assertThat(idleSeconds("p")).contains(0L);
    }

    @Test
    void ofSeveralContainersNoneHasAFigureAndWhoHasNoProgramIsIdle() {
        pods("p", "q", "r");
        server = OptionalInt.of(70);
        for (int i = 0; i < 3; i++) {
            client(1, "p");
            client(2, "q");
            report();
        }
        assertThat(percent("p")).isEmpty();
        assertThat(percent("q")).isEmpty();
        assertThat(usage.of(share("p")).orElseThrow().bytes()).hasValue(GIB);
        assertThat(idleSeconds("p")).isEmpty();
        assertThat(idleSeconds("q")).isEmpty();
        assertThat(idleSeconds("r")).contains(10L);
    }

    @Test
    void whereTheServerDoesNotComputeAllContainersAreIdle() {
        pods("p", "q");
        for (int i = 0; i < 3; i++) {
            client(1, "p");
            client(2, "q");
            report();
        }
        assertThat(percent("p")).hasValue(0);
        assertThat(idleSeconds("p")).contains(10L);
        assertThat(idleSeconds("q")).contains(10L);
    }

    @Test
    void idlenessBeginsAgainAfterItWasUnknown() {
        pods("p", "q");
        for (int i = 0; i < 3; i++) {
            client(1, "p");
            report();
        }
        assertThat(idleSeconds("p")).contains(10L);

        server = OptionalInt.of(40);
        client(1, "p");
        client(2, "q");
        report();
        assertThat(idleSeconds("p")).isEmpty();

        // Samples of the last seconds may be those of the program that has ended.
        client(1, "p");
        report();
        assertThat(percent("p")).isEmpty();
        assertThat(percent("q")).isEmpty();
        assertThat(usage.of(share("q")).orElseThrow().bytes()).hasValue(0);

        server = OptionalInt.of(0);
        client(1, "p");
        report();
        assertThat(percent("p")).hasValue(0);
        assertThat(percent("q")).hasValue(0);
        assertThat(idleSeconds("p")).contains(0L);
        client(1, "p");
        report();
        assertThat(idleSeconds("p")).contains(5L);
    }

    @Test
    void aClientOutsideOfContainersOrWithoutAVisibleProcessIsAnotherOne() {
        pods("p");
        server = OptionalInt.of(40);
        client(1, "p");
        client(9, "");
        report();
        assertThat(percent("p")).isEmpty();

        client(1, "p");
        client(10, "q");
        cgroups.remove(10L);
        report();
        assertThat(percent("p")).isEmpty();
    }

    @Test
    void withoutAFigureOfTheServerContainersWithProgramsHaveNone() {
        pods("p", "q");
        server = OptionalInt.empty();
        client(1, "p");
        report();
        assertThat(percent("p")).isEmpty();
        assertThat(percent("q")).hasValue(0);
    }

    @Test
    void programsWithoutMpsKeepTheirOwnFigure() {
        pods("p", "q");
        server = OptionalInt.of(40);
        client(1, "p");
        process(2, "q", OptionalInt.of(0), Optional.of(false));
        process(3, "q", OptionalInt.of(30), Optional.of(false));
        report();
        assertThat(percent("q")).hasValue(30);
        assertThat(percent("p")).hasValue(40);
    }

    @Test
    void aDriverThatListsNoClientsHasNoSamplesOfThem() {
        pods("p", "q");
        server = OptionalInt.of(40);
        process(1, "p", OptionalInt.of(0), Optional.empty());
        process(2, "q", OptionalInt.of(0), Optional.empty());
        report();
        assertThat(percent("p")).isEmpty();
        assertThat(percent("q")).isEmpty();
    }

    /** Programs begin, compute, rest and end in three containers, also between two reports. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void whatIsKnownIsTrueWhileStatesChange(long seed) {
        List<String> names = List.of("p", "q", "r");
        pods("p", "q", "r");
        Random random = new Random(seed);
        Map<String, Boolean> runs = new HashMap<>();
        Map<String, Instant> computed = new HashMap<>();
        int known = 0;
        int unknown = 0;
        for (int step = 0; step < 500; step++) {
            int sum = 0;
            Map<String, Integer> truth = new HashMap<>();
            for (String name : names) {
                boolean before = runs.getOrDefault(name, false);
                boolean after = random.nextInt(10) < 8 ? before : !before;
                int percent = (before || after) && random.nextBoolean() ? 1 + random.nextInt(30) : 0;
                runs.put(name, after);
                truth.put(name, percent);
                sum += percent;
                if (after) {
                    client(names.indexOf(name) + 1, name);
                }
            }
            server = OptionalInt.of(sum);
            report();
            for (String name : names) {
                if (truth.getOrDefault(name, 0) > 0) {
                    computed.put(name, now);
                }
                percent(name).ifPresent(percent -> assertThat(percent).isEqualTo(truth.get(name)));
                idle.of(share(name), now)
                        .ifPresent(time ->
                                assertThat(now.minus(time)).isAfterOrEqualTo(computed.getOrDefault(name, Instant.MIN)));
                known += percent(name).isPresent() ? 1 : 0;
                unknown += percent(name).isPresent() ? 0 : 1;
            }
        }
        assertThat(known).isGreaterThan(100);
        assertThat(unknown).isGreaterThan(100);
    }
}
