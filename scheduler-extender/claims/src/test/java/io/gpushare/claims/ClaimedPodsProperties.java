package io.gpushare.claims;

import static io.gpushare.claims.ShownCluster.TWO;
import static io.gpushare.claims.ShownCluster.allocated;
import static io.gpushare.claims.ShownCluster.annotated;
import static io.gpushare.claims.ShownCluster.card;
import static io.gpushare.claims.ShownCluster.claim;
import static io.gpushare.claims.ShownCluster.inventory;
import static io.gpushare.claims.ShownCluster.pod;
import static io.gpushare.claims.ShownCluster.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.pod.PodState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Pods, claims and nodes come, change and go in any order; what the ledger has follows from what there is. */
class ClaimedPodsProperties {
    private static final List<String> PODS = List.of("p", "q", "r");
    private static final List<String> CLAIMS = List.of("a", "b", "c");
    private static final List<String> NODES = List.of("n1", "n2");

    /** The last state of each object; null for one that is gone. */
    private final Map<String, @Nullable Consumer<ShownCluster>> last = new LinkedHashMap<>();

    @Property(tries = 500)
    void anyOrderOfEventsEndsInTheSameLedger(@ForAll long seed) {
        Random random = new Random(seed);
        last.clear();
        List<Deque<Consumer<ShownCluster>>> histories = new ArrayList<>();
        NODES.forEach(name -> histories.add(node(name, random)));
        PODS.forEach(name -> histories.add(pods(name, random)));
        CLAIMS.forEach(name -> histories.add(claims(name, random)));

        ShownCluster shown = new ShownCluster();
        while (!histories.isEmpty()) {
            Deque<Consumer<ShownCluster>> next = histories.get(random.nextInt(histories.size()));
            next.removeFirst().accept(shown);
            if (random.nextInt(4) == 0) {
                shown.pods.work();
            }
            if (next.isEmpty()) {
                histories.remove(next);
            }
        }
        List<Consumer<ShownCluster>> present = new ArrayList<>();
        last.values().forEach(each -> {
            if (each != null) {
                present.add(each);
            }
        });
        Collections.shuffle(present, random);
        ShownCluster fresh = new ShownCluster();
        present.forEach(each -> each.accept(fresh));

        assertThat(shown.held()).isEqualTo(fresh.held());
        assertThat(shown.waiting()).isEqualTo(fresh.waiting());
        assertThat(shown.ledger.state().pods().stream().map(pod -> pod.ref().uid()))
                .containsExactlyInAnyOrderElementsOf(fresh.ledger.state().pods().stream()
                        .map(pod -> pod.ref().uid())
                        .toList());
    }

    private Deque<Consumer<ShownCluster>> node(String name, Random random) {
        Deque<Consumer<ShownCluster>> history = new ArrayDeque<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            Inventory inventory = switch (random.nextInt(3)) {
                case 0 -> TWO;
                case 1 -> inventory(MemoryUnit.GIB, card("GPU-b", 0));
                default -> inventory(MemoryUnit.ofMib(512), card("GPU-a", 0), card("GPU-b", 1));
            };
            add(history, "node/" + name, cluster -> cluster.node(name, inventory));
        }
        if (random.nextInt(4) == 0) {
            history.add(cluster -> cluster.node(name, null));
            last.put("node/" + name, null);
        }
        return history;
    }

    private Deque<Consumer<ShownCluster>> pods(String name, Random random) {
        Deque<Consumer<ShownCluster>> history = new ArrayDeque<>();
        String[] named = CLAIMS.stream().filter(_ -> random.nextBoolean()).toArray(String[]::new);
        boolean requests = random.nextInt(3) == 0;
        PodState waiting = pod(name, null, requests ? ShownCluster.FIVE : List.of(), named);
        add(history, "pod/" + name, cluster -> cluster.pods.updatePod(waiting));
        if (random.nextInt(3) > 0) {
            String node = NODES.get(random.nextInt(2));
            PodState bound = requests ? annotated(name, node, 5, named) : pod(name, node, named);
            add(history, "pod/" + name, cluster -> cluster.pods.updatePod(bound));
        }
        if (random.nextInt(3) == 0) {
            history.add(cluster -> cluster.pods.removePod(ShownCluster.ref(name)));
            last.put("pod/" + name, null);
        }
        return history;
    }

    private Deque<Consumer<ShownCluster>> claims(String name, Random random) {
        Deque<Consumer<ShownCluster>> history = new ArrayDeque<>();
        ClaimState claim = claim(name, random.nextBoolean() ? "2Gi" : null);
        for (int i = random.nextInt(4); i >= 0; i--) {
            ClaimState now = random.nextInt(3) == 0 ? claim : random(claim, random);
            add(history, "claim/" + name, cluster -> cluster.pods.changed(now));
        }
        if (random.nextInt(4) == 0) {
            history.add(cluster -> cluster.pods.gone(claim));
            last.put("claim/" + name, null);
        }
        return history;
    }

    private static ClaimState random(ClaimState claim, Random random) {
        List<String> pods =
                new ArrayList<>(PODS.stream().filter(_ -> random.nextBoolean()).toList());
        Collections.shuffle(pods, random);
        return allocated(
                claim,
                pods,
                result(
                        NODES.get(random.nextInt(2)),
                        random.nextBoolean() ? "gpu-a" : "gpu-b",
                        random.nextBoolean() ? "2Gi" : null));
    }

    private void add(Deque<Consumer<ShownCluster>> history, String object, Consumer<ShownCluster> event) {
        history.add(event);
        last.put(object, event);
    }
}
