package io.gpushare.e2e.sandbox.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.migration.HamiDevices.Device;
import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.scheduler.SimulatedScheduler;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Two nodes in use move from HAMi to this project and back again, in the order of
 * deploy/docs/operate/migrate-from-hami.md, with the real programs and doubles of HAMi's. When a node moves, it has
 * pods of every stage: HAMi's scheduler chose cards, HAMi's scheduler bound the pod, running, failed, ended, and
 * waiting.
 */
class HamiClusterMigrationIT extends MigrationScenario {
    private static final int UNIT_MIB = 256;
    private static final int UNITS = 60;
    private static final String HAMI = "hami-scheduler";
    private static final String DEFAULT = "default-scheduler";
    private static final String ONE = HamiRequest.CARDS + "=1 ";
    private static final String MIB = ONE + HamiRequest.MEMORY + "=";

    private static final SortedMap<String, List<String>> RUNNING = new TreeMap<>(Map.of(
            "small", List.of(MIB + "3000"),
            "cores", List.of(MIB + "7000 " + HamiRequest.CORES + "=30"),
            "pair", List.of(HamiRequest.CARDS + "=2 " + HamiRequest.MEMORY + "=2000"),
            "part", List.of(ONE + HamiRequest.PERCENTAGE + "=20"),
            "both", List.of(MIB + "1000", MIB + "1500"),
            "elsewhere", List.of(MIB + "700"),
            "nonsense", List.of(MIB + "700")));

    /** Pods with annotations that HAMi's programs did not write. */
    private static final List<String> FORGED = List.of("elsewhere", "nonsense", "none");

    HamiClusterMigrationIT() {
        super(UNIT_MIB, "--hami", "--memory-unit=" + UNIT_MIB + "MiB");
    }

    @Override
    AutoCloseable formerPlugin(String node, Path kubelet) throws IOException {
        return new HamiPlugin(node, cards(node), CardWatch.MIB_OF_CARD, kubelet, api());
    }

    @Test
    void nodesInUseMoveOneAfterTheOtherAndBackAgain() throws Exception {
        HamiScheduler hami = keep(new HamiScheduler(api()));
        SimulatedScheduler hamis = scheduler(HAMI, hami.uri(), Set.copyOf(HamiRequest.NAMES), HamiRequest.NAMES);
        URI extender = startExtender();
        schedulerOfOurs(DEFAULT, extender);
        Map<String, Program> ours = new HashMap<>();

        NODES.forEach(this::fill);
        for (String node : NODES) {
            ours.put(node, move(node, hami));
        }
        Map<String, String> before = watch().containers();

        hamis.close();
        hami.close();
        SimulatedScheduler renamed = schedulerOfOurs(HAMI, extender);
        for (String node : NODES) {
            // HAMi's scheduler chose cards, and did not come to bind.
            awaitPhase("chosen-" + node, "Running");
            api().removeAnnotations(node, HamiDevices.HANDSHAKE, HamiDevices.LOCK);
        }
        // The first card that loses its pods goes to a pod that waits, whole; everything else stays where it is.
        Set<String> gone = empty(cards("n1").getFirst());
        awaitPhase("whole-n1", "Running");
        before.keySet().removeAll(gone);
        assertThat(watch().containers())
                .containsAllEntriesOf(before)
                .containsEntry("whole-n1", cards("n1").getFirst());
        assertThat(api().pod("whole-n2").phase()).isEqualTo("Pending");
        NODES.forEach(this::assertCapacity);

        // HAMi does not know the first, and trusts what is written on the others.
        List<String> left = api().pods().stream()
                .map(PodDocument::name)
                .filter(name -> name.startsWith("units") || FORGED.contains(name.split("-", 2)[0]))
                .toList();
        left.forEach(api()::delete);
        await(() -> api().pods().stream().map(PodDocument::name).noneMatch(left::contains));
        before.keySet().removeIf(pod -> !watch().containers().containsKey(pod));
        renamed.close();
        HamiScheduler again = keep(new HamiScheduler(api()));
        scheduler(HAMI, again.uri(), Set.copyOf(HamiRequest.NAMES), HamiRequest.NAMES);
        for (String node : NODES) {
            assertCountedRight(node, again);
            moveBack(node, Objects.requireNonNull(ours.get(node)), again);
            assertCountedRight(node, again);
        }
        assertThat(watch().containers()).containsAllEntriesOf(before);
        // Whole cards in HAMi's words wait as before, and get their card.
        empty(cards("n2").getLast());
        awaitPhase("whole-n2", "Running");

        assertThat(watch().violations()).isEmpty();
        assertThat(api().pods().stream()
                        .filter(pod -> pod.phase().equals("Failed"))
                        .map(PodDocument::name))
                .containsExactlyInAnyOrder("failed-n1", "failed-n2", "forged-n1", "forged-n2");
        api().pods().forEach(pod -> api().delete(pod.name()));
        await(() -> api().pods().isEmpty());
        for (String node : NODES) {
            assertThat(again.uses(node).values()).containsOnly(HamiScheduler.Use.NONE);
            assertThat(kubelet(node).allocatable(HamiRequest.CARDS)).isEqualTo(2 * HamiPlugin.SLOTS);
        }
    }

