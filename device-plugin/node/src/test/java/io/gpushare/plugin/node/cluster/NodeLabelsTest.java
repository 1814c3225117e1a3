package io.gpushare.plugin.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.NodeState;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeLabelsTest {
    private static final String COUNT = "nvidia.com/gpu.count";
    private static final String FAMILY = "nvidia.com/gpu.family";
    private static final Inventory.Driver DRIVER = new Inventory.Driver("580.95.05", "13.0");

    @Test
    void theLabelsHaveNvidiasNamesAndFormats() {
        Inventory node = new Inventory(
                MemoryUnit.GIB,
                DRIVER,
                List.of(
                        card(0, "NVIDIA A100-SXM4-80GB", 81_920, new ComputeCapability(8, 0), false),
                        card(1, "Tesla T4", 15_360, new ComputeCapability(7, 5), null)));
        assertThat(NodeLabels.of(node))
                .isEqualTo(Map.ofEntries(
                        Map.entry("nvidia.com/gpu.count", "2"),
                        Map.entry("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB"),
                        Map.entry("nvidia.com/gpu.memory", "81920"),
                        Map.entry("nvidia.com/gpu.family", "ampere"),
                        Map.entry("nvidia.com/gpu.compute.major", "8"),
                        Map.entry("nvidia.com/gpu.compute.minor", "0"),
                        Map.entry("nvidia.com/mig.capable", "true"),
                        Map.entry("nvidia.com/mps.capable", "false"),
                        Map.entry("nvidia.com/cuda.driver-version.major", "580"),
                        Map.entry("nvidia.com/cuda.driver-version.minor", "95"),
                        Map.entry("nvidia.com/cuda.driver-version.revision", "05"),
                        Map.entry("nvidia.com/cuda.driver-version.full", "580.95.05"),
                        Map.entry("nvidia.com/cuda.runtime-version.major", "13"),
                        Map.entry("nvidia.com/cuda.runtime-version.minor", "0"),
                        Map.entry("nvidia.com/cuda.runtime-version.full", "13.0"),
                        Map.entry("nvidia.com/cuda.driver.major", "580"),
                        Map.entry("nvidia.com/cuda.driver.minor", "95"),
                        Map.entry("nvidia.com/cuda.driver.rev", "05"),
                        Map.entry("nvidia.com/cuda.runtime.major", "13"),
                        Map.entry("nvidia.com/cuda.runtime.minor", "0")));
        assertThat(NodeLabels.of(new Inventory(MemoryUnit.GIB, DRIVER, List.of())))
                .isEmpty();
    }

    @Test
    void aNodeWithMpsIsLabelledAsFeatureDiscoveryDoes() {
        Card card = card(0, "Tesla T4", 15_360, new ComputeCapability(7, 5), null);
        Inventory node =
                new Inventory(MemoryUnit.GIB, DRIVER, List.of(card.withIsolation(CardIsolation.of(Isolation.MPS))));
        assertThat(NodeLabels.of(node))
                .containsEntry("nvidia.com/mps.capable", "true")
                .containsEntry("nvidia.com/gpu.sharing-strategy", "mps");
    }

    @Test
    void aLostCardThatWasReplacedDoesNotNameTheModel() {
        Card lost = card(0, "Tesla T4", 15_360, new ComputeCapability(7, 5), null)
                .withHealth(new Health.Unhealthy("the driver no longer lists it"));
        Card next = card(1, "NVIDIA H100 80GB HBM3", 81_559, new ComputeCapability(9, 0), false);
        assertThat(NodeLabels.of(new Inventory(MemoryUnit.GIB, DRIVER, List.of(lost, next))))
                .containsEntry("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3");
        assertThat(NodeLabels.of(new Inventory(MemoryUnit.GIB, DRIVER, List.of(lost))))
                .containsEntry("nvidia.com/gpu.product", "Tesla-T4");
    }

    @Test
    void anyModelNameBecomesAValidLabelValue() {
        Inventory node = new Inventory(
                MemoryUnit.GIB, DRIVER, List.of(card(0, " (ÄGPU) " + "x y/".repeat(40), 1024, null, null)));
        assertThat(NodeLabels.of(node).get("nvidia.com/gpu.product"))
                .matches("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
                .startsWith("GPU-x-y-x-y");
    }

    @Test
    void aMissingLabelIsWrittenAndRecorded() {
        assertChange(
                change(Map.of(), "", Map.of(COUNT, "2", FAMILY, "ampere")),
                labels(COUNT, "2", FAMILY, "ampere"),
                "gpu.count=2,gpu.family=ampere");
    }

    @Test
    void aCorrectLabelIsNotWrittenAgain() {
        assertThat(change(Map.of(COUNT, "2"), "gpu.count=2", Map.of(COUNT, "2")).isEmpty())
                .isTrue();
    }

    @Test
    void labelsOfThisPluginFollowTheCards() {
        assertChange(
                change(Map.of(COUNT, "2", FAMILY, "ampere"), "gpu.count=2,gpu.family=ampere", Map.of(COUNT, "1")),
                labels(COUNT, "1", FAMILY, null),
                "gpu.count=1");
    }

    @Test
    void labelsOfOthersStayEvenIfTheyAreEqual() {
        assertChange(
                change(Map.of(COUNT, "9", FAMILY, "ampere"), "", Map.of(COUNT, "2", FAMILY, "ampere")), labels(), null);
        assertChange(change(Map.of(COUNT, "9"), "gpu.count=2", Map.of(COUNT, "3")), labels(), "");
        assertChange(change(Map.of(COUNT, "9"), "gpu.count=2", Map.of()), labels(), "");
    }

    @Test
    void nothingIsWrittenWhereGpuFeatureDiscoveryRuns() {
        assertChange(
                change(Map.of(COUNT, "2", "nvidia.com/gfd.timestamp", "1"), "gpu.count=2", Map.of(COUNT, "3")),
                labels(),
                "");
        assertThat(change(Map.of("nvidia.com/gfd.timestamp", "1"), "", Map.of(COUNT, "3"))
                        .isEmpty())
                .isTrue();
    }

    private static NodeLabels.Change change(Map<String, String> present, String record, Map<String, String> desired) {
        Map<String, String> annotations = record.isEmpty() ? Map.of() : Map.of("gpushare.io/labels", record);
        return NodeLabels.change(
                new NodeState("n1", "uid-n1", annotations, present, HostResources.NONE, Map.of(), null, List.of()),
                desired);
    }

    private static void assertChange(
            NodeLabels.Change change, Map<String, @Nullable String> labels, @Nullable String record) {
        assertThat(change.labels()).isEqualTo(labels);
        assertThat(change.annotations()).isEqualTo(record == null ? Map.of() : Map.of("gpushare.io/labels", record));
    }

    private static Map<String, @Nullable String> labels(@Nullable String... pairs) {
        Map<String, @Nullable String> labels = new HashMap<>();
        var left = Arrays.asList(pairs).iterator();
        while (left.hasNext()) {
            labels.put(String.valueOf(left.next()), left.next());
        }
        return labels;
    }

    @Test
    void instancesHaveTheLabelsOfNvidiasStrategyMixed() {
        Inventory node = new Inventory(
                MemoryUnit.GIB,
                DRIVER,
                List.of(
                        card(0, "NVIDIA H100 80GB HBM3", 81_559, new ComputeCapability(9, 0), false),
                        TestPods.instance("MIG-1", 1, "3g.40gb", 39),
                        TestPods.instance("MIG-2", 2, "1g.10gb+me", 9),
                        TestPods.instance("MIG-3", 3, "1g.10gb+me", 9)));
        assertThat(NodeLabels.of(node))
                .containsEntry(COUNT, "2")
                .containsEntry("nvidia.com/gpu.memory", "81559")
                .containsEntry("nvidia.com/mig.strategy", "mixed")
                .containsEntry("nvidia.com/mig-3g.40gb.count", "1")
                .containsEntry("nvidia.com/mig-3g.40gb.memory", "39936")
                .containsEntry("nvidia.com/mig-1g.10gb.me.count", "2");
    }

    private static Card card(
            int index, String model, int mib, @Nullable ComputeCapability compute, @Nullable Boolean mig) {
        return new Card(
                new CardId("GPU-" + index),
                index,
                index,
                model,
                Memory.ofMib(mib),
                new Card.Details(compute, null, null, mig));
    }
}
