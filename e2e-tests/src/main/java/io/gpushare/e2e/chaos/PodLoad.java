package io.gpushare.e2e.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.chaos.check.AdmissionReasons;
import io.gpushare.e2e.chaos.check.ClusterWatcher;
import io.gpushare.e2e.chaos.check.ContainerRequest;
import io.gpushare.e2e.chaos.check.PodView;
import io.gpushare.e2e.chaos.check.Processes;
import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Snapshot;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.cluster.ApiServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Makes the pods of the plan, lets them run, and ends them; one that a kubelet turned away is made anew, as its owner would. */
final class PodLoad {
    private static final Duration PAUSE = Duration.ofMillis(400);
    private static final int MOST_ATTEMPTS = 12;

    private sealed interface Fate {
        record Ran() implements Fate {}

        record EndedEarly() implements Fate {}

        record TurnedAway(String why, boolean ran) implements Fate {}
    }

    private final ApiServer api;
    private final ClusterWatcher watcher;
    private final String image;
    private final RunClock watch;
    private final Tally tally;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    PodLoad(ApiServer api, ClusterWatcher watcher, String image, RunClock watch, Tally tally) {
        this.api = api;
        this.watcher = watcher;
        this.image = image;
        this.watch = watch;
        this.tally = tally;
    }

    void begin(List<PlannedPod> orders) {
        orders.forEach(order -> threads.execute(() -> {
            try {
                carryOut(order);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                tally.violation("an order could not be carried out", order.name(), String.valueOf(e));
            }
        }));
        threads.shutdown();
    }

    /** Waits until every pod has ended; those that have not by then are violations. */
    void awaitEnd(Duration limit) throws InterruptedException {
        if (!threads.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            watcher.latest()
                    .pods()
                    .ifPresent(pods -> pods.forEach(
                            pod -> tally.violation("a pod did not run and end in time", pod.name(), pod.toString())));
            threads.shutdownNow();
            tally.violation("pods were left over", "load", "see the pods before");
        }
    }

    private void carryOut(PlannedPod order) throws InterruptedException {
        watch.sleepUntil(order.at());
        for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
            String uid = create(order, attempt);
            tally.count("pods: made");
            Fate fate = follow(order, uid);
            delete(order.name(), uid);
            switch (fate) {
                case Fate.Ran() -> {
                    tally.count("pods: ran to their end");
                    return;
                }
                case Fate.EndedEarly() -> {
                    tally.count("pods: deleted a moment after they were made, on purpose");
                    return;
                }
                case Fate.TurnedAway(String why, boolean ran) -> turnedAway(order, why, ran);
            }
        }
        tally.violation("turned away again and again", order.name(), order.toString());
    }

    private void turnedAway(PlannedPod order, String why, boolean ran) {
        Optional<String> reason = AdmissionReasons.of(why);
        String when = ran ? "while it ran" : "at its admission";
        if (reason.isPresent()) {
            tally.count("pods turned away by a kubelet (made anew): " + when + ", " + reason.get());
        } else {
            tally.violation("a pod failed without a true reason", order.name() + " " + when, why);
        }
    }

    /** Tries until the API server says that it is there; its uid. */
    private String create(PlannedPod order, int attempt) throws InterruptedException {
        String label = order.number() + "-" + attempt;
        while (true) {
            try {
                ApiServer.Answer answer = api.send("POST", ClusterWatcher.PODS, manifest(order, label));
                if (answer.code() == 409) { // an earlier one of that name, or our own, whose answer was lost
                    answer = api.get(ClusterWatcher.PODS + "/" + order.name());
                }
                JsonNode metadata = answer.body().path("metadata");
                if (answer.succeeded() && metadata.at("/labels/order").asText().equals(label)) {
                    return metadata.path("uid").asText();
                }
                if (answer.code() == 422 || answer.code() == 400) {
                    throw new IllegalStateException("the API server refuses a pod: " + answer.body());
                }
            } catch (IOException e) {
                tally.count("load: calls that the API server did not answer");
            }
            Thread.sleep(PAUSE);
        }
    }

    private Fate follow(PlannedPod order, String uid) throws InterruptedException {
        Duration made = watch.now();
        Duration ran = Duration.ZERO;
        boolean early = order.ending() == PlannedPod.Ending.IMPATIENT;
        while (true) {
            Snapshot now = watcher.latest();
            Optional<PodView> pod = now.pod(uid);
            if (early && past(made.plus(order.life()))) {
                return new Fate.EndedEarly();
            }
            if (pod.isPresent() && pod.get().phase().equals("Failed")) {
                return new Fate.TurnedAway(pod.get().why(), pod.get().ran() || !ran.isZero());
            }
            if (pod.isPresent() && pod.get().ran() && ran.isZero()) {
                ran = watch.now();
            }
            if (!ran.isZero() && past(ran.plus(order.life()))) {
                boolean ended = pod.isPresent() && pod.get().ended();
                if (order.ending() == PlannedPod.Ending.DELETED || ended) {
                    return new Fate.Ran();
                }
            }
            if (pod.isEmpty() && now.at().compareTo(made) > 0) {
                tally.violation("a pod vanished that nobody deleted", order.name(), uid);
                return new Fate.EndedEarly();
            }
            Thread.sleep(PAUSE);
        }
    }

    /** Until the API server does not have it any more. */
    private void delete(String name, String uid) throws InterruptedException {
        String options = """
            {"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":1,"preconditions":{"uid":"%s"}}\
            """.formatted(uid);
        boolean told = false;
        Duration at = Duration.ZERO;
        while (true) {
            try {
                if (!told) {
                    at = watch.now();
                    int code = api.send("DELETE", ClusterWatcher.PODS + "/" + name, options)
                            .code();
                    told = code / 100 == 2 || code == 404 || code == 409;
                }
            } catch (IOException e) {
                tally.count("load: calls that the API server did not answer");
            }
            Snapshot now = watcher.latest();
            if (told && now.at().compareTo(at) > 0 && now.pod(uid).isEmpty()) {
                return;
            }
            Thread.sleep(PAUSE);
        }
    }

    private boolean past(Duration moment) {
        return watch.now().compareTo(moment) > 0;
    }

    /** JSON, since YAML can be read as such; the container's command is its life. */
    private String manifest(PlannedPod order, String label) {
        boolean completes = order.ending() == PlannedPod.Ending.COMPLETES;
        String sleep = String.valueOf(completes ? order.life().toMillis() / 1000.0 : 100_000);
        StringBuilder containers = new StringBuilder();
        for (int i = 0; i < order.asks().size(); i++) {
            ContainerRequest ask = order.asks().get(i);
            String name = "c" + i;
            containers.append(i == 0 ? "" : ",").append("""
                {"name":"%s","image":"%s","imagePullPolicy":"IfNotPresent","command":["sleep","%s"],
                 "env":[{"name":"%s","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}},
                        {"name":"%s","value":"%s"},{"name":"%s","value":"%s"},{"name":"%s","value":"%s"}],
                 "resources":{"limits":{%s}}}\
                """.formatted(
                            name,
                            image,
                            sleep,
                            Processes.UID,
                            Processes.POD,
                            order.name(),
                            Processes.CONTAINER,
                            name,
                            Processes.ASK,
                            ask.text(),
                            ask.limit()));
        }
        return """
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"name":"%s","namespace":"%s","labels":{"order":"%s"}},
             "spec":{"terminationGracePeriodSeconds":1,"restartPolicy":"%s","automountServiceAccountToken":false,
              "containers":[%s]}}\
            """.formatted(order.name(), ClusterWatcher.NAMESPACE, label, completes ? "Never" : "Always", containers);
    }
}
