package io.gpushare.plugin.node.monitor;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.holdings.FreeCards;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.EndedPods;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the pods that have ended for Kubernetes and still compute on a card: a pod is deleted by force while a process
 * of it can't be killed, or is not killed yet. Such a card is in use until the driver no longer lists these processes;
 * for one that is stuck in the driver, a reboot of the node ends that.
 *
 * <p>A process whose pod can't be told holds no card: one in a PID namespace that the plugin does not see, one of a
 * static pod, one without a container. {@link ForeignUseReporter} reports it where it is visible.
 */
public final class StillComputing implements FreeCards, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StillComputing.class);
    private static final String REASON = "GpuUsedAfterPodEnd";
    /** Longer than the kubelet takes to kill the containers of a pod that is deleted by force. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final Duration BETWEEN = Duration.ofMillis(100);
    /** A driver that hangs must not hold the kubelet's call. */
    private static final Duration LONGEST_READ = Duration.ofSeconds(1);

    private static final Duration UNTIL_EVENT = Duration.ofMinutes(1);
    private static final int MOST_REMEMBERED = 4096;

    private final EventSubject.Node node;
    private final LatestHoldings latest;
    private final ProcessTable processes;
    private final Function<CardId, List<Long>> driver;
    private final BooleanSupplier podsKnown;
    private final EventRecorder events;
    private final InstantSource clock;
    private final ExecutorService reads = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("processes-of-cards").factory());
    /** The pods that had cards, by UID, the last ones: their names, and that they had any. */
    private final Map<String, PodRef> remembered = new LinkedHashMap<>();

    private final Map<Found, Instant> since = new HashMap<>();
    private Set<Found> last = Set.of();

    /** A pod that has ended, by its UID, on a card. */
    private record Found(CardId card, String uid) {}

    /**
     * Looks at nothing by itself.
     *
     * @param driver the process IDs of what computes on a card now
     * @param podsKnown whether the pods of the node were reported: before, every process looks like one without a pod
     */
    public StillComputing(
            EventSubject.Node node,
            LatestHoldings latest,
            ProcessTable processes,
            Function<CardId, List<Long>> driver,
            BooleanSupplier podsKnown,
            EventRecorder events,
            InstantSource clock) {
        this.node = node;
        this.latest = latest;
        this.processes = processes;
        this.driver = driver;
        this.podsKnown = podsKnown;
        this.events = events;
        this.clock = clock;
    }

    /** Evaluates one report of the driver. */
    synchronized void handle(CardUsages reported, Map<Long, Optional<Cgroup>> cgroups, Holdings holdings) {
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
        publish(found);
        report();
    }

    private boolean known() {
        return !processes.ownOnly() && podsKnown.getAsBoolean();
    }

    private void remember(Holdings holdings) {
        holdings.holders().stream().map(Holder::pods).flatMap(Set::stream).forEach(this::remember);
    }

    private void remember(PodRef pod) {
        remembered.remove(pod.uid());
        remembered.put(pod.uid(), pod);
        if (remembered.size() > MOST_REMEMBERED) {
            remembered.remove(remembered.keySet().iterator().next());
        }
    }

    private Set<Found> on(CardId card, Collection<Cgroup> cgroups, Holdings holdings) {
        return EndedPods.among(cgroups, holdings, remembered.keySet()).stream()
                .map(uid -> new Found(card, uid))
                .collect(Collectors.toSet());
    }

    private void publish(Set<Found> found) {
        Instant now = clock.instant();
        since.keySet().retainAll(found);
        found.forEach(each -> since.putIfAbsent(each, now));
        if (!found.equals(last)) {
            found.stream()
                    .filter(each -> !last.contains(each))
                    .forEach(each -> LOG.warn(
                            "{} still computes on card {}, which is not offered until that ends",
                            name(each),
                            each.card()));
            last.stream()
                    .filter(each -> !found.contains(each))
                    .forEach(each -> LOG.info("{} no longer computes on card {}", name(each), each.card()));
            last = Set.copyOf(found);
            latest.stillComputing(byName(found));
        }
    }

    private Map<String, Set<CardId>> byName(Set<Found> found) {
        return found.stream()
                .collect(Collectors.groupingBy(this::name, Collectors.mapping(Found::card, Collectors.toSet())));
    }

    private String name(Found found) {
        return Optional.ofNullable(remembered.get(found.uid()))
                .map(pod -> "pod " + pod + ", which has ended")
                .orElse("a pod that has ended (UID " + found.uid() + ")");
    }

    private void report() {
        Instant now = clock.instant();
        since.forEach((found, first) -> {
            if (!now.isBefore(first.plus(UNTIL_EVENT))) {
                events.warn(
                        node,
                        REASON,
                        "Card " + found.card() + " is not offered: processes of " + name(found)
                                + ", still compute there; nvidia-smi shows them. Kill them. One that can't be killed"
                                + " is stuck in the driver: drain and reboot the node.");
            }
        });
    }

    @Override
    public Optional<String> inUseBy(Collection<PodRef> next, Set<CardId> cards) {
        Instant start = clock.instant();
        while (true) {
            Optional<Map<CardId, List<Long>>> read = read(cards);
            Optional<String> found = read.flatMap(pids -> look(next, pids));
            if (found.isEmpty() || clock.instant().isAfter(start.plus(PATIENCE)) || !rested()) {
                return found;
            }
        }
    }

    private static boolean rested() {
        try {
            TimeUnit.MILLISECONDS.sleep(BETWEEN.toMillis());
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The processes on these cards; empty if the driver does not respond in time. */
    private Optional<Map<CardId, List<Long>>> read(Set<CardId> cards) {
        if (!known()) {
            return Optional.empty();
        }
        Future<Map<CardId, List<Long>>> read = reads.submit(() -> {
            Map<CardId, List<Long>> pids = new HashMap<>();
            cards.forEach(card -> pids.put(card, driver.apply(card)));
            return pids;
        });
        try {
            return Optional.of(read.get(LONGEST_READ.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException _) {
            read.cancel(true);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    private synchronized Optional<String> look(Collection<PodRef> next, Map<CardId, List<Long>> pids) {
        Holdings holdings = latest.now();
        remember(holdings);
        next.forEach(this::remember);
        Set<Found> here = new HashSet<>();
        pids.forEach((card, all) -> here.addAll(on(
                card,
                all.stream().map(processes::cgroup).flatMap(Optional::stream).toList(),
                holdings)));
        next.forEach(pod -> here.removeIf(each -> each.uid().equals(pod.uid())));
        Set<Found> found = new HashSet<>(here);
        last.stream().filter(each -> !pids.containsKey(each.card())).forEach(found::add);
        publish(found);
        List<String> names = new ArrayList<>(new TreeSet<>(byName(here).keySet()));
        return names.isEmpty() ? Optional.empty() : Optional.of(names.getFirst());
    }

    @Override
    public void close() {
        reads.shutdownNow();
    }
}