    /** Pods of the node that run, have ended, have failed, and wait. */
    private void fill(String node) {
        await(() -> kubelet(node).allocatable(HamiRequest.CARDS) == 2 * HamiPlugin.SLOTS);
        RUNNING.forEach((name, containers) -> {
            run(name + "-" + node, HAMI, node, containers);
        });
        create("ended-" + node, HAMI, node, 1, List.of(MIB + "500"));
        awaitPhase("ended-" + node, "Succeeded");
        Runnable admit = kubelet(node).holdAdmission();
        create("failed-" + node, HAMI, node, 3600, List.of(MIB + "500"));
        await(() -> api().pod("failed-" + node).annotation(HamiDevices.PHASE).equals(HamiDevices.ALLOCATING));
        await(() -> api().pod("failed-" + node).node().equals(node));
        api().annotate(api().pod("failed-" + node), Map.of(HamiDevices.TO_ALLOCATE, "device number not matched"));
        admit.run();
        awaitPhase("failed-" + node, "Failed");
        create("whole-" + node, HAMI, node, 3600, List.of(ONE));
        await(() -> !api().pod("whole-" + node).waitingReason().isEmpty());
        // Someone else writes HAMi's annotation: the card of another pod, or anything.
        String has = watch().containers().get("elsewhere-" + node);
        String other = cards(node).get(cards(node).getFirst().equals(has) ? 1 : 0);
        api().annotate(
                        api().pod("elsewhere-" + node),
                        Map.of(HamiDevices.ALLOCATED, HamiDevices.write(List.of(List.of(new Device(other, 700, 0))))));
        api().annotate(api().pod("nonsense-" + node), Map.of(HamiDevices.ALLOCATED, "GPU-0,NVIDIA,-1;;::,,,"));
    }

    /** Moves the node from HAMi's device plugin to ours. */
    private Program move(String node, HamiScheduler hami) throws Exception {
        Map<String, String> before = watch().containers();
        Runnable admit = kubelet(node).holdAdmission();
        String bound = "bound-" + node;
        create(bound, HAMI, node, 3600, List.of(MIB + "600", MIB + "300"));
        await(() -> api().pod(bound).node().equals(node));
        String chosen = "chosen-" + node;
        create(chosen, HAMI, node, 3600, List.of(MIB + "500"));
        await(() -> api().pod(chosen).waitingReason().contains("locked"));
        assertThat(api().pod(chosen).annotation(HamiDevices.NODE)).isEqualTo(node);
        api().unschedulable(node, true);
        Program plugin = replaceFormer(node);
        admit.run();

        awaitPhase(bound, "Running");
        List<List<Device>> devices = HamiDevices.read(api().pod(bound), HamiDevices.ALLOCATED);
        assertThat(watch().containers())
                .containsAllEntriesOf(before)
                .containsEntry(bound, devices.getFirst().getFirst().card())
                .containsEntry(bound + "/c1", devices.getLast().getFirst().card());
        awaitAdoption(node);
        for (String none : List.of("ended", "failed", "whole", "chosen")) {
            assertThat(api().pod(none + "-" + node).annotation(ALLOCATION)).isEmpty();
        }
        assertForgedGivesNothing(node);
        hami.forget(node);
        api().unschedulable(node, false);

        // HAMi's scheduler binds to the nodes of HAMi, and our extender to ours.
        run("units-" + node, DEFAULT, node, List.of(PodSpec.MEMORY + "=4"));
        run("early-" + node, DEFAULT, "", List.of(MIB + "900"));
        if (node.equals("n1")) {
            assertThat(api().pod("early-n1").node()).isEqualTo("n1");
            run("late", HAMI, "", List.of(MIB + "800"));
            assertThat(api().pod("late").node()).isEqualTo("n2");
        }
        assertThat(api().pod(chosen).node()).isEmpty();
        assertCapacity(node);
        plugin.checkAlive();
        return plugin;
    }

    /** Pods that are bound with annotations of their own get no card, or are refused. */
    private void assertForgedGivesNothing(String node) {
        Map<String, CardWatch.Load> loads = watch().loads();
        String card = cards(node).getFirst();
        ObjectNode forged = new ScheduledPod("forged-" + node, DEFAULT, "", 3600, List.of(MIB + "3000")).document();
        ObjectNode none = new ScheduledPod("none-" + node, DEFAULT, "", 3600, List.of("")).document();
        for (ObjectNode pod : List.of(forged, none)) {
            pod.withObject("/metadata/annotations")
                    .put(HamiDevices.NODE, node)
                    .put(HamiDevices.PHASE, HamiDevices.ALLOCATING)
                    .put(HamiDevices.BOUND_AT, "1")
                    .put(HamiDevices.TO_ALLOCATE, card + ",NVIDIA,1,0:;")
                    .put(HamiDevices.ALLOCATED, card + ",NVIDIA,1,0:;");
            pod.withObject("/spec").put("nodeName", node);
            api().create(pod);
        }
        awaitPhase("forged-" + node, "Failed");
        assertThat(api().pod("forged-" + node).document().at("/status/message").asText())
                .contains("less than it requests");
        // Otherwise HAMi's plugin would give its card to a later pod, once the node is back.
        await(() -> api().pod("forged-" + node).annotation(HamiDevices.PHASE).equals(HamiDevices.FAILED));
        awaitPhase("none-" + node, "Running");
        assertThat(watch().loads()).isEqualTo(loads);
    }

