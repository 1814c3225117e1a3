package io.gpushare.e2e.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.chaos.Fault.Kind;
import io.gpushare.e2e.chaos.check.AdmissionReasons;
import io.gpushare.e2e.chaos.check.AuditLog;
import io.gpushare.e2e.chaos.check.ClusterWatcher;
import io.gpushare.e2e.chaos.check.RunClock;
import io.gpushare.e2e.chaos.check.Snapshot;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.chaos.check.pod.PodView;
import io.gpushare.e2e.cluster.ApiServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Creates the pods of the plan, lets them run and deletes them. A pod that a kubelet rejected is created again, as its
 * owner would.
 */
final class PodLoad {
    private static final Duration PAUSE = Duration.ofMillis(400);
    /** A pod by claims that does not run is asked for the reason so often. */
    private static final Duration LOOK = Duration.ofSeconds(20);

    /** The audit log has a request when its response was sent, which takes a while on a busy machine. */
    private static final Duration LOGGED = Duration.ofSeconds(5);

    private static final int MAX_ATTEMPTS = 12;
    private static final int MAX_EVICTIONS = 30;

    private sealed interface Fate {
        record Ran() implements Fate {}

        record EndedEarly() implements Fate {}

        record Rejected(PodView pod, boolean ran) implements Fate {}

        /** Its node moved before it got the cards of its claims. */
        record Refused() implements Fate {}

        /** It was deleted by force: {@link Fault.Kind#KILL_FAILS}. */
        record DeletedByForce() implements Fate {}

        /** It was evicted for an urgent pod, by kube-scheduler or by the extender. */
        record Preempted() implements Fate {}
    }

    private final ApiServer api;
    private final ClusterWatcher watcher;
    private final PodManifests manifests;
    private final RunClock watch;
    private final Tally tally;
    private final AuditLog audit;
    private final List<String> nodes;
    private final Interruptions interruptions;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger ended = new AtomicInteger();

    PodLoad(
            ApiServer api,
            ClusterWatcher watcher,
            PodManifests manifests,
            AuditLog audit,
            List<String> nodes,
            Interruptions interruptions,
            RunClock watch,
            Tally tally) {
        this.api = api;
        this.watcher = watcher;
        this.manifests = manifests;
        this.audit = audit;
        this.nodes = nodes;
        this.interruptions = interruptions;
        this.watch = watch;
        this.tally = tally;
    }

    void begin(List<PlannedPod> orders) {
        orders.forEach(order -> threads.execute(() -> {
            try {
                carryOut(order);
                ended.incrementAndGet();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                tally.violation("a planned pod could not be run", order.name(), String.valueOf(e));
            }
        }));
        threads.shutdown();
    }

    /**
     * Waits until every pod has ended, as long as some pod ends within each such time: a queue that moves is not stuck,
     * however slow the machine is. Pods that have not ended by then are violations.
     */
    void awaitEnd(Duration between) throws InterruptedException {
        int before = -1;
        boolean over = false;
        while (!over && ended.get() > before) {
            before = ended.get();
            over = threads.awaitTermination(between.toMillis(), TimeUnit.MILLISECONDS);
        }
        if (!over) {
            watcher.latest()
                    .pods()
                    .ifPresent(pods -> pods.forEach(
                            pod -> tally.violation("a pod did not run and end in time", pod.name(), pod.toString())));
            threads.shutdownNow();
            tally.violation("pods are left over", "load", "see the pods above");
        }
    }

    private void carryOut(PlannedPod order) throws InterruptedException {
        watch.sleepUntil(order.at());
        int rejections = 0;
        int evictions = 0;
        for (int attempt = 1; rejections < MAX_ATTEMPTS && evictions < MAX_EVICTIONS; attempt++) {
            JsonNode made = create(order, attempt);
            String uid = made.path("uid").asText();
            Instant since = Instant.parse(made.path("creationTimestamp").asText());
            tally.count("pods: made");
            if (manifests.byClaims(order)) {
                tally.count("pods by claims: made");
            }
            Fate fate = follow(order, uid, since);
            delete(order.name(), uid);
            switch (fate) {
                case Fate.Ran() -> {
                    tally.count("pods: ran to their end");
                    if (manifests.byClaims(order)) {
                        tally.count("pods by claims: ran to their end");
                    }
                    return;
                }
                case Fate.EndedEarly() -> {
                    tally.count("pods: deleted a moment after they were made, on purpose");
                    return;
                }
                case Fate.Rejected(PodView pod, boolean ran) -> {
                    rejections++;
                    rejected(pod, ran);
                }
                case Fate.Refused() -> {
                    rejections++;
                    watch.say(order.name() + " waits for ever, because its node moved");
                    tally.count("pods by claims: refused after their node had moved (created again)");
                }
                case Fate.DeletedByForce() -> {
                    evictions++;
                    tally.count("pods: deleted by force (created again)");
                }
                case Fate.Preempted() -> {
                    evictions++;
                    tally.count("pods: preempted (created again)");
                }
            }
        }
        tally.violation("rejected or preempted at every attempt", order.name(), order.toString());
    }

