package io.gpushare.plugin.admission;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.plugin.allocation.AllocationResponse;
import io.gpushare.plugin.allocation.Caller;
import io.gpushare.plugin.allocation.CallerResolver;
import io.gpushare.plugin.allocation.CardChoice;
import io.gpushare.plugin.allocation.CardSelection;
import io.gpushare.plugin.allocation.ContainerSettings;
import io.gpushare.plugin.allocation.RefusalKind;
import io.gpushare.plugin.devices.DeviceResource;
import io.gpushare.plugin.devices.PreferredDevices;
import io.gpushare.plugin.kubelet.CallHandler;
import io.gpushare.plugin.node.AnsweredCall;
import io.gpushare.plugin.node.NodePod;
import io.gpushare.plugin.node.NodeSnapshot;
import io.gpushare.plugin.node.PodResourcesList;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the kubelet: asks pod-resources, decides on the picture, and asks the API server for a fresh list of pods only
 * where the picture has no answer. The two times together stay under the two seconds that a call may take.
 */
public final class AllocationHandler implements CallHandler {
    /** What pod-resources lists now, if it answers in that time. */
    @FunctionalInterface
    public interface Lister {
        Optional<PodResourcesList> list(Duration time);
    }

    /** The pods that the API server has now, if it answers in that time. */
    @FunctionalInterface
    public interface Pods {
        Optional<List<NodePod>> live(Duration time);
    }

    private static final Logger LOG = LoggerFactory.getLogger(AllocationHandler.class);
    private static final Duration LIST_TIME = Duration.ofMillis(600);
    private static final Duration LIVE_TIME = Duration.ofMillis(900);
    /** The kubelet's Allocate follows its GetPreferredAllocation within milliseconds. */
    private static final Duration PROMISE_HOLDS = Duration.ofSeconds(5);

    /** What the kubelet asks now. */
    private record Question(DeviceResource resource, int count, List<DeviceId> devices) {
        Set<CardId> named() {
            return devices.stream().map(DeviceId::card).collect(Collectors.toSet());
        }
    }

    private sealed interface Verdict {
        record Gets(Caller.Found asker, ContainerAllocation cards) implements Verdict {}

        record No(RefusalKind why, String reason, Optional<NodePod> pod) implements Verdict {}
    }

    /** The devices that were preferred, and for whom. */
    private record Promise(DeviceResource resource, Set<String> ids, Caller.Found asker, Instant at) {}

    private final LatestSnapshot latest;
    private final Lister podResources;
    private final Pods pods;
    private final ContainerSettings sees;
    private final InstantSource clock;
    private final Map<Caller.Way, LongAdder> found = new EnumMap<>(Caller.Way.class);
    private final Map<RefusalKind, LongAdder> refused = new EnumMap<>(RefusalKind.class);
    private volatile @Nullable Promise promise;
    /** Why the kubelet may give devices of other cards though it asked; empty when it did not ask. */
    private volatile String unpreferred = "";

    public AllocationHandler(
            LatestSnapshot latest, Lister podResources, Pods pods, ContainerSettings sees, InstantSource clock) {
        this.latest = Objects.requireNonNull(latest);
        this.podResources = Objects.requireNonNull(podResources);
        this.pods = Objects.requireNonNull(pods);
        this.sees = Objects.requireNonNull(sees);
        this.clock = Objects.requireNonNull(clock);
        for (Caller.Way way : Caller.Way.values()) {
            found.put(way, new LongAdder());
        }
        for (RefusalKind why : RefusalKind.values()) {
            refused.put(why, new LongAdder());
        }
    }

    /** How often a container was given its cards, by the way in which it was found. */
    public Map<Caller.Way, Long> found() {
        return sums(found);
    }

    /** How often an Allocate was refused, by the kind of reason. */
    public Map<RefusalKind, Long> refused() {
        return sums(refused);
    }

    private static <K extends Enum<K>> Map<K, Long> sums(Map<K, LongAdder> adders) {
        Map<K, Long> sums = new TreeMap<>();
        adders.forEach((kind, adder) -> sums.put(kind, adder.sum()));
        return sums;
    }

