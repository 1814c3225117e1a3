package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the extender shows to users: the texts of {@code kubectl gpushare}, and the JSON of the page. */
final class ExtenderView implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final URI paths;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    ExtenderView(URI extender) {
        paths = extender.resolve("/gpushare-scheduler/v1/");
    }

    /**
     * A card with what pods have of it.
     *
     * @param pods each with its amount
     */
    record Card(int index, String model, int allocated, int units, boolean whole, List<String> pods) {
        Card {
            pods = List.copyOf(pods);
        }
    }

    String text(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(paths.resolve(path)).timeout(TIMEOUT).build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    ObjectNode json(String path) throws IOException, InterruptedException {
        return ApiClient.document(text(path));
    }

    /** The cards of a node; empty while the extender does not know it. */
    List<Card> cards(String node) throws IOException, InterruptedException {
        List<Card> cards = new ArrayList<>();
        for (JsonNode card : json("nodes?names=" + node).at("/nodes/0/cards")) {
            boolean whole = card.path("whole").asBoolean();
            List<String> pods = new ArrayList<>();
            for (JsonNode pod : card.path("pods")) {
                boolean all = pod.path("whole").asBoolean();
                pods.add(pod.path("name").asText()
                        + (all ? " (whole)" : " " + pod.path("units").asInt() + " GiB"));
            }
            cards.add(new Card(
                    card.path("index").asInt(),
                    card.path("model").asText(),
                    card.path("allocatedUnits").asInt(),
                    card.path("units").asInt(),
                    whole,
                    pods));
        }
        return cards;
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