    private void rejected(PodView pod, boolean ran) {
        boolean edited = watcher.latest().edited().contains(pod.uid());
        Set<Kind> faults = interruptions.on(nodes.indexOf(pod.node()), watch.now());
        Optional<String> reason = (edited
                        ? AdmissionReasons.ofEdited(pod.message())
                        : AdmissionReasons.of(pod.message()))
                .filter(found -> !found.equals(AdmissionReasons.RUNTIME_RESTARTED) || faults.contains(Kind.CDI_OFF));
        String when = ran ? "while it ran" : "at its admission";
        if (reason.isEmpty()) {
            tally.violation("a pod failed without an accepted reason", pod.name() + " " + when, pod.message());
        } else if (!edited && !ran && Interruptions.planned(faults)) {
            tally.violation(
                    "a pod was rejected after planned restarts of the device plugin alone", pod.name(), pod.message());
        } else {
            watch.say(pod.name() + " on " + pod.node() + " was rejected " + when + ": " + reason.get() + ", after "
                    + faults);
            tally.count("pods rejected by a kubelet (created again): " + when
                    + (faults.isEmpty() ? ", after no fault" : "") + ", " + reason.get());
        }
    }

    /** Creates the pod, with retries while the API server does not respond, and returns its metadata. */
    private JsonNode create(PlannedPod order, int attempt) throws InterruptedException {
        String label = order.number() + "-" + attempt;
        while (true) {
            try {
                ApiServer.Response response = api.send("POST", ClusterWatcher.PODS, manifests.of(order, label));
                if (response.code() == 409) { // an earlier pod of that name, or this one, whose response was lost
                    response = api.get(ClusterWatcher.PODS + "/" + order.name());
                }
                JsonNode metadata = response.body().path("metadata");
                if (response.succeeded()
                        && metadata.at("/labels/order").asText().equals(label)) {
                    return metadata;
                }
                if (response.code() == 422 || response.code() == 400) {
                    throw new IllegalStateException("the API server refuses a pod: " + response.body());
                }
            } catch (IOException e) {
                tally.count("load: calls that the API server did not answer");
            }
            Thread.sleep(PAUSE);
        }
    }

    private Fate follow(PlannedPod order, String uid, Instant since) throws InterruptedException {
        Duration made = watch.now();
        Duration ran = Duration.ZERO;
        Duration look = made.plus(LOOK);
        boolean early = order.ending() == PlannedPod.Ending.IMPATIENT;
        while (true) {
            Snapshot now = watcher.latest();
            Optional<PodView> pod = now.pod(uid);
            boolean preempted =
                    pod.isPresent() && (pod.get().deleting() || pod.get().disrupted());
            boolean vanished = pod.isEmpty() && now.at().compareTo(made) > 0;
            if ((preempted || vanished) && now.kept().pods().contains(uid)) {
                return new Fate.DeletedByForce();
            }
            if (preempted || vanished) {
                if (!pod.map(PodView::disrupted).orElse(false)) {
                    requirePreempted(
                            order,
                            uid
                                    + pod.map(seen -> ": " + seen)
                                            .orElse(", made at " + made + ", not listed at " + now.at()),
                            since);
                }
                return new Fate.Preempted();
            }
            if (early && past(made.plus(order.life()))) {
                return new Fate.EndedEarly();
            }
            if (pod.isPresent() && pod.get().phase().equals("Failed")) {
                return new Fate.Rejected(pod.get(), pod.get().ran() || !ran.isZero());
            }
            if (pod.isPresent() && pod.get().ran() && ran.isZero()) {
                ran = watch.now();
            }
            if (pod.isPresent() && ran.isZero() && manifests.byClaims(order) && past(look)) {
                look = watch.now().plus(LOOK);
                if (ClaimsNodes.refused(api, pod.get())) {
                    return new Fate.Refused();
                }
            }
            if (!ran.isZero() && past(ran.plus(order.life()))) {
                boolean ended = pod.isPresent() && pod.get().ended();
                if (order.ending() == PlannedPod.Ending.DELETED || ended) {
                    return new Fate.Ran();
                }
            }
            Thread.sleep(PAUSE);
        }
    }

    private void requirePreempted(PlannedPod order, String seen, Instant since) throws InterruptedException {
        Duration written = watch.now().plus(LOGGED);
        Set<String> deleters = deleters(order, since);
        while (!AuditLog.preempted(deleters) && !AuditLog.nodeWasNotReady(deleters) && !past(written)) {
            Thread.sleep(PAUSE);
            deleters = deleters(order, since);
        }
        if (AuditLog.nodeWasNotReady(deleters)) {
            tally.count("pods: evicted because a node was not ready for a while");
        } else if (!AuditLog.preempted(deleters)) {
            tally.violation("a pod vanished that nobody preempted", order.name(), seen + ", deleted by " + deleters);
        }
    }

    private Set<String> deleters(PlannedPod order, Instant since) {
        try {
            return audit.deleters(order.name(), since);
        } catch (IOException e) {
            throw new UncheckedIOException("the audit log can't be read", e);
        }
    }

    /** Deletes the pod and waits until the API server no longer has it. */
    private void delete(String name, String uid) throws InterruptedException {
        String options = """
            {"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":1,"preconditions":{"uid":"%s"}}\
            """.formatted(uid);
        boolean accepted = false;
        Duration at = Duration.ZERO;
        while (true) {
            try {
                if (!accepted) {
                    at = watch.now();
                    int code = api.send("DELETE", ClusterWatcher.PODS + "/" + name, options)
                            .code();
                    accepted = code / 100 == 2 || code == 404 || code == 409;
                }
            } catch (IOException e) {
                tally.count("load: calls that the API server did not answer");
            }
            Snapshot now = watcher.latest();
            if (accepted && now.at().compareTo(at) > 0 && now.pod(uid).isEmpty()) {
                return;
            }
            Thread.sleep(PAUSE);
        }
    }

    private boolean past(Duration moment) {
        return watch.now().compareTo(moment) > 0;
    }
}
