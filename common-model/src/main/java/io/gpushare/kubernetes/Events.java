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

/** Writes Events on pods; {@code kubectl describe pod} shows them with their counts. */
public final class Events {
    private final ApiClient client;
    private final CoreV1Api core;

    Events(ApiClient client) {
        this.client = client;
        this.core = new CoreV1Api(client);
    }

    public void record(PodRef about, PodEvent event, EventSeries series) throws KubernetesException {
        CoreV1Event written = new CoreV1Event()
                .metadata(new V1ObjectMeta().generateName(about.name() + ".").namespace(about.namespace()))
                .involvedObject(new V1ObjectReference()
                        .apiVersion("v1")
                        .kind("Pod")
                        .namespace(about.namespace())
                        .name(about.name())
                        .uid(about.uid()))
                .type(event.warning() ? "Warning" : "Normal")
                .reason(event.reason())
                .message(event.message())
                .source(new V1EventSource().component(event.component()))
                .firstTimestamp(series.first().atOffset(ZoneOffset.UTC))
                .lastTimestamp(series.last().atOffset(ZoneOffset.UTC))
                .count(series.count());
        try {
            client.execute(
                    core.createNamespacedEvent(about.namespace(), written).buildCall(null));
        } catch (ApiException e) {
            throw KubernetesException.of("recording an Event of pod " + about, e);
        }
    }
}