    /** Moves the node from our device plugin to HAMi's. */
    private void moveBack(String node, Program ours, HamiScheduler hami) throws Exception {
        Map<String, String> before = watch().containers();
        // Our plugin registers the node with HAMi's scheduler, and serves a pod that it binds.
        run("served-" + node, HAMI, node, List.of(MIB + "400"));
        api().removeAnnotations(node, HamiDevices.LOCK);
        Runnable admit = kubelet(node).holdAdmission();
        String bound = "back-" + node;
        create(bound, HAMI, node, 3600, List.of(MIB + "600", MIB + "300"));
        await(() -> api().pod(bound).node().equals(node));
        api().unschedulable(node, true);
        ours.close();
        hami.forget(node);
        api().removeAnnotations(node, INVENTORY, HamiDevices.REGISTER, HamiDevices.HANDSHAKE);
        startFormer(node);
        await(() -> kubelet(node).allocatable(HamiRequest.CARDS) == 2 * HamiPlugin.SLOTS);
        admit.run();
        awaitPhase(bound, "Running");
        assertThat(api().pod(bound).annotation(HamiDevices.PHASE)).isEqualTo(HamiDevices.SUCCESS);
        api().unschedulable(node, false);
        // What our plugin alone had registered expires; the resource that HAMi's registered after it stays.
        pass(Duration.ofMinutes(6));
        await(() -> api().capacity(node, PodSpec.MEMORY).equals("0"));
        assertThat(kubelet(node).allocatable(HamiRequest.CARDS)).isEqualTo(2 * HamiPlugin.SLOTS);
        run("after-" + node, HAMI, node, List.of(MIB + "500 " + HamiRequest.CORES + "=10"));
        assertThat(watch().containers()).containsAllEntriesOf(before);
    }

    /**
     * Each card has as many containers by HAMi's account as see it, and the memory that they request, or that in units.
     */
    private void assertCountedRight(String node, HamiScheduler hami) {
        Map<String, CardWatch.Load> loads = watch().loads();
        assertThat(hami.uses(node)).hasSize(2).allSatisfy((card, use) -> {
            CardWatch.Load load = loads.getOrDefault(card, CardWatch.Load.NONE);
            assertThat(use.containers()).as(card).isEqualTo(load.containers());
            assertThat(use.cores()).as(card).isEqualTo(load.cores());
            assertThat(use.mib()).as(card).isBetween(load.mib(), load.slottedMib());
        });
    }

    /** The node offers exactly what is left of its cards. */
    private void assertCapacity(String node) {
        await("capacity of " + node, () -> {
            Map<String, CardWatch.Load> loads = watch().loads();
            List<CardWatch.Load> cards = cards(node).stream()
                    .map(card -> loads.getOrDefault(card, CardWatch.Load.NONE))
                    .toList();
            int taken = cards.stream()
                    .mapToInt(load -> load.slottedMib() / UNIT_MIB)
                    .sum();
            return kubelet(node).allocatable(PodSpec.MEMORY) == 2 * UNITS - taken
                    && kubelet(node).allocatable(PodSpec.CARDS) == Collections.frequency(cards, CardWatch.Load.NONE);
        });
    }

    /** Deletes the pods that see the card; returns their containers. */
    private Set<String> empty(String card) {
        Map<String, String> containers = watch().containers();
        Set<String> pods = containers.entrySet().stream()
                .filter(seen -> seen.getValue().contains(card))
                .map(seen -> pod(seen.getKey()))
                .collect(Collectors.toSet());
        pods.forEach(api()::delete);
        return containers.keySet().stream()
                .filter(name -> pods.contains(pod(name)))
                .collect(Collectors.toSet());
    }

    private SimulatedScheduler schedulerOfOurs(String name, URI extender) {
        List<String> ignored = HamiRequest.NAMES.subList(1, HamiRequest.NAMES.size());
        Set<String> managed = Stream.concat(Stream.of(PodSpec.MEMORY, PodSpec.CARDS), HamiRequest.NAMES.stream())
                .collect(Collectors.toSet());
        return scheduler(name, extender, managed, ignored);
    }

    private void run(String name, String scheduler, String node, List<String> containers) {
        create(name, scheduler, node, 3600, containers);
        awaitPhase(name, "Running");
    }

    private void create(String name, String scheduler, String node, int seconds, List<String> containers) {
        api().create(new ScheduledPod(name, scheduler, node, seconds, containers).document());
    }
}
