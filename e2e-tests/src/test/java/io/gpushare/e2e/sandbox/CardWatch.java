package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;

/**
 * Watches which card each container sees, by the environment that its kubelet gave it, and records when a card has more
 * than it can give. Annotations and the programs' own accounts play no part.
 */
final class CardWatch implements AutoCloseable {
    /** The card of a pod that the kubelet has removed since the API was read. */
    private static final String GONE = "gone";

    private final ApiClient cluster;
    private final Map<String, SimulatedKubelet> kubelets;
    private final Function<String, List<String>> cardsOfNode;
    private final int unitsOfCard;
    private final Set<String> violations = new ConcurrentSkipListSet<>();
    private final Thread thread = new Thread(this::run, "card watch");

    private CardWatch(
            ApiClient cluster,
            Map<String, SimulatedKubelet> kubelets,
            Function<String, List<String>> cardsOfNode,
            int unitsOfCard) {
        this.cluster = cluster;
        this.kubelets = Map.copyOf(kubelets);
        this.cardsOfNode = cardsOfNode;
        this.unitsOfCard = unitsOfCard;
    }

    /**
     * Starts to watch.
     *
     * @param cardsOfNode the UUIDs of a node's cards in the order of their index
     */
    static CardWatch start(
            ApiClient cluster,
            Map<String, SimulatedKubelet> kubelets,
            Function<String, List<String>> cardsOfNode,
            int unitsOfCard) {
        CardWatch watch = new CardWatch(cluster, kubelets, cardsOfNode, unitsOfCard);
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    /** The card that each running pod sees, by the pod's name. */
    Map<String, String> containers() {
        Map<String, String> seen = new HashMap<>();
        for (PodDocument pod : running()) {
            seen.put(pod.name(), card(pod));
        }
        return seen;
    }

    /** What was wrong at any time since the start. */
    Set<String> violations() {
        return violations;
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                check();
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            violations.add("the watch failed: " + e);
        }
    }

    private void check() {
        Map<String, Integer> units = new HashMap<>();
        Map<String, Integer> whole = new HashMap<>();
        for (PodDocument pod : running()) {
            String card = card(pod);
            if (card.equals(GONE)) {
                continue;
            }
            units.merge(card, GpushareExtender.units(pod), Integer::sum);
            whole.merge(card, wholeCards(pod), Integer::sum);
        }
        units.forEach((card, sum) -> {
            int taken = Objects.requireNonNull(whole.get(card));
            if (sum > unitsOfCard || taken > 1 || (taken > 0 && sum > 0)) {
                violations.add(card + ": " + sum + " units and " + taken + " whole");
            }
        });
    }

    private static int wholeCards(PodDocument pod) {
        return pod.containers().stream()
                .map(container -> container.limits().getOrDefault(PodSpec.CARDS, BigDecimal.ZERO))
                .mapToInt(BigDecimal::intValue)
                .sum();
    }

    private List<PodDocument> running() {
        List<PodDocument> running = new ArrayList<>();
        GpushareExtender.send(() -> cluster.get("/api/v1/pods"))
                .document()
                .path("items")
                .forEach(object -> {
                    PodDocument pod = new PodDocument((ObjectNode) object);
                    if (pod.phase().equals("Running")) {
                        running.add(pod);
                    }
                });
        return running;
    }

    /**
     * The UUID of the card that the pod's container sees: by its index from gpushare's plugin, by its UUID from ours.
     */
    private String card(PodDocument pod) {
        String sees = Objects.requireNonNull(kubelets.get(pod.node()))
                .environment(pod.namespace(), pod.name(), "main")
                .getOrDefault("NVIDIA_VISIBLE_DEVICES", GONE);
        List<String> cards = cardsOfNode.apply(pod.node());
        return sees.matches("[0-9]+") ? cards.get(Integer.parseInt(sees)) : sees;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
