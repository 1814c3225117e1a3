package io.gpushare.extender.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.pod.PodTraits;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.node.SchedulerOnly;
import io.gpushare.model.node.Toleration;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.PodAnnotations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of a Kubernetes Pod that the extender uses: its identity, its priority, the annotations that the
 * extender reads, and its containers' resources.
 */
public final class PodReader {
    private String uid = "";
    private String namespace = "";
    private String name = "";
    private final Map<String, String> annotations = new HashMap<>();
    private int priority;
    private final List<ContainerResources> inits = new ArrayList<>();
    private final List<ContainerResources> apps = new ArrayList<>();
    private boolean preferences;
    private @Nullable String group;
    private final Set<SchedulerOnly> unknown = EnumSet.noneOf(SchedulerOnly.class);
    private final List<Toleration> tolerations = new ArrayList<>();

    private PodReader() {}

    /** Reads the pod at which the parser is; returns null for null. */
    public static @Nullable SchedulingPod read(JsonParser parser) throws IOException, BadRequestException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        PodReader reader = new PodReader();
        JsonBody.object(parser, "Pod", reader::pod);
        List<ContainerResources> containers = new ArrayList<>(reader.inits);
        containers.addAll(reader.apps);
        return new SchedulingPod(
                new PodRef(reader.uid, reader.namespace, reader.name),
                reader.priority,
                reader.annotations,
                containers,
                new PodTraits(
                        reader.preferences,
                        !reader.unknown.isEmpty(),
                        reader.group == null ? null : reader.namespace + "/" + reader.group,
                        reader.tolerations));
    }

    private void pod(String field, JsonParser value) throws IOException, BadRequestException {
        switch (field) {
            case "metadata" -> JsonBody.object(value, field, this::metadata);
            case "spec" -> JsonBody.object(value, field, this::spec);
            default -> {}
        }
    }

    private void metadata(String field, JsonParser value) throws IOException, BadRequestException {
        switch (field) {
            case "uid" -> uid = JsonBody.string(value, field);
            case "namespace" -> namespace = JsonBody.string(value, field);
            case "name" -> name = JsonBody.string(value, field);
            case "annotations" -> {
                // Also misspelt ones, which are refused.
                strings(value, field, key -> PodAnnotations.reads(key) || PodAnnotations.unknown(key), annotations);
                annotations.replaceAll(PodAnnotations::cut);
            }
            default -> {}
        }
    }

    private void spec(String field, JsonParser value) throws IOException, BadRequestException {
        switch (field) {
            case "priority" -> priority = priority(JsonBody.whole(value, field));
            case "initcontainers" ->
                JsonBody.array(value, field, (what, element) -> inits.add(container(element, ContainerRole.INIT)));
            case "containers" ->
                JsonBody.array(value, field, (what, element) -> apps.add(container(element, ContainerRole.APP)));
            case "schedulinggroup" -> JsonBody.object(value, field, this::group);
            case "affinity" -> JsonBody.object(value, field, this::affinity);
            case "tolerations" -> JsonBody.array(value, field, (what, element) -> toleration(element));
            case "topologyspreadconstraints" -> JsonBody.array(value, field, (what, element) -> spread(element));
            case "volumes" -> JsonBody.array(value, field, (what, element) -> volume(element));
            case "resourceclaims" -> require(SchedulerOnly.RESOURCE_CLAIM, filled(value));
            case "overhead" -> require(SchedulerOnly.OVERHEAD, filled(value));
            default -> {}
        }
    }

    private void group(String field, JsonParser value) throws IOException, BadRequestException {
        if (field.equals("podgroupname")) {
            group = JsonBody.text(value, field);
        }
    }

    private void require(SchedulerOnly what, boolean required) {
        if (required) {
            unknown.add(what);
        }
    }

    private void affinity(String kind, JsonParser terms) throws IOException, BadRequestException {
        JsonBody.object(terms, kind, (field, value) -> {
            switch (field) {
                case "preferredduringschedulingignoredduringexecution" -> preferences |= filled(value);
                // Required node affinity depends on the node alone.
                case "requiredduringschedulingignoredduringexecution" ->
                    require(SchedulerOnly.POD_AFFINITY, filled(value) && !kind.equals("nodeaffinity"));
                default -> {}
            }
        });
    }

    private void spread(JsonParser constraint) throws IOException, BadRequestException {
        String[] otherwise = {""};
        JsonBody.object(constraint, "topologySpreadConstraint", JsonBody.strings(otherwise, "whenUnsatisfiable"));
        boolean soft = otherwise[0].equals("ScheduleAnyway");
        preferences |= soft;
        require(SchedulerOnly.TOPOLOGY_SPREAD, !soft);
    }

    /** Keeps the tolerations that may apply to soft taints, within the limit. */
    private void toleration(JsonParser toleration) throws IOException, BadRequestException {
        String[] parts = {"", "", "", ""};
        JsonBody.object(toleration, "toleration", JsonBody.strings(parts, "key", "operator", "value", "effect"));
        boolean soft = parts[3].isEmpty() || parts[3].equals("PreferNoSchedule");
        if (soft && tolerations.size() < PodTraits.MOST_TOLERATIONS) {
            tolerations.add(new Toleration(parts[0], parts[1], parts[2], parts[3]));
        }
    }

    private void volume(JsonParser volume) throws IOException, BadRequestException {
        JsonBody.object(
                volume, "volume", (field, value) -> require(SchedulerOnly.PLACED_VOLUME, SchedulerOnly.placed(field)));
    }

    /** Whether the value at which the parser is has content; skips it. */
    private static boolean filled(JsonParser value) throws IOException {
        if (value.currentToken() != JsonToken.START_ARRAY && value.currentToken() != JsonToken.START_OBJECT) {
            return false;
        }
        JsonToken end = value.currentToken() == JsonToken.START_ARRAY ? JsonToken.END_ARRAY : JsonToken.END_OBJECT;
        boolean filled = false;
        while (value.nextToken() != end) {
            filled = true;
            value.skipChildren();
        }
        return filled;
    }

    private static int priority(long written) throws BadRequestException {
        if (written != (int) written) {
            throw new BadRequestException("'priority' is beyond 32 bits");
        }
        return (int) written;
    }

    private ContainerResources container(JsonParser parser, ContainerRole plain)
            throws IOException, BadRequestException {
        String[] names = {"", ""};
        Map<String, String> requests = new HashMap<>();
        Map<String, String> limits = new HashMap<>();
        JsonBody.object(parser, "container", (field, value) -> {
            switch (field) {
                case "name" -> names[0] = JsonBody.string(value, field);
                case "ports" -> JsonBody.array(value, field, (what, element) -> port(element));
                case "restartpolicy" -> names[1] = JsonBody.string(value, field);
                case "resources" ->
                    JsonBody.object(value, field, (kind, amounts) -> {
                        switch (kind) {
                            case "requests" -> strings(amounts, field, any -> true, requests);
                            case "limits" -> strings(amounts, field, any -> true, limits);
                            default -> {}
                        }
                    });
                default -> {}
            }
        });
        limits.putAll(requests);
        ContainerRole role = plain == ContainerRole.INIT && names[1].equals("Always") ? ContainerRole.SIDECAR : plain;
        return new ContainerResources(names[0], role, limits);
    }

    private void port(JsonParser port) throws IOException, BadRequestException {
        JsonBody.object(port, "port", (field, value) -> {
            if (field.equals("hostport")) {
                require(SchedulerOnly.HOST_PORT, JsonBody.whole(value, field) != 0);
            }
        });
    }

    /** Keys keep their case: they are not field names. */
    private static void strings(JsonParser parser, String what, Predicate<String> keys, Map<String, String> into)
            throws IOException, BadRequestException {
        JsonBody.entries(parser, what, (key, value) -> {
            if (keys.test(key)) {
                @Nullable String text = JsonBody.text(value, key);
                if (text != null) {
                    into.put(key, text);
                }
            }
        });
    }
}
