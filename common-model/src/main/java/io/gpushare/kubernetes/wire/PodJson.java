package io.gpushare.kubernetes.wire;

import static io.gpushare.kubernetes.wire.Json.text;
import static io.gpushare.kubernetes.wire.Json.texts;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.node.LabelRequirement;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.node.Toleration;
import io.gpushare.model.pod.PodClaims;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.PodAnnotations;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A pod in the API's JSON form. */
public record PodJson(JsonNode metadata, JsonNode spec, JsonNode status) {
    /** The condition of a pod for which cards are held on the node that its message names first. */
    public static final String HELD = "gpushare.io/CardsHeld";

    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    // The API server accepts at most 63 characters after the prefix.
    private static final int LONGEST_KEY = 80;

    public PodJson(JsonNode pod) {
        this(pod.path("metadata"), pod.path("spec"), pod.path("status"));
    }

    public PodRef ref() {
        return new PodRef(text(metadata, "uid"), Json.shared(metadata, "namespace"), text(metadata, "name"));
    }

    /** The node to which it is bound; null before. */
    public @Nullable String node() {
        return Json.sharedOrNull(spec, "nodeName");
    }

    /** The node on which its scheduler expects it to fit soon; null for none. */
    public @Nullable String nominatedNode() {
        return Json.sharedOrNull(status, "nominatedNodeName");
    }

    /** Whether its phase is Succeeded or Failed. */
    public boolean ended() {
        return phase("Succeeded") || phase("Failed");
    }

    public boolean phase(String name) {
        return text(status, "phase").equals(name);
    }

    public boolean deleting() {
        return metadata.hasNonNull("deletionTimestamp");
    }

    public int priority() {
        return spec.path("priority").asInt();
    }

    /** The condition of that type and status; empty if there is none. */
    public Optional<JsonNode> condition(String type, String value) {
        return status.path("conditions")
                .valueStream()
                .filter(each ->
                        text(each, "type").equals(type) && text(each, "status").equals(value))
                .findFirst();
    }

    /** The statuses of its containers, in the order in which they start. */
    public Stream<JsonNode> containerStatuses() {
        return Stream.of("initContainerStatuses", "containerStatuses")
                .flatMap(field -> status.path(field).valueStream());
    }

    /**
     * The annotations that the programs read, no longer than their decoders accept. A misspelt key is kept too, so that
     * it can be refused: one of them, without its value.
     */
    public Map<String, String> annotations() {
        Map<String, String> kept = new HashMap<>();
        texts(metadata, "annotations").forEach((key, value) -> {
            if (PodAnnotations.reads(key)) {
                kept.put(key, PodAnnotations.cut(key, value));
            } else if (PodAnnotations.unknown(key) && kept.keySet().stream().noneMatch(PodAnnotations::unknown)) {
                kept.put(key.substring(0, Math.min(key.length(), LONGEST_KEY)), "");
            }
        });
        return kept;
    }

    /** Which nodes it accepts. */
    public NodeRules nodeRules() {
        JsonNode terms = spec.path("affinity").path("nodeAffinity").path(REQUIRED);
        return new NodeRules(
                texts(spec, "nodeSelector"),
                terms.isObject()
                        ? terms.path("nodeSelectorTerms")
                                .valueStream()
                                .map(term -> new NodeRules.Term(
                                        requirements(term.path("matchExpressions")),
                                        requirements(term.path("matchFields"))))
                                .toList()
                        : null,
                spec.path("tolerations")
                        .valueStream()
                        .map(each -> new Toleration(
                                Json.shared(each, "key"),
                                Json.shared(each, "operator"),
                                Json.shared(each, "value"),
                                Json.shared(each, "effect")))
                        .toList());
    }

    /** The conditions on labels in a list of the API. */
    public static List<LabelRequirement> requirements(JsonNode written) {
        return written.valueStream()
                .map(each -> new LabelRequirement(
                        text(each, "key"),
                        text(each, "operator"),
                        each.path("values").valueStream().map(JsonNode::asText).collect(Collectors.toSet())))
                .toList();
    }

