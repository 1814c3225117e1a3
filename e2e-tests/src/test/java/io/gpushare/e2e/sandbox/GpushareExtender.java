package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** gpushare's extender: it reads and writes gpushare's annotations, and knows neither inventories nor whole cards. */
final class GpushareExtender implements AutoCloseable {
    private final ApiClient cluster;
    private final int cards;
    private final int unitsOfCard;
    private final HttpServer server;

    /** Serves a cluster whose nodes all have that many cards of that size. */
    GpushareExtender(ApiClient cluster, int cards, int unitsOfCard) throws IOException {
        this.cluster = cluster;
        this.cards = cards;
        this.unitsOfCard = unitsOfCard;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/gpushare-scheduler/filter", exchange -> answer(exchange, this::filter));
        server.createContext("/gpushare-scheduler/bind", exchange -> answer(exchange, this::bind));
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/gpushare-scheduler");
    }

    static int units(PodDocument pod) {
        return pod.containers().stream()
                .map(container -> container.limits().getOrDefault(PodSpec.MEMORY, BigDecimal.ZERO))
                .mapToInt(BigDecimal::intValue)
                .sum();
    }

    /** Sends a request that must succeed. */
    static ApiClient.Answer send(Callable<ApiClient.Answer> request) {
        try {
            ApiClient.Answer answer = request.call();
            if (!answer.succeeded()) {
                throw new IllegalStateException(answer.message());
            }
            return answer;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Verb {
        ObjectNode answer(ObjectNode arguments);
    }

    private static void answer(HttpExchange exchange, Verb verb) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            byte[] answer;
            int code = 200;
            try {
                answer = verb.answer(ApiClient.document(body)).toString().getBytes(StandardCharsets.UTF_8);
            } catch (IllegalStateException e) {
                code = 500;
                answer = new byte[] {'{', '}'};
            }
            exchange.sendResponseHeaders(code, answer.length);
            exchange.getResponseBody().write(answer);
        }
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
        String path =
                "/api/v1/namespaces/default/pods/" + arguments.path("PodName").asText();
        String node = arguments.path("Node").asText();
        PodDocument pod = new PodDocument(send(() -> cluster.get(path)).document());
        int card = card(node, units(pod)).orElseThrow(() -> new IllegalStateException("no card"));
        ObjectNode patch = ApiClient.document();
        patch.putObject("metadata")
                .putObject("annotations")
                .put("ALIYUN_COM_GPU_MEM_IDX", String.valueOf(card))
                .put("ALIYUN_COM_GPU_MEM_DEV", String.valueOf(unitsOfCard))
                .put("ALIYUN_COM_GPU_MEM_POD", String.valueOf(units(pod)))
                .put("ALIYUN_COM_GPU_MEM_ASSIGNED", "false")
                .put("ALIYUN_COM_GPU_MEM_ASSUME_TIME", String.valueOf(System.nanoTime()));
        send(() -> cluster.patch(path, patch));
        ObjectNode binding = ApiClient.document().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata").put("name", pod.name()).put("uid", pod.uid());
        binding.putObject("target").put("kind", "Node").put("name", node);
        send(() -> cluster.post(path + "/binding", binding));
        return ApiClient.document().put("Error", "");
    }

    /** The fullest card that has that much left, by the annotations of the pods. */
    private OptionalInt card(String node, int units) {
        int[] free = new int[cards];
        Arrays.fill(free, unitsOfCard);
        for (PodDocument pod : pods()) {
            String index = pod.annotation("ALIYUN_COM_GPU_MEM_IDX");
            if (pod.node().equals(node) && !pod.ended() && !pod.beingDeleted() && !index.isEmpty()) {
                free[Integer.parseInt(index)] -= units(pod);
            }
        }
        return IntStream.range(0, cards)
                .filter(card -> free[card] >= units)
                .reduce((one, other) -> free[other] < free[one] ? other : one);
    }

    private List<PodDocument> pods() {
        List<PodDocument> pods = new ArrayList<>();
        send(() -> cluster.get("/api/v1/pods"))
                .document()
                .path("items")
                .forEach(pod -> pods.add(new PodDocument((ObjectNode) pod)));
        return pods;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
