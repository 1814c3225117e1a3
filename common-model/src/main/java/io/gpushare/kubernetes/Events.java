package io.gpushare.kubernetes;

import io.gpushare.model.PodRef;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1EventSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import java.time.ZoneOffset;
import java.util.Objects;

/** Writes Events on pods and nodes; {@code kubectl describe} shows them with their counts. */
public final class Events {
    private final ApiClient client;
    private final CoreV1Api core;

    Events(ApiClient client) {
        this.client = client;
        this.core = new CoreV1Api(client);
    }

    public void record(PodRef about, PodEvent event, EventSeries series) throws KubernetesException {
        record(new EventSubject.Pod(about), event, series);
    }

    public void record(EventSubject about, PodEvent event, EventSeries series) throws KubernetesException {
        V1ObjectReference object = reference(about);
        // Events about objects without a namespace are in this one.
        String namespace = Objects.requireNonNullElse(object.getNamespace(), "default");
        CoreV1Event written = new CoreV1Event()
                .metadata(
                        new V1ObjectMeta().generateName(object.getName() + ".").namespace(namespace))
                .involvedObject(object)
                .type(event.warning() ? "Warning" : "Normal")
                .reason(event.reason())
                .message(event.message())
                .source(new V1EventSource().component(event.component()))
                .firstTimestamp(series.first().atOffset(ZoneOffset.UTC))
                .lastTimestamp(series.last().atOffset(ZoneOffset.UTC))
                .count(series.count());
        try {
            client.execute(core.createNamespacedEvent(namespace, written).buildCall(null));
        } catch (ApiException e) {
            throw KubernetesException.of("recording an Event of " + about, e);
        }
    }

    private static V1ObjectReference reference(EventSubject about) {
        V1ObjectReference object = new V1ObjectReference().apiVersion("v1");
        return switch (about) {
            case EventSubject.Pod(PodRef pod) ->
                object.kind("Pod").namespace(pod.namespace()).name(pod.name()).uid(pod.uid());
            // As in the kubelet's Events: kubectl looks for those whose uid is the node's name.
            case EventSubject.Node(String name) ->
                object.kind("Node").name(name).uid(name);
        };
    }
}
