package io.gpushare.simulated.scheduler;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.claims.SchedulerClaims;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.client.Reflector;
import io.gpushare.time.Machine;
import java.io.IOException;
import java.net.URI;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A simplified kube-scheduler: each pod passes fit and the extender's filter and prioritize, is assumed, and is bound
 * while the next attempt runs (schedule_one.go). For a pod that fits nowhere, the PodScheduled condition contains
 * kube-scheduler's message without the part on preemption, and an Event FailedScheduling too.
 */
public final class SimulatedScheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatedScheduler.class);
    private static final Set<String> DEFAULT = Set.of("default-scheduler");

    private final Set<String> names;
    private final ApiClient cluster;
    private final ExtenderClient extender;
    private final NodeCache nodes;
    private final SchedulingQueue waiting;
    private final SchedulerClaims claims;
    private final Random random;
    private final InstantSource clock;
    private final Reflector nodeFollower;
    private final Reflector podFollower;
    private final Thread thread = Machine.here().lightThread("scheduler", this::run);

    private SimulatedScheduler(
            Set<String> names,
            ApiClient api,
            ExtenderWire wire,
            ExtenderConfig options,
            long seed,
            InstantSource clock) {
        this.names = Set.copyOf(names);
        nodes = new NodeCache(options.ignored());
        cluster = api;
        extender = new ExtenderClient(options, wire);
        this.clock = clock;
        waiting = new SchedulingQueue(clock);
        claims = new SchedulerClaims(cluster, waiting::event);
        random = new Random(seed);
        nodeFollower = new Reflector(cluster, "/api/v1/nodes", "", new Nodes());
        podFollower = new Reflector(
                cluster,
                "/api/v1/pods",
                "fieldSelector=status.phase!%3DSucceeded%2Cstatus.phase!%3DFailed",
                new Pods());
    }

    /**
     * Starts the scheduler, which runs until it is closed.
     *
     * @param seed the seed for the choice among nodes of equal score
     */
    public static SimulatedScheduler start(URI api, ExtenderConfig options, long seed, InstantSource clock) {
        return start(DEFAULT, api, options, seed, clock);
    }

    /** As {@link #start(URI, ExtenderConfig, long, InstantSource)}, for the pods that name one of these schedulers. */
    public static SimulatedScheduler start(
            Set<String> names, URI api, ExtenderConfig options, long seed, InstantSource clock) {
        return start(names, new ApiClient(api), new HttpExtender(options.urlPrefix()), options, seed, clock);
    }

    /** The same over those wires. */
    public static SimulatedScheduler start(
            Set<String> names,
            ApiClient api,
            ExtenderWire wire,
            ExtenderConfig options,
            long seed,
            InstantSource clock) {
        SimulatedScheduler scheduler = new SimulatedScheduler(names, api, wire, options, seed, clock);
        scheduler.nodeFollower.start();
        scheduler.podFollower.start();
        scheduler.claims.start();
        scheduler.thread.start();
        return scheduler;
    }

    private final class Nodes implements Reflector.Listener {
        @Override
        public void present(List<ObjectNode> objects) {
            objects.forEach(
                    node -> nodes.node(node.path("metadata").path("name").asText(), node));
            waiting.event();
        }

        @Override
        public void gone(ObjectNode node) {
            nodes.nodeGone(node.path("metadata").path("name").asText());
        }
    }

    /** Selects pods that have not ended, so that a pod that ends is reported as removed. */
    private final class Pods implements Reflector.Listener {
        @Override
        public void present(List<ObjectNode> objects) {
            for (ObjectNode object : objects) {
                PodDocument pod = new PodDocument(object);
                if (!pod.node().isEmpty()) {
                    nodes.place(pod, pod.node());
                    waiting.remove(pod.uid());
                } else if (!pod.beingDeleted() && !pod.gated() && names.contains(pod.scheduler())) {
                    waiting.add(pod);
                }
            }
        }

        @Override
        public void gone(ObjectNode object) {
            String uid = new PodDocument(object).uid();
            waiting.remove(uid);
            if (nodes.remove(uid)) {
                waiting.event();
            }
        }
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                schedule(waiting.take());
            }
        } catch (InterruptedException _) {
            LOG.debug("scheduler stops");
        }
    }

    private void schedule(SchedulingQueue.Attempt attempt) throws InterruptedException {
        PodDocument pod = attempt.pod();
        List<String> all = nodes.names();
        FitError why = new FitError(all.size());
        try {
            List<String> feasible = feasible(pod, all, why);
            if (feasible.isEmpty()) {
                report(pod, "Unschedulable", why.message());
                deallocate(pod);
                waiting.rejected(attempt);
                return;
            }
            String node = choose(pod, feasible);
            nodes.place(pod, node);
            claims.assume(pod, node);
            Machine.here().lightThread("bind", () -> bind(attempt, node)).start();
        } catch (ExtenderClient.Failure failure) {
            report(pod, "SchedulerError", failure.reason());
            waiting.failed(attempt);
        }
    }

    private void deallocate(PodDocument pod) throws InterruptedException {
        try {
            claims.deallocate(pod);
        } catch (IOException e) {
            LOG.debug("claims of {} keep their allocation: {}", pod.title(), e.toString());
        }
    }

    private List<String> feasible(PodDocument pod, List<String> all, FitError why)
            throws ExtenderClient.Failure, InterruptedException {
        List<String> fitting = new ArrayList<>();
        for (String node : all) {
            List<String> reasons = new ArrayList<>(nodes.reasonsAgainst(node, pod));
            if (reasons.isEmpty()) {
                claims.against(node, pod).ifPresent(reasons::add);
            }
            if (reasons.isEmpty()) {
                fitting.add(node);
            }
            reasons.forEach(why::add);
        }
        if (fitting.isEmpty() || !extender.interestedIn(pod)) {
            return fitting;
        }
        ExtenderClient.Filtered filtered = extender.filter(pod, fitting);
        filtered.failed().values().forEach(why::add);
        return filtered.nodes();
    }

    private String choose(PodDocument pod, List<String> feasible) throws InterruptedException {
        if (feasible.size() == 1) {
            return feasible.getFirst();
        }
        Map<String, Long> extenderScores = extender.interestedIn(pod) ? extender.prioritize(pod, feasible) : Map.of();
        List<String> best = new ArrayList<>();
        long highest = Long.MIN_VALUE;
        for (String node : feasible) {
            long score = extenderScores.getOrDefault(node, 0L) + nodes.leastAllocated(node);
            if (score > highest) {
                best.clear();
                highest = score;
            }
            if (score == highest) {
                best.add(node);
            }
        }
        return best.get(random.nextInt(best.size()));
    }

    private void bind(SchedulingQueue.Attempt attempt, String node) {
        PodDocument pod = attempt.pod();
        try {
            claims.write(pod);
            if (extender.interestedIn(pod)) {
                extender.bind(pod, node);
            } else {
                bindPlainly(pod, node);
            }
        } catch (IOException e) {
            failed(attempt, node, new ExtenderClient.Failure(String.valueOf(e.getMessage())));
        } catch (ExtenderClient.Failure failure) {
            failed(attempt, node, failure);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(SchedulingQueue.Attempt attempt, String node, ExtenderClient.Failure failure) {
        PodDocument pod = attempt.pod();
        LOG.info("bind of {} to {} failed: {}", pod.title(), node, failure.getMessage());
        nodes.remove(pod.uid());
        claims.forget(pod);
        report(pod, "SchedulerError", failure.reason());
        waiting.failed(attempt);
        waiting.event();
    }

    private void bindPlainly(PodDocument pod, String node) throws ExtenderClient.Failure, InterruptedException {
        ObjectNode binding = ApiClient.document().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata")
                .put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid());
        binding.putObject("target").put("kind", "Node").put("name", node);
        try {
            ApiClient.Answer answer = cluster.post(pod.path() + "/binding", binding);
            if (!answer.succeeded()) {
                throw new ExtenderClient.Failure(answer.message());
            }
        } catch (IOException e) {
            throw new ExtenderClient.Failure(String.valueOf(e.getMessage()));
        }
    }

    private void report(PodDocument pod, String reason, String message) {
        if (pod.waitingReason().equals(message)) {
            return;
        }
        ObjectNode patch = ApiClient.document();
        patch.putObject("metadata").put("uid", pod.uid());
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "PodScheduled")
                .put("status", "False")
                .put("reason", reason)
                .put("message", message);
        try {
            record(pod, message);
            ApiClient.Answer answer = cluster.patch(pod.path() + "/status", patch);
            if (!answer.succeeded()) {
                LOG.debug("condition of {}: {}", pod.title(), answer.message());
            }
        } catch (IOException e) {
            LOG.debug("condition of {}: {}", pod.title(), e.toString());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Records kube-scheduler's Event. */
    private void record(PodDocument pod, String message) throws IOException, InterruptedException {
        ObjectNode event = pod.warning("FailedScheduling", message, pod.scheduler(), clock.instant());
        event.withObjectProperty("metadata").put("name", pod.name() + "." + Long.toHexString(random.nextLong()));
        ApiClient.Answer answer = cluster.post(pod.events(), event);
        if (!answer.succeeded()) {
            LOG.debug("Event of {}: {}", pod.title(), answer.message());
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        claims.close();
        podFollower.close();
        nodeFollower.close();
        extender.close();
        cluster.close();
    }
}
