package io.gpushare.plugin.allocate.admission;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.plugin.allocate.allocation.AllocateResponse;
import io.gpushare.plugin.allocate.allocation.Caller;
import io.gpushare.plugin.allocate.allocation.CallerResolver;
import io.gpushare.plugin.allocate.allocation.CardSelection;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.devices.PreferredDevices;
import io.gpushare.plugin.allocate.kubelet.CallHandler;
import io.gpushare.plugin.allocate.snapshot.AnsweredCall;
import io.gpushare.plugin.allocate.snapshot.DeviceIdParser;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.PodResourcesList;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.allocate.state.PodResourcesPoller;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.container.RefusalKind;
import io.gpushare.plugin.node.holdings.FreeCards;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.plugin.node.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.node.part.Counts;
import io.gpushare.plugin.node.pod.NodePod;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the kubelet's calls: lists pod-resources, decides on the snapshot, and lists the API server's pods only if
 * the snapshot gives no result. Both timeouts together stay below the two seconds that a call may take, unless a pod
 * that has ended still computes on the card.
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

    /** What a call requests; the devices are empty in GetPreferredAllocation. */
    private record Request(DeviceResource resource, int count, List<DeviceId> devices) {
        Set<CardId> cards() {
            return devices.stream().map(DeviceId::card).collect(Collectors.toSet());
        }
    }

    /** What is decided for the caller: its cards, and the settings of its container. */
    private record Grant(Caller caller, ContainerAllocation cards, ContainerAllocateResponse response) {}

    private final LatestSnapshot latest;
    private final PodResourcesPoller.Lister podResources;
    private final Pods pods;
    private final FreeCards free;
    private final ContainerSettings settings;
    private final NodeIsolation isolation;
    private final InstantSource clock;
    private final Counts<Caller.Evidence> identified = new Counts<>(List.of(Caller.Evidence.values()));
    private final Counts<RefusalKind> refused = new Counts<>(List.of(RefusalKind.values()));
    /** Whether the kubelet has called GetPreferredAllocation for the Allocate that follows. */
    private volatile boolean preferenceGiven;

    public AllocationHandler(
            LatestSnapshot latest,
            PodResourcesPoller.Lister podResources,
            Pods pods,
            FreeCards free,
            ContainerSettings settings,
            NodeIsolation isolation,
            InstantSource clock) {
        this.latest = latest;
        this.podResources = podResources;
        this.pods = pods;
        this.free = free;
        this.settings = settings;
        this.isolation = isolation;
        this.clock = clock;
    }

    /** Containers that received their cards, by how they were identified. */
    public Counts<Caller.Evidence> identified() {
        return identified;
    }

    /** Refused Allocate calls, by the kind of reason. */
    public Counts<RefusalKind> refused() {
        return refused;
    }

    @Override
    public List<String> preferred(DeviceResource resource, List<String> available, List<String> mustInclude, int size) {
        preferenceGiven = true;
        return switch (preferred(new Request(resource, size, List.of()))) {
            case Outcome.Of<Grant>(Grant grant) ->
                PreferredDevices.of(
                        resource,
                        grant.cards(),
                        latest.now().allocations().reserved(),
                        available,
                        Set.copyOf(mustInclude));
            case Outcome.Refused<Grant> _ -> List.of(); // the Allocate that follows reports it
        };
    }

    /**
     * Decides by what is known, and lists pod-resources only if that leaves a doubt. A kubelet that is listed during
     * this call, while it removes the last pod that has ended of the resource, panics before Kubernetes' fix of issue
     * 119560.
     */
    private Outcome<Grant> preferred(Request request) {
        Outcome<Grant> known = decide(new CallerResolver(latest.now(), false, false), request);
        return known instanceof Outcome.Of ? known : decide(request);
    }

    @Override
    public Outcome<ContainerAllocateResponse> allocate(DeviceResource resource, List<String> ids) {
        Request request = new Request(resource, ids.size(), DeviceIdParser.devices(ids));
        Outcome<Grant> decided = decide(request).then(this::ifFree);
        switch (decided) {
            case Outcome.Of<Grant>(Grant grant) -> record(grant, ids, request.cards());
            case Outcome.Refused<Grant>(RefusalKind kind, String reason, Optional<PodRef> pod) -> {
                LOG.warn("refused: {}", reason);
                refused.count(kind);
                pod.ifPresent(each -> latest.update(now -> now.withRefused(each.uid())));
            }
        }
        preferenceGiven = false;
        return decided.then(grant -> new Outcome.Of<>(grant.response()));
    }

    private Outcome<Grant> ifFree(Grant grant) {
        PodRef pod = grant.caller().pod().ref();
        Set<CardId> cards = grant.cards().visibleCards();
        return free.inUseBy(List.of(pod), cards)
                .<Outcome<Grant>>map(names -> new Outcome.Refused<>(
                        RefusalKind.CARD_IN_USE,
                        "pod " + pod + ", container '" + grant.cards().name() + "': of its cards " + cards
                                + " one is in use by " + names + ": recreate the pod",
                        Optional.of(pod)))
                .orElseGet(() -> new Outcome.Of<>(grant));
    }

    private void record(Grant grant, List<String> ids, Set<CardId> counted) {
        PodRef pod = grant.caller().pod().ref();
        ContainerAllocation cards = grant.cards();
        latest.update(now -> now.withAnsweredCall(new AnsweredCall(pod, cards, Set.copyOf(ids), clock.instant())));
        free.given(pod, cards);
        identified.count(grant.caller().evidence());
        LOG.info(
                "pod {} container {}: {} on {} ({})",
                pod,
                cards.name(),
                share(cards.total()),
                cards.visibleCards(),
                grant.caller().evidence());
        // The container gets its own cards, and the same number of their devices is withdrawn.
        if (preferenceGiven && !counted.equals(cards.visibleCards())) {
            LOG.warn(
                    "pod {} ({}) container {}: the kubelet allocated devices of {} for it, too few of its cards were"
                            + " available",
                    pod,
                    pod.uid(),
                    cards.name(),
                    counted);
        }
    }

    private static String share(Share share) {
        if (share.takenWhole() > 0) {
            return share.takenWhole() + " whole";
        }
        String percents = ShareKind.PERCENTS.stream()
                .filter(kind -> kind.in(share) > 0)
                .map(kind -> " and " + kind.in(share) + "% of the " + kind)
                .collect(Collectors.joining());
        return share.units() + " units" + percents;
    }

    @Override
    public boolean gatesStart() {
        return isolation.gated();
    }

    @Override
    public Optional<String> start(DeviceResource resource, List<String> ids) {
        return new ContainerStarts(latest, podResources, isolation, clock).start(Set.copyOf(ids));
    }

    private Outcome<Grant> decide(Request request) {
        Instant start = clock.instant();
        Optional<PodResourcesList> listed = podResources.list(LIST_TIMEOUT);
        NodeSnapshot snapshot = listed.map(now -> latest.update(before -> before.withListed(now, start)))
                .orElseGet(latest::now);
        if (listed.isPresent() && !snapshot.behind()) {
            Outcome<Grant> early = decide(new CallerResolver(snapshot, true, false), request);
            if (early instanceof Outcome.Of) {
                return early;
            }
        }
        Optional<List<NodePod>> live = pods.live(LIVE_TIMEOUT);
        live.ifPresent(now -> latest.update(before -> before.withEnded(now)));
        NodeSnapshot fresh = live.map(now -> snapshot.withPods(now).withListed(snapshot.listed(), clock.instant()))
                .orElseGet(latest::now); // the watch may have reported the pod meanwhile
        Outcome<Grant> decided = decide(new CallerResolver(fresh, listed.isPresent(), live.isPresent()), request);
        return live.isEmpty() && decided instanceof Outcome.Refused<Grant>(var kind, String reason, var pod)
                ? new Outcome.Refused<>(
                        kind, reason + " (by the last known pods: the API server did not respond in time)", pod)
                : decided;
    }

    private Outcome<Grant> decide(CallerResolver callers, Request request) {
        NodeSnapshot snapshot = callers.snapshot();
        return callers.find(request.resource(), request.count(), request.cards())
                .then(caller -> new CardSelection(snapshot, caller.pod(), caller.container())
                        .among(request.devices())
                        .then(cards -> response(snapshot, caller, cards)
                                .then(response -> new Outcome.Of<>(new Grant(caller, cards, response)))));
    }

    private Outcome<ContainerAllocateResponse> response(
            NodeSnapshot snapshot, Caller caller, ContainerAllocation cards) {
        return switch (isolation.of(new StartingContainer(caller.pod().ref(), cards), snapshot.inventory())) {
            case ContainerIsolation.Settings needed ->
                settings.of(caller.pod(), cards, snapshot.inventory(), needed)
                        .then(edits -> new Outcome.Of<>(AllocateResponse.of(edits)));
            case ContainerIsolation.Refused(String reason) ->
                new Outcome.Refused<>(
                        RefusalKind.NO_ISOLATION,
                        "pod " + caller.pod().ref() + ", container '" + cards.name() + "': " + reason,
                        Optional.of(caller.pod().ref()));
        };
    }
}
