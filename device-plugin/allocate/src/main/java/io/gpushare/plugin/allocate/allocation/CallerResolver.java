package io.gpushare.plugin.allocate.allocation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.Decoded;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.DeviceIdParser;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.container.RefusalKind;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the container that a kubelet call is about. The kubelet admits one pod at a time, container by container in
 * start order, and pod-resources lists a pod as soon as its admission begins. The caller is therefore the first
 * container of a listed pod that lacks the devices that it requests.
 *
 * @param listedNow whether pod-resources responded during this call; otherwise {@code snapshot.listed()} is an older
 *     list
 * @param fresh whether the API's pods were listed during this call; otherwise the watch may be behind the kubelet
 */
public record CallerResolver(NodeSnapshot snapshot, boolean listedNow, boolean fresh) {
    private record Candidate(NodePod pod, ContainerDemand container, boolean answered) {}

    /**
     * The container that requests {@code count} devices.
     *
     * @param named the cards of the devices in the call, which decide between pods that fit equally; may be empty
     */
    public Outcome<Caller> find(DeviceResource resource, int count, Set<CardId> named) {
        List<Candidate> fitting = snapshot.pods().stream()
                .filter(snapshot::waits)
                .filter(pod -> !listedNow || snapshot.listed().knows(pod.name()))
                .flatMap(pod -> firstLacking(pod, resource).stream())
                .filter(candidate -> resource.amount(candidate.container()) == count)
                .sorted(Comparator.comparing(Candidate::pod, NodePod.ADMISSION_ORDER))
                .toList();
        List<Candidate> unanswered =
                fitting.stream().filter(candidate -> !candidate.answered()).toList();
        if (!listedNow) {
            return unanswered.isEmpty() ? none(resource, count) : oldest(unanswered);
        }
        if (!unanswered.isEmpty()) {
            return among(unanswered, named, Caller.Evidence.LACKS_DEVICES);
        }
        return fitting.isEmpty() ? none(resource, count) : repeated(fitting, named);
    }

    /**
     * A container that has its cards already. The pod may as well be gone, and the caller another one of its name: only
     * the API server knows.
     */
    private Outcome<Caller> repeated(List<Candidate> candidates, Set<CardId> named) {
        return fresh
                ? among(candidates, named, Caller.Evidence.REPEATED_CALL)
                : new Outcome.Refused<>(
                        RefusalKind.POD_UNKNOWN,
                        "the kubelet calls again for pod "
                                + candidates.getFirst().pod().ref()
                                + ", which has its cards, or for a new pod of that name: recreate the pod");
    }

