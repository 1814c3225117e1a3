package io.gpushare.e2e.sandbox.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.scheduler.SimulatedScheduler;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Two nodes in use move from gpushare to this project and back in the order of
 * deploy/docs/operate/migrate-from-gpushare.md, with the real programs and doubles of gpushare's.
 */
class GpushareMigrationIT extends MigrationScenario {
    private static final int UNITS = 15;
    private static final String DEFAULT = "default-scheduler";
    private static final Duration PAST_GRACE = Duration.ofMinutes(6);
    private static final String ASSIGNED = "ALIYUN_COM_GPU_MEM_ASSIGNED";

    GpushareMigrationIT() {
        super(1024);
    }

    @Override
    AutoCloseable formerPlugin(String node, Path kubelet) throws IOException {
        return new GpusharePlugin(node, cards(node), UNITS, kubelet, api());
    }

    @Test
    void nodesInUseMoveOneAfterTheOtherAndBackAgain() throws Exception {
        Map<String, Program> ours = new HashMap<>();
        GpushareExtender extender = keep(new GpushareExtender(api(), 2, UNITS));
        SimulatedScheduler scheduler = scheduler(DEFAULT, extender.uri(), Set.of(PodSpec.MEMORY), List.of());
        // No two of the first four fit on one card.
        for (int units : List.of(10, 12, 9, 8, 4, 2)) {
            create(PodSpec.sharing("old-" + units, 3600, units));
            awaitPhase("old-" + units, "Running");
        }
        create(PodSpec.sharing("ended", 1, 3));
        awaitPhase("ended", "Succeeded");
        // gpushare's plugin gave the card, and its patch failed.
        api().annotate(api().pod("old-4"), Map.of(ASSIGNED, "false"));
        Map<String, String> before = watch().containers();
        assertThat(before).hasSize(6);

        for (String node : NODES) {
            ours.put(node, move(node));
            // gpushare's extender still binds: to the node of our plugin, and to the other one.
            int more = node.equals("n1") ? 1 : 3;
            create(PodSpec.sharing("between-" + more, 3600, more));
            create(PodSpec.sharing("between-" + (more + 1), 3600, more + 1));
            awaitPhase("between-" + more, "Running");
            awaitPhase("between-" + (more + 1), "Running");
        }
        // Whole cards wait: every card has a pod. On a node of gpushare they would run without one: its count is a
        // number
        // that its plugin wrote, and no device.
        create(PodSpec.whole("whole-1", 3600, 1));
        create(PodSpec.whole("whole-2", 3600, 1));

        scheduler.close();
        extender.close();
        URI our = startExtender();
        SimulatedScheduler second = scheduler(DEFAULT, our, Set.of(PodSpec.MEMORY, PodSpec.CARDS), List.of());
        create(PodSpec.sharing("too-large", 3600, UNITS));
        create(PodSpec.sharing("new", 3600, 1));
        awaitPhase("new", "Running");
        await(() -> !api().pod("too-large").waitingReason().isEmpty());
        assertThat(api().pod("whole-1").phase()).isEqualTo("Pending");
        assertThat(watch().containers()).containsAllEntriesOf(before);

        // The first card without a pod goes to a pod that waits, whole; everything else stays where it is.
        String freed = Objects.requireNonNull(before.get("old-12"));
        List<String> gone = watch().containers().entrySet().stream()
                .filter(entry -> entry.getValue().equals(freed))
                .map(Map.Entry::getKey)
                .toList();
        gone.forEach(api()::delete);
        await(() -> watch().containers().containsValue(freed)
                && watch().containers().keySet().stream().noneMatch(gone::contains));
        before.keySet().removeAll(gone);
        assertThat(watch().containers()).containsAllEntriesOf(before);

        // gpushare does not know whole cards.
        List.of("whole-1", "whole-2", "too-large").forEach(api()::delete);
        second.close();
        GpushareExtender again = keep(new GpushareExtender(api(), 2, UNITS));
        scheduler(DEFAULT, again.uri(), Set.of(PodSpec.MEMORY), List.of());
        for (String node : NODES) {
            moveBack(node, Objects.requireNonNull(ours.get(node)));
        }
        create(PodSpec.sharing("back", 3600, 1));
        awaitPhase("back", "Running");
        assertThat(watch().containers()).containsAllEntriesOf(before);
        assertThat(watch().violations()).isEmpty();
        assertThat(api().pods()).noneMatch(pod -> pod.phase().equals("Failed"));
    }

    /**
     * Moves the node from our device plugin back to gpushare's, which starts once the kubelet has forgotten our count;
     * on the first node it starts before, and again afterwards.
     */
    private void moveBack(String node, Program plugin) throws Exception {
        api().unschedulable(node, true);
        plugin.close();
        boolean early = node.equals(NODES.getFirst());
        if (early) {
            startFormer(node);
            await(() -> kubelet(node).allocatable(PodSpec.MEMORY) == 2 * UNITS);
        }
        pass(PAST_GRACE);
        await(() -> api().capacity(node, PodSpec.CARDS).equals("0"));
        if (early) {
            endFormer(node);
        }
        api().removeAnnotations(node, INVENTORY);
        startFormer(node);
        await(() -> kubelet(node).allocatable(PodSpec.MEMORY) == 2 * UNITS);
        api().unschedulable(node, false);
        pass(Duration.ofMinutes(20));
        Patience.await()
                .during(Duration.ofSeconds(3))
                .until(
                        () -> api().capacity(node, PodSpec.CARDS) + " " + api().capacity(node, PodSpec.MEMORY),
                        "2 30"::equals);
    }

    /** Moves the node from gpushare's device plugin to ours. */
    private Program move(String node) throws Exception {
        await(() -> kubelet(node).allocatable(PodSpec.MEMORY) == 2 * UNITS);
        api().unschedulable(node, true);
        Program plugin = replaceFormer(node);
        await(() -> kubelet(node).allocatable(PodSpec.MEMORY) == 2 * UNITS);
        awaitAdoption(node);
        assertThat(running(node))
                .allSatisfy(pod -> assertThat(pod.annotation(ASSIGNED)).isEqualTo("true"));
        assertThat(api().pod("ended").annotation(ALLOCATION)).isEmpty();
        plugin.checkAlive();
        api().unschedulable(node, false);
        return plugin;
    }

    private void create(PodSpec pod) {
        api().create(pod.document());
    }
}
