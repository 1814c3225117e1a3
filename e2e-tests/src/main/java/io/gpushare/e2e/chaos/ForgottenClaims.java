package io.gpushare.e2e.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.chaos.check.ClusterWatcher;
import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.cluster.ApiServer;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Does what the Event {@code GpuClaimsOfGonePods} says: kube-controller-manager forgets the claims of a pod that is
 * replaced under its name while the API server is away, and frees them when somebody changes them. Without the Event
 * nobody would know.
 */
final class ForgottenClaims {
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    private static final String EVENTS = "/api/v1/events?fieldSelector=reason%3DGpuClaimsOfGonePods";
    private static final String LOOK = "{\"metadata\":{\"annotations\":{\"gpushare.io/look-again\":\"now\"}}}";
    private static final Duration PAUSE = Duration.ofSeconds(10);
    /** An extender says it when it has run for three minutes. */
    private static final Duration SAID = Duration.ofMinutes(5);

    private static final Duration REMINDED = Duration.ofMinutes(1);

    private final ApiServer api;
    private final RunClock watch;
    private final Tally tally;
    private final Map<String, Duration> since = new HashMap<>();
    private final Set<String> unsaid = new HashSet<>();
    private final Duration faults;
    private volatile boolean over;

    /** @param faults how long extenders are killed */
    ForgottenClaims(ApiServer api, Duration faults, RunClock watch, Tally tally) {
        this.api = api;
        this.faults = faults;
        this.watch = watch;
        this.tally = tally;
    }

    /** Looks until {@link #end}. */
    void run() throws InterruptedException {
        while (!over) {
            try {
                look();
            } catch (IOException e) {
                tally.count("claims of gone pods: looks without an API server");
            }
            Thread.sleep(PAUSE);
        }
    }

    void end() {
        over = true;
    }

    private void look() throws IOException {
        // A claim of this list has a pod in the next one, or its pod is gone.
        List<JsonNode> claims = list(CLAIMS);
        Set<String> pods = new HashSet<>();
        list(ClusterWatcher.PODS)
                .forEach(pod -> pods.add(pod.at("/metadata/uid").asText()));
        Set<String> forgotten = new HashSet<>();
        boolean said = !list(EVENTS).isEmpty();
        for (JsonNode claim : claims) {
            String name = claim.at("/metadata/name").asText();
            if (!pods.contains(claim.at("/metadata/ownerReferences/0/uid").asText())) {
                forgotten.add(name);
                Duration first = since.computeIfAbsent(name, _ -> watch.now());
                boolean keeps = claim.at("/status/allocation").isObject();
                if (past(first.plus(REMINDED)) && (said || !keeps)) {
                    since.put(name, watch.now());
                    remind(name, keeps);
                } else if (past(first.plus(SAID)) && past(faults.plus(SAID)) && unsaid.add(name)) {
                    tally.violation("a claim keeps cards for a pod that is gone, and no Event says so", name, "");
                }
            }
        }
        since.keySet().retainAll(forgotten);
    }

    private boolean past(Duration moment) {
        return watch.now().compareTo(moment) > 0;
    }

    private void remind(String name, boolean allocated) throws IOException {
        if (!allocated) {
            api.send("DELETE", CLAIMS + "/" + name, "");
            tally.count("claims of gone pods: without cards, deleted");
            return;
        }
        api.send("PATCH", CLAIMS + "/" + name, LOOK);
        watch.say("claim " + name + " keeps cards for a pod that is gone: kube-controller-manager is reminded");
        tally.count("claims of gone pods: with cards, as an Event says; freed by its command");
    }

    private List<JsonNode> list(String path) throws IOException {
        ApiServer.Response response = api.get(path);
        if (!response.succeeded()) {
            throw new IOException(path + ": " + response.code());
        }
        return response.body().path("items").valueStream().toList();
    }
}
