package io.gpushare.plugin.allocation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.Decoded;
import io.gpushare.plugin.devices.DeviceResource;
import io.gpushare.plugin.node.NodePod;
import io.gpushare.plugin.node.NodeSnapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the container that the kubelet is asking for. The kubelet admits one pod at a time, its containers in the order in
 * which they start, and lists a pod from the moment at which it begins to admit it. So it is the first container, of the
 * one listed pod, that lacks what it asks for.
 *
 * @param listedNow whether pod-resources answered to this call; otherwise {@code picture.listed()} is an older list
 * @param fresh whether the API's pods were listed for this call; otherwise the watch may be behind the kubelet
 */
public record CallerResolver(NodeSnapshot picture, boolean listedNow, boolean fresh) {
    private record Candidate(NodePod pod, ContainerDemand container, boolean answered) {}

    /**
     * The container that asks for {@code count} devices.
     *
     * @param named the cards whose devices the kubelet wants to give; they decide between pods that fit alike, and may be
     *     empty
     */
    public Caller find(DeviceResource resource, int count, Set<CardId> named) {
        List<Candidate> fitting = picture.pods().stream()
                .filter(picture::waits)
                .filter(pod -> !listedNow || picture.listed().knows(pod.name()))
                .flatMap(pod -> firstLacking(pod, resource).stream())
                .filter(candidate -> resource.amount(candidate.container()) == count)
                .sorted(Comparator.comparing(Candidate::pod, NodePod.ADMISSION_ORDER))
                .toList();
        List<Candidate> fresh =
                fitting.stream().filter(candidate -> !candidate.answered()).toList();
        if (!listedNow) {
            return fresh.isEmpty() ? nobody(resource, count) : oldest(fresh);
        }
        if (!fresh.isEmpty()) {
            return among(fresh, named, Caller.Way.LACKS_DEVICES);
        }
        return fitting.isEmpty() ? nobody(resource, count) : among(fitting, named, Caller.Way.ASKS_AGAIN);
    }

    private Optional<Candidate> firstLacking(NodePod pod, DeviceResource resource) {
        List<ContainerDemand> containers =
                pod.demand().valid().map(demand -> demand.containers()).orElse(List.of());
        for (int at = 0; at < containers.size(); at++) {
            ContainerDemand container = containers.get(at);
            if (lacks(pod, containers, at)) {
                // Later containers wait for this one, whichever resource it is that it lacks.
                return resource.amount(container) > 0
                        ? Optional.of(new Candidate(pod, container, answered(pod, container)))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private boolean lacks(NodePod pod, List<ContainerDemand> containers, int at) {
        ContainerDemand container = containers.get(at);
        if (!picture.listed().devices(pod.name(), container.name()).isEmpty()) {
            return false;
        }
        // Ordinary init containers are never listed. One is past when it was answered, or when one after it has
        // devices.
        if (!listedNow || container.role() == ContainerRole.INIT) {
            return !answered(pod, container)
                    && containers.subList(at + 1, containers.size()).stream()
                            .noneMatch(later -> answered(pod, later)
                                    || !picture.listed()
                                            .devices(pod.name(), later.name())
                                            .isEmpty());
        }
        return true;
    }

    private boolean answered(NodePod pod, ContainerDemand container) {
        return picture.answers().stream().anyMatch(answer -> answer.to(pod.ref(), container.name()));
    }

    private Caller among(List<Candidate> candidates, Set<CardId> named, Caller.Way way) {
        List<Candidate> left = lastToCome(candidates);
        if (left.size() > 1) {
            List<Candidate> byCard = left.stream()
                    .filter(candidate -> promised(candidate).equals(Optional.of(named)))
                    .toList();
            left = byCard.isEmpty() ? left : byCard;
        }
        return alike(left) ? unlessPast(left.getFirst(), way) : several(left);
    }

    /**
     * The one that was made first, where all were promised the same cards. Else none: a kubelet that was away admits what
     * it missed in another order than pods were bound in, and the cards that it names are of no use, since it takes those
     * that we prefer.
     */
    private static Caller oldest(List<Candidate> candidates) {
        return alike(candidates) ? found(candidates.getFirst(), Caller.Way.DEMAND_ONLY) : several(candidates);
    }

    /** Whether all were promised the same cards, so that any of them is right. */
    private static boolean alike(List<Candidate> candidates) {
        return candidates.stream().map(CallerResolver::promised).distinct().count() == 1;
    }

    private static Caller several(List<Candidate> candidates) {
        return new Caller.Several(
                candidates.stream().map(each -> each.pod().ref()).toList());
    }

    /** One that came to the kubelet before a pod of which the API has not told is past: that pod is at the door. */
    private Caller unlessPast(Candidate candidate, Caller.Way way) {
        return picture.strangerAfter(candidate.pod(), fresh)
                .<Caller>map(stranger -> new Caller.Nobody(
                        RefusalKind.NOT_TOLD,
                        "the API server has not told of pod " + stranger
                                + ", which the kubelet admits: create the pod anew"))
                .orElseGet(() -> found(candidate, way));
    }

    /** The pod at the door is the one that came last; all, where of one of them nobody knows when it came. */
    private List<Candidate> lastToCome(List<Candidate> candidates) {
        List<OptionalLong> came = candidates.stream()
                .map(candidate -> picture.arrivals().of(candidate.pod()))
                .toList();
        if (came.stream().anyMatch(OptionalLong::isEmpty)) {
            return candidates;
        }
        long last = came.stream().mapToLong(OptionalLong::getAsLong).max().orElseThrow();
        return candidates.stream()
                .filter(candidate -> picture.arrivals().of(candidate.pod()).getAsLong() == last)
                .toList();
    }

    private static Optional<Set<CardId>> promised(Candidate candidate) {
        return candidate
                .pod()
                .allocation()
                .valid()
                .flatMap(
                        allocation -> allocation.container(candidate.container().name()))
                .map(ContainerAllocation::visibleCards);
    }

    private static Caller found(Candidate candidate, Caller.Way way) {
        return new Caller.Found(candidate.pod(), candidate.container(), way);
    }

    private Caller nobody(DeviceResource resource, int count) {
        Stream<String> malformed = picture.pods().stream()
                .filter(pod -> picture.waits(pod) && picture.listed().knows(pod.name()))
                .flatMap(pod -> pod.demand() instanceof Decoded.Malformed<?>(String reason)
                        ? Stream.of(complaint(pod.ref(), reason))
                        : Stream.empty());
        return malformed
                .findFirst()
                .map(complaint -> new Caller.Nobody(RefusalKind.MALFORMED, complaint))
                .orElseGet(() -> new Caller.Nobody(
                        RefusalKind.NOBODY_WAITS,
                        "no pod that the API server has on this node waits for "
                                + (resource == DeviceResource.MEMORY
                                        ? count + " units of GPU memory"
                                        : count + " whole GPU cards")));
    }

    private static String complaint(PodRef pod, String reason) {
        return "pod " + pod + ": " + reason;
    }
}