    private Optional<Candidate> firstLacking(NodePod pod, DeviceResource resource) {
        List<ContainerDemand> containers =
                pod.demand().valid().map(demand -> demand.containers()).orElse(List.of());
        for (int at = 0; at < containers.size(); at++) {
            ContainerDemand container = containers.get(at);
            Set<ShareKind> lacking = lacking(pod, containers, at);
            if (!lacking.isEmpty()) {
                // Later containers wait for this one, whichever resource it lacks.
                return lacking.contains(resource.kind())
                        ? Optional.of(new Candidate(pod, container, answered(pod, container, resource.kind())))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** The resources that the container lacks. The kubelet calls for one after the other, in any order. */
    private Set<ShareKind> lacking(NodePod pod, List<ContainerDemand> containers, int at) {
        Share request = containers.get(at).request().counted();
        return Stream.of(ShareKind.values())
                .filter(kind -> kind.in(request) > 0 && lacks(pod, containers, at, kind))
                .collect(Collectors.toSet());
    }

    private boolean lacks(NodePod pod, List<ContainerDemand> containers, int at, ShareKind kind) {
        ContainerDemand container = containers.get(at);
        if (pod.former().contains(container.name()) || listed(pod, container, kind)) {
            return false;
        }
        // pod-resources never lists ordinary init containers. One is done when its call was answered, or when a later
        // container has devices.
        if (!listedNow || container.role() == ContainerRole.INIT) {
            return !answered(pod, container, kind)
                    && containers.subList(at + 1, containers.size()).stream()
                            .noneMatch(later -> Stream.of(ShareKind.values())
                                    .anyMatch(any -> answered(pod, later, any) || listed(pod, later, any)));
        }
        return true;
    }

    private boolean answered(NodePod pod, ContainerDemand container, ShareKind kind) {
        return snapshot.answered(pod.ref(), container.name(), kind);
    }

    /** Whether pod-resources lists devices of that kind for the container. */
    private boolean listed(NodePod pod, ContainerDemand container, ShareKind kind) {
        return snapshot.listed().devices(pod.name(), container.name()).stream()
                .anyMatch(id -> DeviceIdParser.mayBe(Set.of(id), kind));
    }

    private Outcome<Caller> among(List<Candidate> candidates, Set<CardId> named, Caller.Evidence evidence) {
        List<Candidate> left = latest(candidates);
        if (left.size() > 1) {
            List<Candidate> byCard = left.stream()
                    .filter(candidate -> annotated(candidate).equals(Optional.of(named)))
                    .toList();
            left = byCard.isEmpty() ? left : byCard;
        }
        return sameCards(left) ? unlessRejected(left.getFirst(), evidence) : ambiguous(left);
    }

    /**
     * The oldest pod, if all have the same cards; otherwise none. A kubelet that was down does not admit pods in the
     * order in which they were bound. The cards that it names don't help either: it takes the devices that the plugin
     * preferred.
     */
    private Outcome<Caller> oldest(List<Candidate> candidates) {
        return sameCards(candidates)
                ? found(candidates.getFirst(), Caller.Evidence.DEMAND_ONLY)
                : ambiguous(candidates);
    }

    /** Whether all have the same annotated cards, so that any of them is right. */
    private boolean sameCards(List<Candidate> candidates) {
        return candidates.stream().map(this::annotated).distinct().count() == 1;
    }

    private Outcome<Caller> ambiguous(List<Candidate> candidates) {
        return new Outcome.Refused<>(
                RefusalKind.AMBIGUOUS_CALLER,
                "the pods "
                        + candidates.stream().map(each -> each.pod().ref()).toList()
                        + " wait for the same amount on different cards, and the kubelet does"
                        + " not say which of them it is admitting: recreate the pod"
                        + (listedNow ? "" : " (pod-resources did not respond in time)"));
    }

    /** The candidate, unless the kubelet began to admit a pod after it that the API has not reported. */
    private Outcome<Caller> unlessRejected(Candidate candidate, Caller.Evidence evidence) {
        return snapshot.unknownPodAfter(candidate.pod(), fresh)
                .<Outcome<Caller>>map(unknown -> new Outcome.Refused<>(
                        RefusalKind.POD_UNKNOWN,
                        "the API server has not reported pod " + unknown
                                + ", which the kubelet is admitting: recreate the pod"))
                .orElseGet(() -> found(candidate, evidence));
    }

    /** The candidates that the kubelet listed last; all of them if the order of one is unknown. */
    private List<Candidate> latest(List<Candidate> candidates) {
        List<OptionalLong> numbers = candidates.stream()
                .map(candidate -> snapshot.admissionOrder().of(candidate.pod()))
                .toList();
        if (numbers.stream().anyMatch(OptionalLong::isEmpty)) {
            return candidates;
        }
        long last = numbers.stream().mapToLong(OptionalLong::getAsLong).max().orElseThrow();
        return candidates.stream()
                .filter(candidate ->
                        snapshot.admissionOrder().of(candidate.pod()).getAsLong() == last)
                .toList();
    }

    private Optional<Set<CardId>> annotated(Candidate candidate) {
        return candidate
                .pod()
                .written(snapshot.inventory())
                .valid()
                .flatMap(
                        allocation -> allocation.container(candidate.container().name()))
                .map(ContainerAllocation::visibleCards);
    }

    private static Outcome<Caller> found(Candidate candidate, Caller.Evidence evidence) {
        return new Outcome.Of<>(new Caller(candidate.pod(), candidate.container(), evidence));
    }

    private Outcome<Caller> none(DeviceResource resource, int count) {
        Stream<String> malformed = snapshot.pods().stream()
                .filter(pod -> snapshot.waits(pod) && snapshot.listed().knows(pod.name()))
                .flatMap(pod -> pod.demand() instanceof Decoded.Malformed<?>(String reason)
                        ? Stream.of("pod " + pod.ref() + ": " + reason)
                        : Stream.empty());
        return malformed
                .findFirst()
                .<Outcome<Caller>>map(sentence -> new Outcome.Refused<>(RefusalKind.MALFORMED, sentence))
                .orElseGet(() -> new Outcome.Refused<>(
                        RefusalKind.NO_POD_WAITS,
                        "no pod that the API server has on this node waits for " + resource.text(count)));
    }
}
