package io.gpushare.simulated.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what the pods of each namespace request, and writes it into the status of its ResourceQuotas. Of scopes it
 * knows {@code PriorityClass In}, of amounts {@code requests.<resource>}. The API server refuses no pod.
 */
public final class QuotaController implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QuotaController.class);
    private static final long PERIOD_MILLIS = 1000;
    private static final String PREFIX = "requests.";

    private final ApiClient cluster;
    private final Thread thread = Thread.ofVirtual().name("quotas").unstarted(this::run);

    private QuotaController(URI api) {
        cluster = new ApiClient(api);
    }

    public static QuotaController start(URI api) {
        QuotaController controller = new QuotaController(api);
        controller.thread.start();
        return controller;
    }

    private void run() {
        try {
            while (true) {
                try {
                    round();
                } catch (IOException e) {
                    LOG.info("the controller of ResourceQuotas tries again: {}", e.toString());
                }
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void round() throws IOException, InterruptedException {
        JsonNode quotas = cluster.get("/api/v1/resourcequotas").document().path("items");
        List<PodDocument> pods = new ArrayList<>();
        if (!quotas.isEmpty()) {
            cluster.get("/api/v1/pods")
                    .document()
                    .path("items")
                    .forEach(pod -> pods.add(new PodDocument((ObjectNode) pod)));
        }
        for (JsonNode quota : quotas) {
            count(quota, pods);
        }
    }

    private void count(JsonNode quota, List<PodDocument> pods) throws IOException, InterruptedException {
        String namespace = quota.at("/metadata/namespace").asText();
        ObjectNode patch = ApiClient.document();
        ObjectNode hard = patch.putObject("status").putObject("hard");
        ObjectNode used = patch.withObject("/status").putObject("used");
        for (var limit : quota.path("spec").path("hard").properties()) {
            if (limit.getKey().startsWith(PREFIX)) {
                hard.put(limit.getKey(), limit.getValue().asText());
                BigDecimal sum = pods.stream()
                        .filter(pod -> pod.namespace().equals(namespace) && !pod.ended() && counts(quota, pod))
                        .map(pod ->
                                pod.requests().getOrDefault(limit.getKey().substring(PREFIX.length()), BigDecimal.ZERO))
                        .reduce(BigDecimal.ZERO, BigDecimal::add);
                used.put(limit.getKey(), sum.toPlainString());
            }
        }
        if (!quota.path("status").equals(patch.path("status"))) {
            cluster.patch(
                    "/api/v1/namespaces/" + namespace + "/resourcequotas/"
                            + quota.at("/metadata/name").asText() + "/status",
                    patch);
        }
    }

    private static boolean counts(JsonNode quota, PodDocument pod) {
        String own = pod.document().at("/spec/priorityClassName").asText();
        return quota.at("/spec/scopeSelector/matchExpressions")
                .valueStream()
                .allMatch(scope -> scope.path("values")
                        .valueStream()
                        .anyMatch(value -> value.asText().equals(own)));
    }

    @Override
    public void close() {
        thread.interrupt();
        cluster.close();
    }
}
