package io.gpushare.extender.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationLimits;
import io.gpushare.model.codec.ContainerResources;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
                new PodRef(reader.uid, reader.namespace, reader.name), reader.priority, reader.annotations, containers);
    }

    private void pod(String field, JsonParser value) throws IOException, BadRequestException {
        switch (field) {
            case "metadata" -> JsonBody.object(value, field, this::metadata);
            case "spec" -> JsonBody.object(value, field, this::spec);
            default -> value.skipChildren();
        }
    }

    private void metadata(String field, JsonParser value) throws IOException, BadRequestException {
        switch (field) {
            case "uid" -> uid = JsonBody.string(value, field);
            case "namespace" -> namespace = JsonBody.string(value, field);
            case "name" -> name = JsonBody.string(value, field);
            case "annotations" -> {
                strings(value, field, AnnotationLimits::reads, annotations);
                annotations.replaceAll(AnnotationLimits::cut);
            }
            default -> value.skipChildren();
        }
    }

    private void spec(String field, JsonParser value) throws IOException, BadRequestException {
        switch (field) {
            case "priority" -> priority = priority(JsonBody.whole(value, field));
            case "initcontainers" ->
                JsonBody.array(value, field, (what, element) -> inits.add(container(element, ContainerRole.INIT)));
            case "containers" ->
                JsonBody.array(value, field, (what, element) -> apps.add(container(element, ContainerRole.APP)));
            default -> value.skipChildren();
        }
    }

    private static int priority(long written) throws BadRequestException {
        if (written != (int) written) {
            throw new BadRequestException("'priority' is beyond 32 bits");
        }
        return (int) written;
    }

    private static ContainerResources container(JsonParser parser, ContainerRole plain)
            throws IOException, BadRequestException {
        String[] names = {"", ""};
        Map<String, String> requests = new HashMap<>();
        Map<String, String> limits = new HashMap<>();
        JsonBody.object(parser, "container", (field, value) -> {
            switch (field) {
                case "name" -> names[0] = JsonBody.string(value, field);
                case "restartpolicy" -> names[1] = JsonBody.string(value, field);
                case "resources" ->
                    JsonBody.object(value, field, (kind, amounts) -> {
                        switch (kind) {
                            case "requests" -> strings(amounts, field, any -> true, requests);
                            case "limits" -> strings(amounts, field, any -> true, limits);
                            default -> amounts.skipChildren();
                        }
                    });
                default -> value.skipChildren();
            }
        });
        limits.putAll(requests);
        ContainerRole role = plain == ContainerRole.INIT && names[1].equals("Always") ? ContainerRole.SIDECAR : plain;
        return new ContainerResources(names[0], role, limits);
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
            } else {
                value.skipChildren();
            }
        });
    }
}
