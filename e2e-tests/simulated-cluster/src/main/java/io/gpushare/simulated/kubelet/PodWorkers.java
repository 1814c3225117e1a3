package io.gpushare.simulated.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.claims.ClaimDrivers;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.client.Reflector;
import io.gpushare.simulated.kubelet.devices.AdmissionException;
import io.gpushare.simulated.kubelet.devices.DeviceManager;
import io.gpushare.time.Machine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the pods of one node from admission to termination. Admission is serial, in the order of creation. A pod is
 * active, and listed by pod-resources, from the start of its admission until it has ended.
 */
final class PodWorkers implements Reflector.Listener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PodWorkers.class);
    private static final Duration START_RETRY = Duration.ofSeconds(1);

    private enum Stage {
        WAITING,
        BEING_ADMITTED,
        RUNNING,
        ENDED
    }

    private static final class Entry {
        PodDocument pod;
        Stage stage = Stage.WAITING;
        boolean stopping;
        /** How often the machine has lost its power since the pod came: what was begun before that never ends. */
        int boots;

        String notPrepared = "";
        Map<String, StartedContainer> containers = Map.of();

        Entry(PodDocument pod) {
            this.pod = pod;
        }
    }

    private final DeviceManager devices;
    private final ClaimDrivers claims;
    private final Path cdi;
    private final PodStatusWriter status;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final ExecutorService admission =
            Executors.newSingleThreadExecutor(Machine.here().threads("admission "));
    private final Delays delays = new Delays();
    private final Containers containers;

    /**
     * Makes workers without pods.
     *
     * @param cdi the directory of CDI files that the container runtime reads
     * @param containers hears of the containers
     */
    PodWorkers(DeviceManager devices, ClaimDrivers claims, Path cdi, PodStatusWriter status, Containers containers) {
        this.containers = containers;
        this.devices = devices;
        this.claims = claims;
        this.cdi = cdi;
        this.status = status;
    }

    @Override
    public synchronized void present(List<ObjectNode> objects) {
        List<Entry> fresh = new ArrayList<>();
        for (ObjectNode object : objects) {
            PodDocument pod = new PodDocument(object);
            Entry entry = entries.get(pod.uid());
            if (entry == null) {
                entry = new Entry(pod);
                entries.put(pod.uid(), entry);
                if (pod.ended()) {
                    entry.stage = Stage.ENDED;
                } else {
                    fresh.add(entry);
                }
            }
            entry.pod = pod;
            stopWhereDeleted(entry);
        }
        admitInOrder(fresh);
    }

    private void admitInOrder(List<Entry> waiting) {
        waiting.sort(Comparator.comparing(entry -> entry.pod.created()));
        waiting.forEach(entry -> admission.execute(() -> admit(entry)));
    }

    /** All containers end with the machine, and nobody reports anything. */
    synchronized void powerOff() {
        for (Entry entry : entries.values()) {
            if (entry.stage == Stage.RUNNING) {
                containers.ended(entry.pod);
            }
            if (entry.stage != Stage.ENDED) {
                entry.stage = entry.stopping ? Stage.ENDED : Stage.WAITING;
                entry.boots++;
            }
        }
    }

    /** Admits all pods again, as after a boot. */
    synchronized void boot() {
        admitInOrder(new ArrayList<>(entries.values().stream()
                .filter(entry -> entry.stage == Stage.WAITING)
                .toList()));
    }

    @Override
    public synchronized void gone(ObjectNode object) {
        Entry entry = entries.remove(new PodDocument(object).uid());
        if (entry != null) {
            end(entry);
            release(entry, () -> {});
        }
    }

    /** Admits no more pods until the result runs. */
    Runnable holdAdmission() {
        CountDownLatch released = new CountDownLatch(1);
        admission.execute(() -> {
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return released::countDown;
    }

    private void admit(Entry entry) {
        PodDocument pod;
        int boot;
        synchronized (this) {
            if (entry.stage != Stage.WAITING) {
                return;
            }
            entry.stage = Stage.BEING_ADMITTED;
            pod = entry.pod;
            boot = entry.boots;
        }
        try {
            devices.retain(unendedUids());
            devices.admit(pod);
            if (devices.preStartRequired(pod) || ClaimDrivers.has(pod)) {
                start(() -> startOrRetry(entry, boot));
            } else {
                start(entry, boot);
            }
        } catch (AdmissionException refusal) {
            LOG.info("{} is refused: {}", pod.title(), refusal.getMessage());
            if (end(entry, boot)) {
                status.failed(pod, "UnexpectedAdmissionError", refusal.podMessage());
            }
        }
    }

    /** Starts the containers when the plugins let them; until then the pod is pending, as in the real kubelet. */
    private void startOrRetry(Entry entry, int boot) {
        PodDocument pod;
        synchronized (this) {
            if (entry.stage != Stage.BEING_ADMITTED || entry.boots != boot) {
                return;
            }
            pod = entry.pod;
        }
        Optional<String> claimed = claims.prepare(pod);
        claimed.ifPresent(reason -> notPrepared(entry, reason));
        Optional<String> refusal = claimed.or(() -> devices.preStart(pod));
        if (refusal.isEmpty()) {
            start(entry, boot);
        } else {
            LOG.info("{} does not start yet: {}", pod.title(), refusal.get());
            after(START_RETRY, () -> start(() -> startOrRetry(entry, boot)));
        }
    }

    /** Records it once; the real kubelet counts the repetitions in its Event. */
    private synchronized void notPrepared(Entry entry, String reason) {
        if (!reason.equals(entry.notPrepared)) {
            entry.notPrepared = reason;
            status.notPrepared(entry.pod, reason);
        }
    }

    private synchronized void start(Entry entry, int boot) {
        if (entry.stage != Stage.BEING_ADMITTED || entry.boots != boot) {
            return;
        }
        PodDocument pod = entry.pod;
        Map<String, StartedContainer> begun = new HashMap<>();
        for (PodDocument.Container container : pod.containers()) {
            begun.put(
                    container.name(),
                    StartedContainer.of(
                            devices.held(pod.uid(), container.name()),
                            pod.environment(container.name()),
                            claims.cdi(pod, container.name()),
                            cdi));
        }
        entry.containers = begun;
        entry.stage = Stage.RUNNING;
        containers.started(pod, begun);
        status.running(pod);
        pod.runsFor().ifPresent(length -> after(length, () -> succeed(entry, boot)));
    }

    private void succeed(Entry entry, int boot) {
        if (end(entry, boot)) {
            release(entry, () -> status.succeeded(entry.pod));
        }
    }

    /** Lets the drivers unprepare the pod's claims before anybody hears that it ended. */
    private void release(Entry entry, Runnable then) {
        if (!ClaimDrivers.has(entry.pod)) {
            then.run();
            return;
        }
        start(() -> {
            if (claims.unprepare(entry.pod)) {
                then.run();
            } else {
                after(START_RETRY, () -> release(entry, then));
            }
        });
    }

    private void stopWhereDeleted(Entry entry) {
        if (!entry.pod.beingDeleted() || entry.stopping) {
            return;
        }
        entry.stopping = true;
        long grace = entry.pod
                .document()
                .path("metadata")
                .path("deletionGracePeriodSeconds")
                .asLong();
        after(Duration.ofSeconds(grace), () -> {
            end(entry);
            release(entry, () -> status.confirmDeletion(entry.pod));
        });
    }

    private void after(Duration delay, Runnable work) {
        delays.after(delay, work);
    }

    private static void start(Runnable work) {
        Machine.here().lightThread("pod worker", work).start();
    }

    /** The same, unless the machine was off meanwhile. */
    private synchronized boolean end(Entry entry, int boot) {
        return entry.boots == boot && end(entry);
    }

    private synchronized boolean end(Entry entry) {
        boolean first = entry.stage != Stage.ENDED;
        if (entry.stage == Stage.RUNNING) {
            containers.ended(entry.pod);
        }
        entry.stage = Stage.ENDED;
        return first;
    }

    synchronized List<PodDocument> active() {
        return entries.values().stream()
                .filter(entry -> entry.stage == Stage.BEING_ADMITTED || entry.stage == Stage.RUNNING)
                .map(entry -> entry.pod)
                .toList();
    }

    /** With those that wait to be admitted again. */
    private synchronized Set<String> unendedUids() {
        return entries.values().stream()
                .filter(entry -> entry.stage != Stage.ENDED)
                .map(entry -> entry.pod.uid())
                .collect(Collectors.toSet());
    }

    /** The state of a container at its start, kept until the pod's object is deleted. */
    synchronized Optional<StartedContainer> started(String namespace, String pod, String container) {
        return entries.values().stream()
                .filter(entry ->
                        entry.pod.name().equals(pod) && entry.pod.namespace().equals(namespace))
                .flatMap(entry -> Optional.ofNullable(entry.containers.get(container)).stream())
                .findFirst();
    }

    @Override
    public void close() {
        admission.shutdownNow();
        delays.close();
    }
}