    /** Both in one line, for the log. */
    public String counts() {
        return found + ", refused "
                + refused().values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public List<String> preferred(DeviceResource resource, List<String> available, List<String> mustInclude, int size) {
        promise = null;
        return switch (verdict(new Question(resource, size, List.of()))) {
            case Verdict.No(var _, String reason, var _) -> {
                unpreferred = reason;
                yield List.of(); // told by the Allocate that follows
            }
            case Verdict.Gets(Caller.Found asker, ContainerAllocation cards) -> {
                List<String> ids = PreferredDevices.of(cards, available, Set.copyOf(mustInclude));
                if (ids.isEmpty()) {
                    unpreferred = "it has too few free ones of " + cards.visibleCards();
                } else {
                    unpreferred = "it did not take the preferred ones";
                    promise = new Promise(resource, Set.copyOf(ids), asker, clock.instant());
                }
                yield ids;
            }
        };
    }

    @Override
    public AllocationResponse allocate(DeviceResource resource, List<String> ids) {
        List<DeviceId> devices =
                ids.stream().flatMap(id -> DeviceId.parse(id).valid().stream()).toList();
        Question question = new Question(resource, ids.size(), devices);
        Optional<Caller.Found> promised = promised(resource, Set.copyOf(ids));
        promise = null;
        Verdict verdict = promised.map(asker -> cards(latest.now(), asker, question))
                .filter(early -> early instanceof Verdict.Gets)
                .orElseGet(() -> verdict(question));
        return switch (verdict) {
            case Verdict.Gets(Caller.Found asker, ContainerAllocation cards) -> given(asker, cards, ids);
            case Verdict.No(RefusalKind why, String reason, Optional<NodePod> pod) -> refused(why, reason, pod);
        };
    }

    private Optional<Caller.Found> promised(DeviceResource resource, Set<String> ids) {
        return Optional.ofNullable(promise)
                .filter(made -> made.resource() == resource && made.ids().equals(ids))
                .filter(made -> clock.instant().isBefore(made.at().plus(PROMISE_HOLDS)))
                .map(Promise::asker);
    }

    private AllocationResponse given(Caller.Found asker, ContainerAllocation cards, List<String> ids) {
        NodePod pod = asker.pod();
        AnsweredCall answer = new AnsweredCall(pod.ref(), cards, Set.copyOf(ids), clock.instant());
        NodeSnapshot picture = latest.update(now -> now.withAnswer(answer));
        Objects.requireNonNull(found.get(asker.way())).increment();
        LOG.info(
                "pod {} container {}: {} on {} ({})",
                pod.ref(),
                cards.name(),
                cards.total().wholeCards() == 0
                        ? cards.total().units() + " units"
                        : cards.total().wholeCards() + " whole",
                cards.visibleCards(),
                asker.way());
        tellUnlessBooked(pod, cards, ids);
        int podUnits = pod.demand()
                .valid()
                .map(demand -> demand.total().units())
                .orElse(cards.total().units());
        return sees.of(cards, podUnits, picture.inventory());
    }

    /**
     * Tells of a kubelet that asked which devices it should take and took those of other cards. The container is on its
     * cards all the same, and as many devices of theirs are withdrawn.
     */
    private void tellUnlessBooked(NodePod pod, ContainerAllocation cards, List<String> ids) {
        Set<CardId> booked = ids.stream()
                .flatMap(id -> DeviceId.parse(id).valid().stream())
                .map(DeviceId::card)
                .collect(Collectors.toSet());
        if (!unpreferred.isEmpty() && !booked.equals(cards.visibleCards())) {
            LOG.warn(
                    "pod {} ({}) container {}: the kubelet books devices of {} for it: {}",
                    pod.ref(),
                    pod.ref().uid(),
                    cards.name(),
                    booked,
                    unpreferred);
        }
        unpreferred = "";
    }

    private AllocationResponse refused(RefusalKind why, String reason, Optional<NodePod> pod) {
        LOG.warn("refused: {}", reason);
        Objects.requireNonNull(refused.get(why)).increment();
        pod.ifPresent(each -> latest.update(now -> now.withRefused(each.ref().uid())));
        return new AllocationResponse.Refused(why, reason);
    }

    private Verdict verdict(Question question) {
        Instant asked = clock.instant();
        Optional<PodResourcesList> listed = podResources.list(LIST_TIME);
        NodeSnapshot picture = listed.map(now -> latest.update(before -> before.withListed(now, asked)))
                .orElseGet(latest::now);
        if (listed.isPresent() && !picture.behind()) {
            Verdict early = judge(picture, listed.isPresent(), false, question);
            if (early instanceof Verdict.Gets(Caller.Found asker, var _) && asker.way() != Caller.Way.ASKS_AGAIN) {
                return early;
            }
        }
        Optional<List<NodePod>> live = pods.live(LIVE_TIME);
        live.ifPresent(now -> latest.update(before -> before.withEnded(now)));
        NodeSnapshot fresh = live.map(now -> picture.withPods(now).withListed(picture.listed(), clock.instant()))
                .orElse(picture);
        return late(judge(fresh, listed.isPresent(), live.isPresent(), question), live.isPresent());
    }

    /** A refusal on an old picture says so. */
    private static Verdict late(Verdict verdict, boolean fresh) {
        return verdict instanceof Verdict.No(RefusalKind why, String reason, Optional<NodePod> pod) && !fresh
                ? new Verdict.No(
                        why, reason + " (by what was known before: the API server did not answer in time)", pod)
                : verdict;
    }

    private Verdict judge(NodeSnapshot picture, boolean listedNow, boolean fresh, Question question) {
        return switch (new CallerResolver(picture, listedNow, fresh)
                .find(question.resource(), question.count(), question.named())) {
            case Caller.Found asker -> cards(picture, asker, question);
            case Caller.Nobody(RefusalKind why, String reason) -> new Verdict.No(why, reason, Optional.empty());
            case Caller.Several(var several) ->
                new Verdict.No(
                        RefusalKind.SEVERAL_WAIT,
                        "the pods " + several + " wait for the same amount on different cards, and the kubelet does"
                                + " not tell which of them this is: create the pod anew"
                                + (listedNow ? "" : " (its pod-resources did not answer in time)"),
                        Optional.empty());
        };
    }

    private static Verdict cards(NodeSnapshot picture, Caller.Found asker, Question question) {
        return switch (new CardSelection(picture, asker.pod(), asker.container()).among(question.devices())) {
            case CardChoice.Chosen(ContainerAllocation gets) -> new Verdict.Gets(asker, gets);
            case CardChoice.Refused(RefusalKind why, String reason) ->
                new Verdict.No(why, reason, Optional.of(asker.pod()));
        };
    }
}
