package io.gpushare.e2e.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.chaos.check.ClusterCards;
import io.gpushare.e2e.chaos.check.ClusterWatcher;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.chaos.check.pod.PodView;
import io.gpushare.e2e.cluster.ApiServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Changes the annotations of bound pods, as a tenant may where no admission policy forbids it. */
final class AnnotationEditor {
    private static final String ALLOCATION = "gpushare.io/allocation";
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final int CHECKS = 50;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ApiServer api;
    private final ClusterWatcher watcher;
    private final ClusterCards cards;
    private final Tally tally;
    private int edits;

    AnnotationEditor(ApiServer api, ClusterWatcher watcher, ClusterCards cards, Tally tally) {
        this.api = api;
        this.watcher = watcher;
        this.cards = cards;
        this.tally = tally;
    }

    /** Edits a pod; returns its name, or empty if no pod is bound. */
    Optional<String> edit() throws InterruptedException {
        List<PodView> bound = watcher.latest().pods().orElse(List.of()).stream()
                .filter(pod ->
                        !pod.ended() && !pod.deleting() && !pod.annotated().isEmpty())
                .toList();
        if (bound.isEmpty()) {
            return Optional.empty();
        }
        PodView pod = bound.get(edits % bound.size());
        try {
            String path = ClusterWatcher.PODS + "/" + pod.name();
            String before = allocation(api.get(path).body());
            watcher.edited(pod.uid());
            ApiServer.Response response =
                    api.send("PATCH", path, patch(pod, before, edits++).toString());
            if (!response.succeeded()) {
                return Optional.empty();
            }
            awaitRepair(path, pod.uid(), before);
            return Optional.of(pod.name());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** In turn: another card of the node, a card of another node, no JSON, and no annotation. */
    private ObjectNode patch(PodView pod, String before, int number) {
        ObjectNode patch = JSON.createObjectNode();
        ObjectNode metadata = patch.putObject("metadata").put("uid", pod.uid());
        ObjectNode annotations = metadata.putObject("annotations");
        String own = pod.annotated().getFirst().cards().iterator().next();
        switch (number % 4) {
            case 0 -> annotations.put(ALLOCATION, before.replace(own, cards.other(own, true)));
            case 1 -> annotations.put(ALLOCATION, before.replace(own, cards.other(own, false)));
            case 2 -> annotations.put(ALLOCATION, "{\"forged\n");
            default -> annotations.putNull(ALLOCATION).put("ALIYUN_COM_GPU_MEM_IDX", "3");
        }
        return patch;
    }

    private void awaitRepair(String path, String uid, String before) throws InterruptedException {
        for (int i = 0; i < CHECKS; i++) {
            Thread.sleep(PAUSE);
            try {
                JsonNode now = api.get(path).body();
                if (!now.at("/metadata/uid").asText().equals(uid)
                        || !now.at("/status/phase").asText().equals("Running")) {
                    tally.count("edits: the pod ended first");
                    return;
                }
                if (allocation(now).equals(before)) {
                    tally.count("edits: corrected by the plugin");
                    return;
                }
            } catch (IOException e) {
                tally.count("load: calls that the API server did not answer");
            }
        }
        tally.count("edits: not corrected within " + PAUSE.multipliedBy(CHECKS).toSeconds() + " s");
    }

    private static String allocation(JsonNode pod) {
        return pod.at("/metadata/annotations/gpushare.io~1allocation").asText();
    }
}