    /** What its containers use of claims. */
    public List<ClaimUse> claimUses() {
        return ClaimUseJson.withoutVariables(spec, status);
    }

    /** The names of its scheduling gates. */
    public List<String> gates() {
        return spec.path("schedulingGates")
                .valueStream()
                .map(gate -> Json.shared(gate, "name"))
                .toList();
    }

    /** The templates from which Kubernetes makes claims for it, of the first {@link PodClaims#MOST} that it names. */
    public List<String> templates() {
        return spec.path("resourceClaims")
                .valueStream()
                .limit(PodClaims.MOST)
                .map(claim -> Json.shared(claim, "resourceClaimTemplateName"))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    /** Its PodGroup, of which kube-scheduler may bind minCount pods or none; null for none. */
    public @Nullable String group() {
        return Json.sharedOrNull(spec.path("schedulingGroup"), "podGroupName");
    }

    /** Its containers in the order in which they start, app containers last. */
    public Stream<JsonNode> containerSpecs() {
        return Stream.of("initContainers", "containers")
                .flatMap(field -> spec.path(field).valueStream());
    }

    /** The names of its containers whose environment has a variable of that name. */
    public Set<String> containersWith(String variable) {
        return containerSpecs()
                .filter(each -> each.path("env")
                        .valueStream()
                        .anyMatch(set -> text(set, "name").equals(variable)))
                .map(each -> Json.shared(each, "name"))
                .collect(Collectors.toSet());
    }

    /** The ResourceClaims that it names. */
    public PodClaims claims() {
        Map<String, String> names = new LinkedHashMap<>();
        spec.path("resourceClaims").valueStream().limit(PodClaims.MOST).forEach(claim -> claim(claim, names));
        // Of a template, the claim's name is in the status.
        status.path("resourceClaimStatuses").valueStream().limit(PodClaims.MOST).forEach(claim -> claim(claim, names));
        // That of its extended resources, which the spec does not name.
        claim(status.path("extendedResourceClaimStatus"), names);
        List<String> existing = names.values().stream()
                .filter(name -> !name.isEmpty())
                .distinct() // it may name one twice
                .toList();
        return names.isEmpty() ? PodClaims.NONE : new PodClaims(existing, names.containsValue(""));
    }

    private static void claim(JsonNode claim, Map<String, String> names) {
        if (!claim.isMissingNode()) {
            names.put(text(claim, "name"), text(claim, "resourceClaimName"));
        }
    }

    /**
     * The resources of its containers, in the order in which they start. Of a bound pod, without those for which
     * kube-scheduler made a claim: the claim has them, and no device plugin gives them.
     */
    public List<ContainerResources> containers() {
        return eachContainer(spec, this::resources).toList();
    }

    /** The results for the containers of a pod, in the order in which they start. */
    static <T> Stream<T> eachContainer(JsonNode spec, BiFunction<JsonNode, ContainerRole, T> result) {
        return Stream.concat(
                spec.path("initContainers")
                        .valueStream()
                        .map(init -> result.apply(
                                init,
                                text(init, "restartPolicy").equals("Always")
                                        ? ContainerRole.SIDECAR
                                        : ContainerRole.INIT)),
                spec.path("containers").valueStream().map(app -> result.apply(app, ContainerRole.APP)));
    }

    private ContainerResources resources(JsonNode container, ContainerRole role) {
        Map<String, String> quantities = texts(container.path("resources"), "limits");
        quantities.putAll(texts(container.path("resources"), "requests"));
        quantities.replaceAll((_, quantity) -> quantity.intern());
        String name = Json.shared(container, "name");
        if (node() != null) {
            status.path("extendedResourceClaimStatus")
                    .path("requestMappings")
                    .valueStream()
                    .filter(mapping -> text(mapping, "containerName").equals(name))
                    .forEach(mapping -> quantities.remove(text(mapping, "resourceName")));
        }
        return new ContainerResources(name, role, quantities);
    }
}
