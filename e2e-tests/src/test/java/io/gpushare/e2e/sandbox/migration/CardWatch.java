package io.gpushare.e2e.sandbox.migration;

import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Watches which cards each container sees, by the environment that its kubelet gave it, and records when a card has
 * more than it can give. Annotations and the programs' own accounts play no part.
 */
final class CardWatch implements AutoCloseable {
    static final int MIB_OF_CARD = 15 * 1024;

    private static final int ALL_CORES = 100;

    private final ClusterApi cluster;
    private final Map<String, SimulatedKubelet> kubelets;
    private final Function<String, List<String>> cardsOfNode;
    private final int unitMib;
    private final Set<String> violations = new ConcurrentSkipListSet<>();
    private final Thread thread = new Thread(this::run, "card watch");

    /**
     * What running containers request of one card.
     *
     * @param slottedMib the memory in HAMi's words, in whole units
     * @param containers those with requests in HAMi's words
     * @param alone those that have it alone
     * @param all those with the card
     */
    record Load(int mib, int slottedMib, int cores, int containers, int alone, int all) {
        static final Load NONE = new Load(0, 0, 0, 0, 0, 0);

        private Load plus(Load other) {
            return new Load(
                    mib + other.mib,
                    slottedMib + other.slottedMib,
                    cores + other.cores,
                    containers + other.containers,
                    alone + other.alone,
                    all + other.all);
        }

        private boolean tooMuch() {
            return mib > MIB_OF_CARD || cores > ALL_CORES || containers > HamiPlugin.SLOTS || (alone > 0 && all > 1);
        }
    }

    /**
     * Starts to watch cards of {@value #MIB_OF_CARD} MiB.
     *
     * @param cardsOfNode the UUIDs of a node's cards in the order of their index
     * @param unitMib what pods request in units of
     */
    CardWatch(
            ClusterApi cluster,
            Map<String, SimulatedKubelet> kubelets,
            Function<String, List<String>> cardsOfNode,
            int unitMib) {
        this.cluster = cluster;
        this.kubelets = Map.copyOf(kubelets);
        this.cardsOfNode = cardsOfNode;
        this.unitMib = unitMib;
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * The cards that each container of a running pod sees, separated by commas. The container {@code main} has the name
     * of its pod, and others have theirs behind it.
     */
    Map<String, String> containers() {
        Map<String, String> seen = new TreeMap<>();
        running()
                .forEach(pod -> pod.containers().forEach(container -> {
                    String cards = String.join(",", cards(pod, container.name()));
                    String name = pod.name() + (container.name().equals("main") ? "" : "/" + container.name());
                    if (!cards.isEmpty()) {
                        seen.put(name, cards);
                    }
                }));
        return seen;
    }

    /** What is requested of each card that a running container sees. */
    Map<String, Load> loads() {
        Map<String, Load> loads = new HashMap<>();
        running()
                .forEach(pod -> pod.containers()
                        .forEach(container -> cards(pod, container.name())
                                .forEach(card -> loads.merge(card, load(container), Load::plus))));
        return loads;
    }

    /** What was wrong at any time since the start. */
    Set<String> violations() {
        return violations;
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                loads().forEach((card, load) -> {
                    if (load.tooMuch()) {
                        violations.add(card + ": " + load);
                    }
                });
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            violations.add("the watch failed: " + e);
        }
    }

    private Load load(PodDocument.Container container) {
        HamiRequest request = HamiRequest.of(container);
        if (request.cards() > 0) {
            int cores = request.coresOf(MIB_OF_CARD);
            int mib = request.mibOf(MIB_OF_CARD);
            // A percentage is cut to whole units.
            int units = request.mib() > 0 ? Math.ceilDiv(mib, unitMib) : mib / unitMib;
            return new Load(mib, units * unitMib, cores, 1, cores == ALL_CORES ? 1 : 0, 1);
        }
        int units = amount(container, PodSpec.MEMORY);
        return new Load(units * unitMib, 0, 0, 0, amount(container, PodSpec.CARDS) > 0 ? 1 : 0, 1);
    }

    private static int amount(PodDocument.Container container, String resource) {
        return container.limits().getOrDefault(resource, BigDecimal.ZERO).intValue();
    }

    private Stream<PodDocument> running() {
        return cluster.pods().stream().filter(pod -> pod.phase().equals("Running"));
    }

    /**
     * The UUIDs of the cards that the container sees: by their index from gpushare's plugin, by their UUIDs from
     * others. None if the kubelet has removed the pod since the API was read.
     */
    private List<String> cards(PodDocument pod, String container) {
        String sees = Objects.requireNonNull(kubelets.get(pod.node()))
                .environment(pod.namespace(), pod.name(), container)
                .getOrDefault("NVIDIA_VISIBLE_DEVICES", "");
        List<String> cards = cardsOfNode.apply(pod.node());
        return Stream.of(sees.split(",", -1))
                .filter(card -> !card.isEmpty())
                .map(card -> card.matches("[0-9]+") ? cards.get(Integer.parseInt(card)) : card)
                .toList();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
