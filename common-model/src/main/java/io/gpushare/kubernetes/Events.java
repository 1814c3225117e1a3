package io.gpushare.kubernetes;

import io.gpushare.model.PodRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** Writes Events on pods and nodes; {@code kubectl describe} shows them with their counts. */
public final class Events {
    private final ApiServer server;
    private final String host;

    Events(ApiServer server) {
        this(server, "");
    }

    private Events(ApiServer server, String host) {
        this.server = server;
        this.host = host;
    }

    /** Events that say that the program on that node reports them. */
    public Events from(String node) {
        return new Events(server, node);
    }

    public void record(PodRef about, PodEvent event, EventSeries series) throws KubernetesException {
        record(new EventSubject.Pod(about), event, series);
    }

    public void record(EventSubject about, PodEvent event, EventSeries series) throws KubernetesException {
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
                        Map.entry(
                                "source",
                                host.isEmpty()
                                        ? Map.of("component", event.component())
                                        : Map.of("component", event.component(), "host", host)),
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
