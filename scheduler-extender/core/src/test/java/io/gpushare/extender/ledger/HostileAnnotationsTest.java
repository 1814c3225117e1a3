package io.gpushare.extender.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.pod.PodState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Thousands of invalid annotations on pods and nodes. */
class HostileAnnotationsTest {
    private static final long SEED = Long.getLong("gpushare.seed", 20261120);
    private static final int PODS = 20_000;
    private static final int BATCH = 40;
    private static final String INVENTORY = InventoryCodec.encode(TestCluster.cards(15, 15));
    private static final List<String> PIECES = List.of(
            "null",
            "{}",
            "[]",
            "-1",
            "0",
            "2147483648",
            "1e99",
            "\"\"",
            "\"GPU-0\"",
            "\"GPU-x\"",
            "true",
            "[[",
            "\\u0000");

    private final Random random = new Random(SEED);
    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();

    @Test
    void noAnnotationBreaksTheLedgerOrOutlivesItsPod() {
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", INVENTORY), HostResources.NONE);
        List<ClusterState.NodeView> before = ledger.state().nodes();
        List<PodRef> there = new ArrayList<>();
        int accepted = 0;
        for (int i = 0; i < PODS; i++) {
            PodState pod = pod(i);
            ledger.updatePod(pod);
            there.add(pod.ref());
            if (random.nextInt(10) == 0) {
                ledger.updateNode("n1", Map.of("gpushare.io/inventory", damaged(INVENTORY)), HostResources.NONE);
                ledger.updateNode("n1", Map.of("gpushare.io/inventory", INVENTORY), HostResources.NONE);
            }
            ledger.state()
                    .nodes()
                    .forEach(node -> node.cards()
                            .cards()
                            .forEach(card -> assertThat(card.free().units()).isBetween(0, 15)));
            if (there.size() == BATCH) {
                accepted += LedgerCounts.of(placer.ledger()).holding(Standing.SEEN);
                there.forEach(ledger::removePod);
                there.clear();
                assertThat(ledger.state().nodes()).isEqualTo(before);
                assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isZero();
            }
        }
        System.out.println("hostile annotations: seed " + SEED + ", " + PODS + " pods, " + accepted
                + " of them well-formed and for their demand");
        assertThat(accepted).isBetween(1, PODS - 1);
    }

    private PodState pod(int number) {
        int units = random.nextInt(1, 4);
        Map<String, String> annotations = new HashMap<>();
        String right = AllocationCodec.encode(TestCluster.memory("GPU-" + random.nextInt(3), units));
        annotations.put("gpushare.io/allocation", random.nextInt(4) == 0 ? right : damaged(right));
        for (String old : List.of("IDX", "POD", "DEV", "ASSIGNED", "ASSUME_TIME")) {
            if (random.nextBoolean()) {
                annotations.put("ALIYUN_COM_GPU_MEM_" + old, damaged(String.valueOf(random.nextInt(-2, 20))));
            }
        }
        if (random.nextInt(4) == 0) {
            annotations.remove("gpushare.io/allocation");
        }
        return PodBuilder.pod(new PodRef("uid-" + number, "default", "p-" + number))
                .on("n1")
                .annotations(annotations)
                .requesting("aliyun.com/gpu-mem", units)
                .build();
    }

    private String damaged(String right) {
        int at = random.nextInt(right.length() + 1);
        int to = Math.min(right.length(), at + random.nextInt(6));
        return switch (random.nextInt(4)) {
            case 0 -> right.substring(0, at);
            case 1 -> right.substring(0, at) + (char) random.nextInt(0x10000) + right.substring(to);
            case 2 -> right.substring(0, at) + PIECES.get(random.nextInt(PIECES.size())) + right.substring(to);
            default -> right.substring(at) + right;
        };
    }
}
