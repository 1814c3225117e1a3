package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.pod.PodPriority;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;

/**
 * In any history of filter, bind, failed attempts, time-outs, deletions and changes of the leader a pod gets what
 * filter promised it, unless a more important pod came; and in the end nothing is reserved that nobody will use.
 */
class FilterReservationProperties {
    private static final int STEPS = 150;

    @Provide
    Arbitrary<PolicyKind> offered() {
        return Arbitraries.of(PolicyKind.offered());
    }

    @Property(tries = 100)
    void aPodGetsWhatFilterPromised(@ForAll long seed, @ForAll("offered") PolicyKind kind) {
        History history = new History(new Random(seed), kind);
        for (int step = 0; step < STEPS; step++) {
            history.happen();
            assertThat(LedgerCounts.of(history.placer.ledger()).overcommitted()).isZero();
        }
        history.end();
    }

    /** An important pod broke a promise and left, and the promise came back against a pod that was named later. */
    @Example
    void aBrokenPromiseBreaksNoLaterOne() {
        aPodGetsWhatFilterPromised(2219, PolicyKind.FGD);
    }

    private static final class History implements PodApi {
        private final Random random;
        private final Placer placer;
        private final Ledger ledger;
        private final List<String> nodes;
        private final NodeSelection selection;
        private final Binder binder;
        private final Map<String, PodState> waiting = new LinkedHashMap<>();
        // The node that filter named for a pod, while nothing has broken the promise.
        private final Map<String, String> promised = new LinkedHashMap<>();
        private final List<PodState> running = new ArrayList<>();
        private Instant now = TestCluster.NOW;
        private boolean answers = true;
        private int made;
        private int failures;

        History(Random random, PolicyKind kind) {
            this.random = random;
            PlacementOutcomes outcomes = new PlacementOutcomes(() -> 0);
            placer = new Placer(new Ledger(TestCluster.DEMANDS, AnnotationObserver.none()), new Policies(kind));
            ledger = placer.ledger();
            nodes = TestCluster.cluster(random, ledger, UnaryOperator.identity());
            selection = new NodeSelection(placer, outcomes, DecideIn.FILTER, Map::of, this::tick);
            binder = new Binder(placer, this, outcomes, () -> TestCluster.NOW);
        }

        /** No two promises are made at one time. */
        private Instant tick() {
            now = now.plusNanos(1);
            return now;
        }

        void happen() {
            Optional<PodState> pod = waiting.values().stream()
                    .skip(random.nextInt(waiting.size() + 1))
                    .findFirst();
            switch (random.nextInt(pod.isEmpty() ? 1 : 12)) {
                case 0, 1, 2 -> create();
                case 3, 4, 5, 6 -> filter(pod.orElseThrow());
                case 7, 8 -> bind(pod.orElseThrow());
                case 9 -> fail(pod.orElseThrow());
                case 10 -> delete(pod.orElseThrow());
                default -> seldom();
            }
        }

        private void seldom() {
            switch (random.nextInt(3)) {
                case 0 -> {
                    now = now.plus(NodeSelection.PREPARATION);
                    ledger.overReservations(now).forEach(ledger::endReservation);
                    promised.clear();
                }
                case 1 -> {
                    ledger.endReservations();
                    promised.clear();
                }
                default -> {
                    if (!running.isEmpty()) {
                        ledger.removePod(
                                running.remove(random.nextInt(running.size())).ref());
                    }
                }
            }
        }

        private void create() {
            String name = "p" + made++;
            String resource = random.nextInt(4) == 0 ? "aliyun.com/gpu-count" : "aliyun.com/gpu-mem";
            int amount = resource.endsWith("count") ? 1 + random.nextInt(2) : 1 + random.nextInt(16);
            put(
                    new PodRef("uid-" + name, "default", name),
                    new PodPriority(100 * random.nextInt(2), TestCluster.NOW.plusSeconds(made), false),
                    "",
                    List.of(new ContainerResources(
                            "main",
                            ContainerRole.APP,
                            random.nextInt(3) == 0
                                    ? TestCluster.inHamisWords(random, 16)
                                    : Map.of(resource, String.valueOf(amount)))));
        }

