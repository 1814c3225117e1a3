package io.gpushare.e2e.sandbox.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** gpushare's extender: it reads and writes gpushare's annotations, and knows neither inventories nor whole cards. */
final class GpushareExtender implements AutoCloseable {
    private final ClusterApi cluster;
    private final int cards;
    private final int unitsOfCard;
    private final ExtenderServer server;

    /** Serves a cluster whose nodes all have that many cards of that size. */
    GpushareExtender(ClusterApi cluster, int cards, int unitsOfCard) throws IOException {
        this.cluster = cluster;
        this.cards = cards;
        this.unitsOfCard = unitsOfCard;
        server = new ExtenderServer(this::filter, this::bind);
    }

    URI uri() {
        return server.uri();
    }

    static int units(PodDocument pod) {
        return pod.containers().stream()
                .map(container -> container.limits().getOrDefault(PodSpec.MEMORY, BigDecimal.ZERO))
                .mapToInt(BigDecimal::intValue)
                .sum();
    }

    private ObjectNode filter(ObjectNode arguments) {
        PodDocument pod = new PodDocument((ObjectNode) arguments.path("Pod"));
        ObjectNode answer = ApiClient.document().put("Error", "");
        var passed = answer.putArray("NodeNames");
        ObjectNode failed = answer.putObject("FailedNodes");
        for (JsonNode node : arguments.path("NodeNames")) {
            if (card(node.asText(), units(pod)).isPresent()) {
                passed.add(node.asText());
            } else {
                failed.put(node.asText(), "Insufficient GPU Memory in one device");
            }
        }
        return answer;
    }

    private synchronized ObjectNode bind(ObjectNode arguments) {
        String node = arguments.path("Node").asText();
        PodDocument pod = cluster.pod(arguments.path("PodName").asText());
        int card = card(node, units(pod)).orElseThrow(() -> new IllegalStateException("no card"));
        cluster.annotate(
                pod,
                Map.of(
                        "ALIYUN_COM_GPU_MEM_IDX",
                        String.valueOf(card),
                        "ALIYUN_COM_GPU_MEM_DEV",
                        String.valueOf(unitsOfCard),
                        "ALIYUN_COM_GPU_MEM_POD",
                        String.valueOf(units(pod)),
                        "ALIYUN_COM_GPU_MEM_ASSIGNED",
                        "false",
                        "ALIYUN_COM_GPU_MEM_ASSUME_TIME",
                        String.valueOf(System.nanoTime())));
        cluster.bind(pod, node);
        return ApiClient.document().put("Error", "");
    }

    /** The fullest card that has that much left, by the annotations of the pods. */
    private OptionalInt card(String node, int units) {
        int[] free = new int[cards];
        Arrays.fill(free, unitsOfCard);
        for (PodDocument pod : cluster.pods(node)) {
            String index = pod.annotation("ALIYUN_COM_GPU_MEM_IDX");
            if (!pod.ended() && !pod.beingDeleted() && !index.isEmpty()) {
                free[Integer.parseInt(index)] -= units(pod);
            }
        }
        return IntStream.range(0, cards)
                .filter(card -> free[card] >= units)
                .reduce((one, other) -> free[other] < free[one] ? other : one);
    }

    @Override
    public void close() {
        server.close();
    }
}
