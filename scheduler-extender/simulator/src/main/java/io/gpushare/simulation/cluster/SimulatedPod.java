package io.gpushare.simulation.cluster;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.PodAnnotations;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.simulation.trace.MigProfile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A pod of a simulation with the containers and annotations that a user would have written. */
public record SimulatedPod(
        PodRef ref, PodRequest request, List<ContainerResources> containers, Map<String, String> annotations) {
    public SimulatedPod {
        containers = List.copyOf(containers);
        annotations = Map.copyOf(annotations);
    }

    /** @param models the names of the cluster's card models in annotations */
    static SimulatedPod of(int number, PodRequest request, Map<String, String> models) {
        String name = "pod-" + number;
        return new SimulatedPod(
                new PodRef(name, "default", name), request, containers(request), annotations(request, models));
    }

    HostResources host() {
        return new HostResources(request.cpuMilli(), request.memoryMib());
    }

    SchedulingPod scheduling() {
        return new SchedulingPod(ref, annotations, containers);
    }

    /** The pod as the API server shows it. */
    PodState on(@Nullable String node) {
        return PodState.of(ref, node, annotations, containers);
    }

    private static Map<String, String> annotations(PodRequest pod, Map<String, String> models) {
        if (!pod.gpu() || pod.models().isEmpty()) {
            return Map.of();
        }
        List<String> selected = pod.models().stream()
                .flatMap(title -> Stream.of(title, MigProfile.model(title)))
                .filter(models::containsKey)
                .map(models::get)
                .distinct()
                .sorted()
                .toList();
        return Map.of(
                PodAnnotations.SELECT,
                "model in (" + (selected.isEmpty() ? "none" : String.join(", ", selected)) + ")");
    }

    // A container has memory of a shared card or whole cards.
    private static List<ContainerResources> containers(PodRequest pod) {
        List<ContainerResources> containers = new ArrayList<>();
        Map<String, String> first = new HashMap<>();
        first.put("cpu", pod.cpuMilli() + "m");
        first.put("memory", pod.memoryMib() + "Mi");
        if (pod.share().instances() > 0) {
            first.put(ResourceNames.INSTANCES + profile(pod), "1");
        } else if (pod.units() > 0) {
            first.put(ResourceNames.DEFAULT.memory(), String.valueOf(pod.units()));
        }
        containers.add(new ContainerResources("first", ContainerRole.APP, first));
        if (pod.cards() > 0) {
            containers.add(new ContainerResources(
                    "second", ContainerRole.APP, Map.of(ResourceNames.DEFAULT.cards(), String.valueOf(pod.cards()))));
        }
        return containers;
    }

    private static String profile(PodRequest pod) {
        return pod.models().stream().map(MigProfile::profile).findFirst().orElseThrow();
    }
}