        private void put(PodRef ref, PodPriority priority, String failure, List<ContainerResources> containers) {
            PodState pod = PodBuilder.pod(ref)
                    .priority(priority)
                    .unschedulable(!failure.isEmpty())
                    .failure(failure)
                    .containers(containers)
                    .build();
            waiting.put(ref.uid(), pod);
            ledger.updatePod(pod);
        }

        private void filter(PodState pod) {
            promised.remove(pod.ref().uid());
            FilterResult result = selection.filter(request(pod), nodes);
            result.feasible().forEach(node -> {
                if (result.passed() == 1 && reserved(pod)) {
                    promised.put(pod.ref().uid(), node);
                    // What a less important pod was promised there may be gone.
                    promised.entrySet()
                            .removeIf(other -> other.getValue().equals(node)
                                    && priority(other.getKey()) < pod.priority().value());
                }
            });
        }

        private static SchedulingPod request(PodState pod) {
            return new SchedulingPod(pod.ref(), pod.priority().value(), pod.annotations(), pod.containers());
        }

        private boolean reserved(PodState pod) {
            return ledger.reservations(Source.FILTER::equals).stream()
                    .anyMatch(each -> each.pod().equals(pod.ref().uid()));
        }

        private void bind(PodState pod) {
            String promise = promised.remove(pod.ref().uid());
            String node = promise == null ? nodes.get(random.nextInt(nodes.size())) : promise;
            answers = random.nextInt(5) > 0;
            BindResult result = binder.bind(pod.ref(), node, now);
            Statistics.collect(promise != null, result.getClass().getSimpleName());
            if (answers && promise != null) {
                assertThat(result).isInstanceOf(BindResult.Bound.class);
            }
            assertThat(reserved(pod)).isFalse();
            if (result instanceof BindResult.Bound) {
                waiting.remove(pod.ref().uid());
                running.add(pod);
                // Without a promise it may take what a less important pod was promised, as any bind may.
                promised.entrySet()
                        .removeIf(other -> other.getValue().equals(node)
                                && priority(other.getKey()) < pod.priority().value());
            }
        }

        private int priority(String uid) {
            return Objects.requireNonNull(waiting.get(uid)).priority().value();
        }

        private void fail(PodState pod) {
            promised.remove(pod.ref().uid());
            put(pod.ref(), pod.priority(), "failure " + failures++, pod.containers());
            assertThat(reserved(pod)).isFalse();
        }

        private void delete(PodState pod) {
            promised.remove(pod.ref().uid());
            waiting.remove(pod.ref().uid());
            ledger.removePod(pod.ref());
            assertThat(reserved(pod)).isFalse();
        }

        /** Every attempt ends, and each pod that could run is named a node. */
        void end() {
            List.copyOf(waiting.values()).forEach(this::fail);
            assertThat(ledger.reservations(_ -> true)).isEmpty();
            for (PodState pod : List.copyOf(waiting.values())) {
                boolean fits = nodes.stream()
                        .anyMatch(node -> ledger.nodeEntry(node)
                                        .cards()
                                        .place(TestCluster.demand(ledger, request(pod))
                                                .demand())
                                instanceof Placement.Placed);
                assertThat(selection.filter(request(pod), nodes).passed()).isEqualTo(fits ? 1 : 0);
                fail(pod);
            }
        }

        @Override
        public Optional<PodState> pod(String namespace, String name) {
            return waiting.values().stream()
                    .filter(pod -> pod.ref().name().equals(name))
                    .findFirst();
        }

        @Override
        public void bind(PodRef pod, String node, Map<String, String> annotations) throws Failure {
            if (!answers) {
                throw TestCluster.failure(Failure.Reach.ANSWERED, 503);
            }
        }
    }
}
