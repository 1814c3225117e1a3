package io.gpushare.kubernetes.eviction;

import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationLimits;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.node.LabelRequirement;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.node.SchedulerOnly;
import io.gpushare.model.node.Toleration;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1NodeSelector;
import io.kubernetes.client.openapi.models.V1NodeSelectorRequirement;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodAffinity;
import io.kubernetes.client.openapi.models.V1PodAntiAffinity;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1Volume;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads {@link PodDetails} from a pod of the API. */
final class PodDetailsReader {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    // Kubernetes' default.
    private static final long GRACE = 30;

    private PodDetailsReader() {}

    static PodDetails read(V1Pod pod) {
        V1ObjectMeta metadata = Objects.requireNonNullElseGet(pod.getMetadata(), V1ObjectMeta::new);
        V1PodSpec spec = Objects.requireNonNullElseGet(pod.getSpec(), V1PodSpec::new);
        @Nullable
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return new PodDetails(
                new PodRef(text(metadata.getUid()), text(metadata.getNamespace()), text(metadata.getName())),
                text(spec.getNodeName()).isEmpty() ? null : spec.getNodeName(),
                "Succeeded".equals(phase) || "Failed".equals(phase),
                metadata.getDeletionTimestamp() != null,
                Objects.requireNonNullElse(spec.getPriority(), 0),
                orEmpty(metadata.getLabels()),
                orEmpty(metadata.getAnnotations()).containsKey(MIRROR),
                !"Never".equals(spec.getPreemptionPolicy()),
                Duration.ofSeconds(
                        Math.max(0, Objects.requireNonNullElse(spec.getTerminationGracePeriodSeconds(), GRACE))),
                requests(spec),
                rules(spec),
                annotations(orEmpty(metadata.getAnnotations())),
                containersOf(spec),
                unknown(spec));
    }

    private static Set<String> requests(V1PodSpec spec) {
        Set<String> names = new HashSet<>();
        containers(spec).forEach(container -> {
            @Nullable V1ResourceRequirements resources = container.getResources();
            if (resources != null) {
                names.addAll(orEmpty(resources.getRequests()).keySet());
                names.addAll(orEmpty(resources.getLimits()).keySet());
            }
        });
        return names;
    }

    private static Map<String, String> annotations(Map<String, String> all) {
        return all.entrySet().stream()
                .filter(entry -> AnnotationLimits.reads(entry.getKey()))
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> AnnotationLimits.cut(entry.getKey(), entry.getValue())));
    }

    private static List<ContainerResources> containersOf(V1PodSpec spec) {
        return Stream.concat(
                        orEmpty(spec.getInitContainers()).stream()
                                .map(init -> resources(
                                        init,
                                        "Always".equals(init.getRestartPolicy())
                                                ? ContainerRole.SIDECAR
                                                : ContainerRole.INIT)),
                        orEmpty(spec.getContainers()).stream().map(app -> resources(app, ContainerRole.APP)))
                .toList();
    }

    private static ContainerResources resources(V1Container container, ContainerRole role) {
        Map<String, String> quantities = new HashMap<>();
        @Nullable V1ResourceRequirements resources = container.getResources();
        if (resources != null) {
            orEmpty(resources.getLimits()).forEach((name, amount) -> quantities.put(name, amount.toSuffixedString()));
            orEmpty(resources.getRequests()).forEach((name, amount) -> quantities.put(name, amount.toSuffixedString()));
        }
        return new ContainerResources(text(container.getName()), role, quantities);
    }

    private static Stream<V1Container> containers(V1PodSpec spec) {
        return Stream.concat(orEmpty(spec.getInitContainers()).stream(), orEmpty(spec.getContainers()).stream());
    }

    private static NodeRules rules(V1PodSpec spec) {
        List<Toleration> tolerations = orEmpty(spec.getTolerations()).stream()
                .map(each -> new Toleration(
                        text(each.getKey()), text(each.getOperator()), text(each.getValue()), text(each.getEffect())))
                .toList();
        return new NodeRules(orEmpty(spec.getNodeSelector()), terms(spec.getAffinity()), tolerations);
    }

    private static @Nullable List<NodeRules.Term> terms(@Nullable V1Affinity affinity) {
        @Nullable
        V1NodeSelector required = affinity == null || affinity.getNodeAffinity() == null
                ? null
                : affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution();
        return required == null
                ? null
                : orEmpty(required.getNodeSelectorTerms()).stream()
                        .map(term -> new NodeRules.Term(
                                requirements(term.getMatchExpressions()), requirements(term.getMatchFields())))
                        .toList();
    }

    private static List<LabelRequirement> requirements(@Nullable List<V1NodeSelectorRequirement> written) {
        return orEmpty(written).stream()
                .map(each -> new LabelRequirement(
                        text(each.getKey()), text(each.getOperator()), Set.copyOf(orEmpty(each.getValues()))))
                .toList();
    }

    private static @Nullable SchedulerOnly unknown(V1PodSpec spec) {
        if (spec.getAffinity() != null && requiresPods(spec.getAffinity())) {
            return SchedulerOnly.POD_AFFINITY;
        }
        if (orEmpty(spec.getTopologySpreadConstraints()).stream()
                .anyMatch(each -> !"ScheduleAnyway".equals(each.getWhenUnsatisfiable()))) {
            return SchedulerOnly.TOPOLOGY_SPREAD;
        }
        if (containers(spec)
                .flatMap(container -> orEmpty(container.getPorts()).stream())
                .anyMatch(port -> port.getHostPort() != null && port.getHostPort() != 0)) {
            return SchedulerOnly.HOST_PORT;
        }
        if (orEmpty(spec.getVolumes()).stream().anyMatch(PodDetailsReader::placed)) {
            return SchedulerOnly.PLACED_VOLUME;
        }
        if (!orEmpty(spec.getResourceClaims()).isEmpty()) {
            return SchedulerOnly.RESOURCE_CLAIM;
        }
        return orEmpty(spec.getOverhead()).isEmpty() ? null : SchedulerOnly.OVERHEAD;
    }

    private static boolean requiresPods(V1Affinity affinity) {
        @Nullable V1PodAffinity near = affinity.getPodAffinity();
        @Nullable V1PodAntiAffinity apart = affinity.getPodAntiAffinity();
        boolean requiresNear = near != null
                && !orEmpty(near.getRequiredDuringSchedulingIgnoredDuringExecution())
                        .isEmpty();
        boolean requiresApart = apart != null
                && !orEmpty(apart.getRequiredDuringSchedulingIgnoredDuringExecution())
                        .isEmpty();
        return requiresNear || requiresApart;
    }

    /** Whether kube-scheduler checks where that volume can be. */
    private static boolean placed(V1Volume volume) {
        return JSON.getGson().toJsonTree(volume).getAsJsonObject().keySet().stream()
                .anyMatch(SchedulerOnly::placed);
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
        return map == null ? Map.of() : map;
    }
}
