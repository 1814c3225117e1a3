package io.gpushare.plugin.admission;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
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
import io.gpushare.plugin.isolation.ContainerIsolation;
import io.gpushare.plugin.isolation.StartGate;
import io.gpushare.plugin.kubelet.CallHandler;
import io.gpushare.plugin.snapshot.AnsweredCall;
import io.gpushare.plugin.snapshot.NodePod;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import io.gpushare.plugin.snapshot.PodResourcesList;
import io.gpushare.plugin.state.LatestSnapshot;
import io.gpushare.plugin.state.PodResourcesPoller;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the kubelet's calls: lists pod-resources, decides on the snapshot, and lists the API server's pods only if the
 * snapshot gives no result. Both timeouts together stay below the two seconds that a call may take.
 */
public final class AllocationHandler implements CallHandler {
    /** Lists the pods at the API server; empty when it does not respond within the timeout. */
    @FunctionalInterface
    public interface Pods {
        Optional<List<NodePod>> live(Duration timeout);
    }

    private static final Logger LOG = LoggerFactory.getLogger(AllocationHandler.class);
    private static final Duration LIST_TIMEOUT = Duration.ofMillis(600);
    private static final Duration LIVE_TIMEOUT = Duration.ofMillis(900);
    /** The kubelet calls Allocate within milliseconds after GetPreferredAllocation. */
    private static final Duration PREFERENCE_LIFETIME = Duration.ofSeconds(5);

    /** What a call requests; the devices are empty in GetPreferredAllocation. */
    private record Request(DeviceResource resource, int count, List<DeviceId> devices) {
        Set<CardId> cards() {
            return devices.stream().map(DeviceId::card).collect(Collectors.toSet());
        }
    }

    private sealed interface Verdict {
        record Granted(Caller.Found caller, ContainerAllocation allocation) implements Verdict {}

        record Refused(RefusalKind kind, String reason, Optional<NodePod> pod) implements Verdict {}
    }

    /** The devices that were preferred, and for whom. */
    private record Preference(DeviceResource resource, Set<String> ids, Caller.Found caller, Instant at) {}

    private final LatestSnapshot latest;
    private final PodResourcesPoller.Lister podResources;
    private final Pods pods;
    private final ContainerSettings settings;
    private final StartGate isolation;
    private final InstantSource clock;
    private final CallCounters counters = new CallCounters();
    private volatile @Nullable Preference preference;
    /** Why the kubelet may allocate devices of other cards after GetPreferredAllocation; empty if it did not call it. */
    private volatile String notPreferred = "";

    public AllocationHandler(
            LatestSnapshot latest,
            PodResourcesPoller.Lister podResources,
            Pods pods,
            ContainerSettings settings,
            StartGate isolation,
            InstantSource clock) {
        this.latest = latest;
        this.podResources = podResources;
        this.pods = pods;
        this.settings = settings;
        this.isolation = isolation;
        this.clock = clock;
    }

    public CallCounters counters() {
        return counters;
    }

    @Override
    public List<String> preferred(DeviceResource resource, List<String> available, List<String> mustInclude, int size) {
        preference = null;
        return switch (decide(new Request(resource, size, List.of()))) {
            case Verdict.Refused(var _, String reason, var _) -> {
                notPreferred = reason;
                yield List.of(); // the Allocate that follows reports it
            }
            case Verdict.Granted(Caller.Found caller, ContainerAllocation allocation) -> {
                List<String> ids = PreferredDevices.of(resource, allocation, available, Set.copyOf(mustInclude));
                if (ids.isEmpty()) {
                    notPreferred = "too few devices of " + allocation.visibleCards() + " are available";
                } else {
                    notPreferred = "it ignored the preferred devices";
                    preference = new Preference(resource, Set.copyOf(ids), caller, clock.instant());
                }
                yield ids;
            }
        };
    }

    @Override
    public AllocationResponse allocate(DeviceResource resource, List<String> ids) {
        List<DeviceId> devices =
                ids.stream().flatMap(id -> DeviceId.parse(id).valid().stream()).toList();
        Request request = new Request(resource, ids.size(), devices);
        Optional<Caller.Found> known = preferredCaller(resource, Set.copyOf(ids));
        preference = null;
        Verdict verdict = known.map(caller -> select(latest.now(), caller, request))
                .filter(early -> early instanceof Verdict.Granted)
                .orElseGet(() -> decide(request));
        return switch (verdict) {
            case Verdict.Granted(Caller.Found caller, ContainerAllocation allocation) ->
                grant(caller, allocation, ids, request.cards());
            case Verdict.Refused(RefusalKind kind, String reason, Optional<NodePod> pod) -> refuse(kind, reason, pod);
        };
    }

    private Optional<Caller.Found> preferredCaller(DeviceResource resource, Set<String> ids) {
        return Optional.ofNullable(preference)
                .filter(made -> made.resource() == resource && made.ids().equals(ids))
                .filter(made -> clock.instant().isBefore(made.at().plus(PREFERENCE_LIFETIME)))
                .map(Preference::caller);
    }

