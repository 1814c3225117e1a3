package io.gpushare.kubernetes;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.model.HostResources;
import io.gpushare.model.codec.AnnotationLimits;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.Taint;
import io.gpushare.model.request.HostResourcesCodec;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A node in the API, reduced to the fields that the programs use.
 *
 * @param uid identifies the node among those that had its name
 * @param annotations those that the programs read
 * @param allocatable its cpu and memory for pods
 * @param devices quantities of the extended resources that its kubelet offers
 * @param address its InternalIP; null while it has none
 * @param taints its taints, with {@link Taint#UNSCHEDULABLE} if it is cordoned
 */
public record NodeState(
        String name,
        String uid,
        Map<String, String> annotations,
        Map<String, String> labels,
        HostResources allocatable,
        Map<String, String> devices,
        @Nullable String address,
        List<Taint> taints) {
    public NodeState {
        annotations = Map.copyOf(annotations);
        labels = Map.copyOf(labels);
        devices = Map.copyOf(devices);
        taints = List.copyOf(taints);
    }

    /** What pods may require of it, apart from resources. */
    public NodeFacts facts() {
        return new NodeFacts(name, labels, taints);
    }

    /** Reads the JSON form of the API. */
    public static NodeState of(JsonNode node) {
        JsonNode metadata = node.path("metadata");
        Map<String, String> annotations = Json.texts(metadata, "annotations");
        annotations.keySet().removeIf(key -> !AnnotationLimits.WRITTEN.reads(key));
        Map<String, String> allocatable = Json.texts(node.path("status"), "allocatable");
        HostResources host = HostResourcesCodec.allocatable(allocatable);
        allocatable.keySet().removeIf(resource -> !resource.contains("/"));
        return new NodeState(
                text(metadata, "name"),
                text(metadata, "uid"),
                annotations,
                Json.texts(metadata, "labels"),
                host,
                allocatable,
                address(node.path("status").path("addresses")),
                taints(node.path("spec")));
    }

    private static @Nullable String address(JsonNode addresses) {
        return addresses
                .valueStream()
                .filter(each -> text(each, "type").equals("InternalIP"))
                .map(each -> text(each, "address"))
                .findFirst()
                .orElse(null);
    }

    private static List<Taint> taints(JsonNode spec) {
        List<Taint> taints = spec.path("taints")
                .valueStream()
                .map(each -> new Taint(
                        text(each, "key"), text(each, "value"), text(each, "effect"), Json.time(each, "timeAdded")))
                .toList();
        // The node lifecycle controller adds the taint a moment later, with its time.
        return spec.path("unschedulable").asBoolean() && taints.stream().noneMatch(Taint::cordon)
                ? Stream.concat(Stream.of(Taint.UNSCHEDULABLE), taints.stream()).toList()
                : taints;
    }

    /** Only what identifies it. */
    NodeState identity() {
        return new NodeState(name, uid, Map.of(), Map.of(), HostResources.NONE, Map.of(), null, List.of());
    }
}
