package io.gpushare.plugin.node.monitor;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.Decoded;
import io.gpushare.plugin.node.holdings.FreeCards;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.EndedPods;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the pods that have ended for Kubernetes and still compute on a card: a pod is deleted by force while a process
 * of it can't be killed, or is not killed yet. A card that such a pod had whole, or of which nobody knows what it had,
 * is in use until the driver no longer lists these processes, and no container runs that had it whole; for one that is
 * stuck in the driver, a reboot of the node ends that. One that had a share is waited for and reported, and closes no
 * card: a tenant may delete pods by force that end after days, and what they keep then must not be more than they had.
 *
 * <p>A process whose pod can't be told holds no card: one in a PID namespace that the plugin does not see, one of a
 * static pod, one without a container. {@link ForeignUseReporter} reports it where it is visible.
 */
public final class StillComputing implements FreeCards, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StillComputing.class);
    private static final String REASON = "GpuUsedAfterPodEnd";
    /** Most processes end at the first signal. The kubelet kills the others after the grace period of their pod. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final Duration LIVE_TIMEOUT = Duration.ofMillis(900);

    private static final Duration BETWEEN = Duration.ofMillis(100);
    /** A driver that hangs must not hold the kubelet's call. */
    private static final Duration LONGEST_READ = Duration.ofSeconds(1);

    private static final Duration UNTIL_EVENT = Duration.ofMinutes(1);
    private static final int MOST_REMEMBERED = 4096;

    private final EventSubject.Node node;
    private final LatestHoldings latest;
    private final ProcessTable processes;
    private final Function<CardId, Optional<List<Long>>> driver;
    private final BooleanSupplier podsKnown;
    private final Function<Duration, Optional<List<NodePod>>> live;
    private final EventRecorder events;
    private final InstantSource clock;
    private final ExecutorService reads =
            Executors.newSingleThreadExecutor(Machine.here().threads("processes-of-cards-"));
    /** The last pods that had cards, by UID. */
    private final Map<String, Had> remembered = new LinkedHashMap<>();

    private final Map<Found, Instant> since = new HashMap<>();
    private Set<Found> last = Set.of();

    /** A pod that has ended, by its UID, on a card. */
    private record Found(CardId card, String uid) {}

    /**
     * What a pod had.
     *
     * @param byDevicePlugin whether it was a holder itself, and not a user of claims, which it may share with others
     * @param containers the IDs of its containers, as far as they have started and the API has said so
     */
    private record Had(PodRef pod, boolean byDevicePlugin, Set<CardId> whole, Set<String> containers) {
        Had and(Had other) {
            Set<CardId> both = new HashSet<>(whole);
            both.addAll(other.whole);
            return new Had(pod, byDevicePlugin || other.byDevicePlugin, both, containers);
        }

        /** It was known before: its containers are known longer than the API has the pod. */
        Had after(Had before) {
            return containers.isEmpty() ? new Had(pod, byDevicePlugin, whole, before.containers) : this;
        }
    }

    /**
     * Looks at nothing by itself.
     *
     * @param driver the process IDs of what computes on a card now; empty if that is unknown
     * @param podsKnown whether the pods of the node were reported: before, every process looks like one without a pod
     * @param live lists the node's pods at the API server; empty when it does not respond within the timeout
     */
    public StillComputing(
            EventSubject.Node node,
            LatestHoldings latest,
            ProcessTable processes,
            Function<CardId, Optional<List<Long>>> driver,
            BooleanSupplier podsKnown,
            Function<Duration, Optional<List<NodePod>>> live,
            EventRecorder events,
            InstantSource clock) {
        this.node = node;
        this.latest = latest;
        this.processes = processes;
        this.driver = driver;
        this.podsKnown = podsKnown;
        this.live = live;
        this.events = events;
        this.clock = clock;
    }

    /** Evaluates one report of the driver. */
    synchronized void handle(CardUsages reported, Map<Long, Optional<Cgroup>> cgroups) {
        Holdings holdings = latest.now();
        remember(holdings);
        Set<Found> found = new HashSet<>();
        if (known()) {
            reported.cards()
                    .forEach((card, usage) -> found.addAll(on(
                            card,
                            usage.processes().orElse(List.of()).stream()
                                    .map(CardProcess::pid)
                                    .map(pid -> cgroups.getOrDefault(pid, Optional.empty()))
                                    .flatMap(Optional::stream)
                                    .toList(),
                            holdings)));
        }
        // A card that did not respond keeps what was found there.
        last.stream()
                .filter(each -> !reported.cards().containsKey(each.card()))
                .filter(each -> holdings.inventory().card(each.card()).isPresent())
                .forEach(found::add);
        Set<String> present = present(holdings);
        found.addAll(running(last.stream()
                .filter(each -> closes(each) && !present.contains(each.uid()))
                .collect(Collectors.toSet())));
        publish(confirmed(found));
        report();
    }

    private boolean known() {
        return !processes.ownOnly() && podsKnown.getAsBoolean();
    }

    /** A pod is about to be forgotten. */
    public synchronized void remember() {
        remember(latest.now());
    }

    @Override
    public synchronized void given(PodRef pod, ContainerAllocation cards) {
        Had now = new Had(pod, true, cards.unlimitedCards(), Set.of());
        remember(Map.of(
                pod.uid(),
                Optional.ofNullable(remembered.get(pod.uid())).map(now::and).orElse(now)));
    }

    private void remember(Holdings holdings) {
        Map<String, Had> had = new HashMap<>();
        Map<String, Set<String>> containers = new HashMap<>();
        holdings.pods()
                .forEach(pod -> containers.put(pod.ref().uid(), pod.started().keySet()));
        for (Holder holder : holdings.holders()) {
            for (ContainerAllocation part :
                    holder.allocation().map(Allocation::containers).orElse(List.of())) {
                Set<CardId> whole = part.unlimitedCards();
                holder.users(part.name())
                        .forEach(user -> had.merge(
                                user.pod().uid(),
                                new Had(
                                        user.pod(),
                                        holder.isPod(),
                                        whole,
                                        containers.getOrDefault(user.pod().uid(), Set.of())),
                                Had::and));
            }
        }
        // What requests nothing has nothing, whatever its image sees.
        holdings.pods().stream()
                .filter(pod -> pod.claims().isEmpty()
                        && pod.former().isEmpty()
                        && pod.demand() instanceof Decoded.Absent<Demand>)
                .forEach(pod -> had.putIfAbsent(pod.ref().uid(), new Had(pod.ref(), false, Set.of(), Set.of())));
        remember(had);
    }

    private void remember(Map<String, Had> had) {
        had.forEach((uid, now) -> {
            @Nullable Had before = remembered.remove(uid);
            remembered.put(uid, before == null ? now : now.after(before));
        });
        Set<String> computing = last.stream().map(Found::uid).collect(Collectors.toSet());
        Iterator<String> oldest = remembered.keySet().iterator();
        for (int more = remembered.size() - MOST_REMEMBERED; more > 0 && oldest.hasNext(); ) {
            if (!computing.contains(oldest.next())) {
                oldest.remove();
                more--;
            }
        }
    }

    /**
     * Those of these whose containers run, though they may not compute at the moment. A container that had a card whole
     * has it open until it ends. A pod may have ended before the API has named its containers: then any of its
     * processes counts.
     */
    private Set<Found> running(Set<Found> those) {
        Map<Found, Set<String>> containers = new HashMap<>();
        those.forEach(each -> Optional.ofNullable(remembered.get(each.uid()))
                .ifPresent(had -> containers.put(each, had.containers())));
        Set<String> known = containers.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
        Set<String> unnamed = containers.entrySet().stream()
                .filter(each -> each.getValue().isEmpty())
                .map(each -> each.getKey().uid())
                .collect(Collectors.toSet());
        Set<String> alive = known.isEmpty() ? Set.of() : processes.running(known);
        Set<String> alivePods = unnamed.isEmpty() ? Set.of() : processes.runningPods(unnamed);
        return containers.entrySet().stream()
                .filter(each -> !Collections.disjoint(each.getValue(), alive)
                        || alivePods.contains(each.getKey().uid()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /**
     * The pods that had one of these cards whole and, as others get it now, have ended. Of a device plugin's pod
     * neither the watch nor the holdings may show that yet. The claim that is to get it may be forged: pods of other
     * claims must be gone, and their claims ended.
     */
    private Set<Found> former(Set<CardId> cards, Collection<PodRef> next, Holdings holdings) {
        Set<String> present = present(holdings);
        holdings.holders().forEach(holder -> holder.pods().forEach(pod -> present.add(pod.uid())));
        Set<Found> former = new HashSet<>();
        remembered.forEach((uid, had) -> had.whole().stream()
                .filter(card -> cards.contains(card) && (had.byDevicePlugin() || !present.contains(uid)))
                .forEach(card -> former.add(new Found(card, uid))));
        next.forEach(pod -> former.removeIf(each -> each.uid().equals(pod.uid())));
        return former;
    }

    private static Set<String> present(Holdings holdings) {
        return holdings.pods().stream()
                .filter(pod -> !pod.ended())
                .map(pod -> pod.ref().uid())
                .collect(Collectors.toCollection(HashSet::new));
    }

    private Set<Found> on(CardId card, Collection<Cgroup> cgroups, Holdings holdings) {
        Set<String> had = remembered.values().stream()
                .filter(Had::byDevicePlugin)
                .map(each -> each.pod().uid())
                .collect(Collectors.toSet());
        return EndedPods.among(cgroups, holdings, had).stream()
                .map(uid -> new Found(card, uid))
                .collect(Collectors.toSet());
    }

    /**
     * Without those of pods that the API server has, where the plugin knew nothing of the pod: its watch may be behind.
     * While the API server does not respond, such a pod is not known to have ended.
     */
    private Set<Found> confirmed(Set<Found> found) {
        Set<String> doubtful = found.stream()
                .filter(each -> !last.contains(each) && !remembered.containsKey(each.uid()))
                .map(Found::uid)
                .collect(Collectors.toSet());
        if (doubtful.isEmpty()) {
            return found;
        }
        Optional<List<NodePod>> pods = live.apply(LIVE_TIMEOUT);
        Set<String> running = pods.stream()
                .flatMap(List::stream)
                .filter(pod -> !pod.ended())
                .map(pod -> pod.ref().uid())
                .collect(Collectors.toSet());
        return found.stream()
                .filter(each -> !doubtful.contains(each.uid()) || (pods.isPresent() && !running.contains(each.uid())))
                .collect(Collectors.toSet());
    }

    /** Whether the card is in use because of it. */
    private boolean closes(Found found) {
        return Optional.ofNullable(remembered.get(found.uid()))
                .map(had -> had.whole().contains(found.card()))
                .orElse(true);
    }

    private void publish(Set<Found> found) {
        Instant now = clock.instant();
        since.keySet().retainAll(found);
        found.forEach(each -> since.putIfAbsent(each, now));
        if (!found.equals(last)) {
            found.stream()
                    .filter(each -> !last.contains(each))
                    .forEach(each -> LOG.warn(
                            "{} still computes on card {}{}",
                            name(each),
                            each.card(),
                            closes(each) ? ", which is not offered until that ends" : ""));
            last.stream()
                    .filter(each -> !found.contains(each))
                    .forEach(each -> LOG.info("{} no longer computes on card {}", name(each), each.card()));
            last = Set.copyOf(found);
            latest.stillComputing(byName(found));
        }
    }

    /** The cards that are in use, by who uses them. */
    private Map<String, Set<CardId>> byName(Set<Found> found) {
        return found.stream()
                .filter(this::closes)
                .collect(Collectors.groupingBy(this::name, Collectors.mapping(Found::card, Collectors.toSet())));
    }

    private String name(Found found) {
        return Optional.ofNullable(remembered.get(found.uid()))
                .map(had -> "ended pod " + had.pod())
                .orElse("ended pod of UID " + found.uid());
    }

    private void report() {
        Instant now = clock.instant();
        since.forEach((found, first) -> {
            if (!now.isBefore(first.plus(UNTIL_EVENT))) {
                events.warn(
                        node,
                        REASON,
                        "Processes of " + name(found) + " still compute on card " + found.card()
                                + (closes(found)
                                        ? ", which is not offered until they end"
                                        : " and take memory from its pods")
                                + "; nvidia-smi shows them. They end after the grace period of their pod. Kill those"
                                + " that do not; one that can't be killed is stuck in the driver: drain and reboot the"
                                + " node.");
            }
        });
    }

    @Override
    public Optional<String> inUseBy(Collection<PodRef> next, Set<CardId> cards) {
        if (!cards.isEmpty() && !processes.ownOnly()) {
            awaitPods();
        }
        // Of the call, not of what is found: two that take turns on a card would be waited for without end.
        long end = Machine.here().nanos() + PATIENCE.toNanos();
        while (true) {
            Look now = read(cards).map(pids -> look(next, cards, pids)).orElseGet(() -> lastFound(next, cards));
            if (!now.waits() || Machine.here().nanos() - end >= 0 || !rested()) {
                return now.user();
            }
        }
    }

    /** The kubelet may call before a new process knows the pods. */
    private void awaitPods() {
        for (long left = PATIENCE.dividedBy(BETWEEN); left > 0 && !podsKnown.getAsBoolean(); left--) {
            rested();
        }
    }

    /**
     * What one look found.
     *
     * @param user who has ended and keeps one of the cards
     * @param waits whether somebody may end in a moment
     */
    private record Look(Optional<String> user, boolean waits) {}

    /** Where the driver does not respond: what computed when it last did may compute still. */
    private synchronized Look lastFound(Collection<PodRef> next, Set<CardId> cards) {
        Set<Found> here = last.stream()
                .filter(each -> cards.contains(each.card())
                        && next.stream().noneMatch(pod -> pod.uid().equals(each.uid())))
                .collect(Collectors.toSet());
        return new Look(byName(here).keySet().stream().sorted().findFirst(), false);
    }

    private static boolean rested() {
        try {
            Machine.here().pause(BETWEEN);
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The processes on these cards, as far as the driver says; empty if it does not respond in time. */
    private Optional<Map<CardId, List<Long>>> read(Set<CardId> cards) {
        if (cards.isEmpty() || !known()) {
            return Optional.empty();
        }
        Future<Map<CardId, List<Long>>> read = reads.submit(() -> {
            Map<CardId, List<Long>> pids = new HashMap<>();
            cards.forEach(card -> driver.apply(card).ifPresent(all -> pids.put(card, all)));
            return pids;
        });
        try {
            return Optional.of(Machine.here().get(read, LONGEST_READ));
        } catch (TimeoutException _) {
            // One that hangs in the driver goes on, and the next ones wait behind it.
            read.cancel(true);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    private synchronized Look look(Collection<PodRef> next, Set<CardId> cards, Map<CardId, List<Long>> pids) {
        Holdings holdings = latest.now();
        remember(holdings);
        Set<Found> former = former(pids.keySet(), next, holdings);
        Set<Found> found = new HashSet<>(running(former));
        pids.forEach((card, all) -> {
            List<Cgroup> cgroups = all.stream()
                    .map(processes::cgroup)
                    .flatMap(Optional::stream)
                    .toList();
            found.addAll(on(card, cgroups, holdings));
            cgroups.stream()
                    .flatMap(cgroup -> cgroup.podUid().stream())
                    .map(uid -> new Found(card, uid))
                    .filter(former::contains)
                    .forEach(found::add);
        });
        next.forEach(pod -> found.removeIf(each -> each.uid().equals(pod.uid())));
        last.stream().filter(each -> !pids.containsKey(each.card())).forEach(found::add);
        publish(confirmed(found));
        Set<Found> here =
                last.stream().filter(each -> cards.contains(each.card())).collect(Collectors.toSet());
        Instant patient = clock.instant().minus(PATIENCE);
        return new Look(
                byName(here).keySet().stream().sorted().findFirst(),
                here.stream()
                        .anyMatch(each -> since.getOrDefault(each, Instant.MIN).isAfter(patient)));
    }

    @Override
    public void close() {
        reads.shutdownNow();
    }
}