    private AllocationResponse grant(
            Caller.Found caller, ContainerAllocation allocation, List<String> ids, Set<CardId> counted) {
        NodePod pod = caller.pod();
        AnsweredCall call = new AnsweredCall(pod.ref(), allocation, Set.copyOf(ids), clock.instant());
        NodeSnapshot snapshot = latest.update(now -> now.withAnsweredCall(call));
        counters.countIdentified(caller.evidence());
        LOG.info(
                "pod {} container {}: {} on {} ({})",
                pod.ref(),
                allocation.name(),
                share(allocation.total()),
                allocation.visibleCards(),
                caller.evidence());
        warnIfOtherCards(pod, allocation, counted);
        int podUnits = pod.demand()
                .valid()
                .map(demand -> demand.total().units())
                .orElse(allocation.total().units());
        AllocationResponse.Granted granted = settings.of(allocation, podUnits, snapshot.inventory());
        return switch (isolation.of(allocation, snapshot.inventory())) {
            case ContainerIsolation.Settings needed -> granted.with(needed);
            // The card changed within this call. The container waits in PreStartContainer, with a sentence.
            case ContainerIsolation.Refused _ -> granted;
        };
    }

    @Override
    public boolean gatesStart() {
        return isolation.gated();
    }

    @Override
    public Optional<String> start(DeviceResource resource, List<String> ids) {
        return isolation.start(Set.copyOf(ids));
    }

    private static String share(Share share) {
        String cores = share.cores() == 0 ? "" : " and " + share.cores() + "% of the cores";
        return share.wholeCards() == 0 ? share.units() + " units" + cores : share.wholeCards() + " whole";
    }

    /**
     * Warns if the kubelet called GetPreferredAllocation and then allocated devices of other cards. The container gets its
     * own cards, and the same number of their devices is withdrawn.
     */
    private void warnIfOtherCards(NodePod pod, ContainerAllocation allocation, Set<CardId> counted) {
        if (!notPreferred.isEmpty() && !counted.equals(allocation.visibleCards())) {
            LOG.warn(
                    "pod {} ({}) container {}: the kubelet allocated devices of {} for it: {}",
                    pod.ref(),
                    pod.ref().uid(),
                    allocation.name(),
                    counted,
                    notPreferred);
        }
        notPreferred = "";
    }

    private AllocationResponse refuse(RefusalKind kind, String reason, Optional<NodePod> pod) {
        LOG.warn("refused: {}", reason);
        counters.countRefused(kind);
        pod.ifPresent(each -> latest.update(now -> now.withRefused(each.ref().uid())));
        return new AllocationResponse.Refused(kind, reason);
    }

    private Verdict decide(Request request) {
        Instant start = clock.instant();
        Optional<PodResourcesList> listed = podResources.list(LIST_TIMEOUT);
        NodeSnapshot snapshot = listed.map(now -> latest.update(before -> before.withListed(now, start)))
                .orElseGet(latest::now);
        if (listed.isPresent() && !snapshot.behind()) {
            Verdict early = resolve(snapshot, true, false, request);
            if (early instanceof Verdict.Granted(Caller.Found caller, var _)
                    && caller.evidence() != Caller.Evidence.REPEATED_CALL) {
                return early;
            }
        }
        Optional<List<NodePod>> live = pods.live(LIVE_TIMEOUT);
        live.ifPresent(now -> latest.update(before -> before.withEnded(now)));
        NodeSnapshot fresh = live.map(now -> snapshot.withPods(now).withListed(snapshot.listed(), clock.instant()))
                .orElse(snapshot);
        Verdict verdict = resolve(fresh, listed.isPresent(), live.isPresent(), request);
        return live.isPresent() ? verdict : explainStale(verdict);
    }

    /** A refusal that is based on an old list of pods says so. */
    private static Verdict explainStale(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Granted granted -> granted;
            case Verdict.Refused(RefusalKind kind, String reason, Optional<NodePod> pod) ->
                new Verdict.Refused(
                        kind, reason + " (by the last known pods: the API server did not respond in time)", pod);
        };
    }

    private Verdict resolve(NodeSnapshot snapshot, boolean listedNow, boolean fresh, Request request) {
        return switch (new CallerResolver(snapshot, listedNow, fresh)
                .find(request.resource(), request.count(), request.cards())) {
            case Caller.Found caller -> select(snapshot, caller, request);
            case Caller.None(RefusalKind kind, String reason) -> new Verdict.Refused(kind, reason, Optional.empty());
            case Caller.Ambiguous(var candidates) ->
                new Verdict.Refused(
                        RefusalKind.AMBIGUOUS_CALLER,
                        "the pods " + candidates + " wait for the same amount on different cards, and the kubelet does"
                                + " not say which of them it is admitting: recreate the pod"
                                + (listedNow ? "" : " (pod-resources did not respond in time)"),
                        Optional.empty());
        };
    }

    private Verdict select(NodeSnapshot snapshot, Caller.Found caller, Request request) {
        return switch (new CardSelection(snapshot, caller.pod(), caller.container()).among(request.devices())) {
            case CardChoice.Chosen(ContainerAllocation allocation) ->
                settings.refusal(allocation, snapshot.inventory())
                        .<Verdict>map(reason ->
                                new Verdict.Refused(RefusalKind.NO_DEVICE_FILE, reason, Optional.of(caller.pod())))
                        .orElseGet(() -> isolated(snapshot, caller, allocation));
            case CardChoice.Refused(RefusalKind kind, String reason) ->
                new Verdict.Refused(kind, reason, Optional.of(caller.pod()));
        };
    }

    private Verdict isolated(NodeSnapshot snapshot, Caller.Found caller, ContainerAllocation allocation) {
        return switch (isolation.of(allocation, snapshot.inventory())) {
            case ContainerIsolation.Settings _ -> new Verdict.Granted(caller, allocation);
            case ContainerIsolation.Refused(String reason) ->
                new Verdict.Refused(
                        RefusalKind.NO_ISOLATION,
                        "pod " + caller.pod().ref() + ", container '" + allocation.name() + "': " + reason,
                        Optional.of(caller.pod()));
        };
    }
}
