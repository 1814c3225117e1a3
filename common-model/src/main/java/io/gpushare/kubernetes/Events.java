package io.gpushare.kubernetes;

import io.gpushare.model.PodRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** Writes Events on pods and nodes; {@code kubectl describe} shows them with their counts. */
public final class Events {
    /** The count of a repeated occurrence, and its first and last time: one Event reports all of them. */
    public record Series(int count, Instant first, Instant last) {
        public Series {
            if (count < 1) {
                throw new IllegalArgumentException("an event that never occurred is not recorded");
            }
        }

        public static Series once(Instant at) {
            return new Series(1, at, at);
        }

        /** The series with one more occurrence. */
        public Series again(Instant at) {
            return new Series(count + 1, first, at);
        }
    }

    private final ApiServer server;
    private final Map<String, String> source;

    /** @param source the program that reports them, and its node if it works for one */
    Events(ApiServer server, Map<String, String> source) {
        this.server = server;
        this.source = source;
    }

    public void record(EventSubject about, PodEvent event, Series series) throws KubernetesException {
        Map<String, String> object = reference(about);
        // Events about objects without a namespace are in this one.
        String namespace = object.getOrDefault("namespace", "default");
        server.send(ApiServer.Request.post(
                "recording an Event of " + about,
                ApiServer.path("/api/v1", "namespaces", namespace, "events"),
                Map.ofEntries(
                        Map.entry("metadata", Map.of("generateName", object.get("name") + ".", "namespace", namespace)),
                        Map.entry("involvedObject", object),
                        Map.entry("type", event.warning() ? "Warning" : "Normal"),
                        Map.entry("reason", event.reason()),
                        Map.entry("message", event.message()),
                        Map.entry("source", source),
                        Map.entry("firstTimestamp", time(series.first())),
                        Map.entry("lastTimestamp", time(series.last())),
                        Map.entry("count", series.count()))));
    }

    private static Map<String, String> reference(EventSubject about) {
        return switch (about) {
            case EventSubject.Pod(PodRef pod) ->
                Map.of(
                        "apiVersion",
                        "v1",
                        "kind",
                        "Pod",
                        "namespace",
                        pod.namespace(),
                        "name",
                        pod.name(),
                        "uid",
                        pod.uid());
            // As in the kubelet's Events: kubectl looks for those whose uid is the node's name.
            case EventSubject.Node(String name) ->
                Map.of("apiVersion", "v1", "kind", "Node", "name", name, "uid", name);
        };
    }

    private static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
