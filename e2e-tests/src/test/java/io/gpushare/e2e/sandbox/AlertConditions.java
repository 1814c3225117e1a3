package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/** Causes the conditions of the alerts of deploy/monitoring in a sandbox of two nodes. */
final class AlertConditions {
    static final SandboxNode A = new SandboxNode("node-a", List.of("kind=T4 memory=15GiB", "kind=T4 memory=15GiB"));
    static final SandboxNode B = new SandboxNode("node-b", List.of("kind=A10 memory=24GiB", "kind=L40S memory=48GiB"));
    /** The index of the card of node-a that a process outside of pods uses. */
    static final int FOREIGN = 0;

    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int LONG = 900;

    private final SandboxCluster sandbox;

    AlertConditions(SandboxCluster sandbox) {
        this.sandbox = sandbox;
    }

    /** Starts the two nodes, and waits until they offer their cards. */
    static void start(SandboxCluster sandbox) throws Exception {
        sandbox.start(List.of(A, B));
        Await.until(
                PATIENCE,
                "both nodes offer their cards",
                () -> {
                    try {
                        sandbox.checkPrograms();
                        return sandbox.ready(2);
                    } catch (IOException | InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                ready -> ready);
    }

    /**
     * Two pods on shared cards, of which one uses more than is allocated to it and the other less, and one on a whole
     * card.
     */
    String use() throws Exception {
        create(PodSpec.sharing("greedy", LONG, 10).preferring(1, "T4"));
        create(PodSpec.sharing("modest", LONG, 10).preferring(1, "T4"));
        create(PodSpec.whole("train", LONG, 1).preferring(1, "L40S"));
        Placed greedy = running("greedy");
        Placed modest = running("modest");
        running("train");
        process(4711, greedy);
        process(4712, modest);
        String card = greedy.shares().getFirst().card();
        replaceCards(A, "card kind=T4 memory=15GiB\ncard kind=T4 memory=15GiB\n" + processes(index(card)));
        return card;
    }

    private static String processes(int card) {
        return "process pid=4711 card=" + card + " memory=12GiB utilisation=60\n" + "process pid=4712 card="
                + (1 - card) + " memory=3GiB utilisation=5\n";
    }

    /** Causes the condition of each alert; returns the card of a container that is over its limit. */
    String make() throws Exception {
        String card = use();
        Placed modest = placed("modest");
        create(PodSpec.sharing("in-pieces", LONG, 8).preferring(1, "T4"));
        waitingPodOfAnotherScheduler();
        overAllocate();
        // Bound without the scheduler to a node without enough memory: Allocate rejects it.
        ObjectNode forced = PodSpec.sharing("forced", LONG, 8).document();
        forced.withObject("/spec").put("nodeName", A.name());
        WorkloadRun.require(sandbox.api().post(PODS, forced));
        // An invalid body, for a failed request.
        try (ApiClient extender = new ApiClient(sandbox.extender())) {
            extender.post("/gpushare-scheduler/filter", ApiClient.document().put("Pod", 1));
        }
        process(4713, "/system.slice/outside-of-pods.service");
        replaceCards(
                A,
                "card kind=T4 memory=15GiB xid=13#1 utilisation=70/20\ncard kind=T4 memory=15GiB xid=13#1\n"
                        + processes(index(card))
                        + "process pid=4713 card=" + FOREIGN + " memory=1GiB utilisation=0\n");
        replaceCards(B, "card kind=A10 memory=24GiB lost\ncard kind=L40S memory=48GiB xid=48#1\n");
        // An annotation with another card than the pod has.
        String written = modest.pod().annotation(ClusterSnapshot.ALLOCATION);
        ObjectNode wrong = ApiClient.document();
        wrong.withObject("/metadata/annotations")
                .put(
                        ClusterSnapshot.ALLOCATION,
                        written.replace(modest.shares().getFirst().card(), card));
        WorkloadRun.require(sandbox.api().patch(PODS + "/modest", wrong));
        return card;
    }

    private void create(PodSpec order) throws Exception {
        WorkloadRun.require(sandbox.api().post(PODS, order.document()));
    }

    private Placed running(String name) {
        return Await.until(
                PATIENCE,
                name + " runs",
                () -> placed(name),
                placed -> placed.pod().phase().equals("Running"));
    }

    private Placed placed(String name) {
        try {
            return ClusterSnapshot.take(sandbox.api()).pod(name).orElseThrow();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private int index(String card) throws Exception {
        return ClusterSnapshot.take(sandbox.api()).nodes().stream()
                .flatMap(node -> node.cards().stream())
                .filter(each -> each.uuid().equals(card))
                .findFirst()
                .orElseThrow()
                .index();
    }

    /** Creates a pod that fits although another scheduler reports it as unschedulable. */
    private void waitingPodOfAnotherScheduler() throws Exception {
        ObjectNode pod = PodSpec.sharing("fits-but-waits", LONG, 2).document();
        pod.withObject("/spec").put("schedulerName", "another");
        WorkloadRun.require(sandbox.api().post(PODS, pod));
        ObjectNode status = ApiClient.document();
        status.withObject("/status")
                .withArrayProperty("conditions")
                .addObject()
                .put("type", "PodScheduled")
                .put("status", "False")
                .put("reason", "Unschedulable");
        WorkloadRun.require(sandbox.api().patch(PODS + "/fits-but-waits/status", status));
    }

    /** Creates a node without a kubelet, with one card of 4 units and two pods of 3 units each by their annotations. */
    private void overAllocate() throws Exception {
        ObjectNode node =
                ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node-x\"}}");
        node.withObject("/metadata/annotations")
                .put(
                        ClusterSnapshot.INVENTORY,
                        "{\"version\":1,\"unitMiB\":1024,\"cards\":[{\"uuid\":\"GPU-x\",\"index\":0,\"minor\":0,"
                                + "\"model\":\"X\",\"memoryMiB\":4096}]}");
        WorkloadRun.require(sandbox.api().post("/api/v1/nodes", node));
        for (String name : List.of("x-1", "x-2")) {
            ObjectNode pod = PodSpec.sharing(name, LONG, 3).document();
            pod.withObject("/spec").put("nodeName", "node-x");
            pod.withObject("/metadata/annotations")
                    .put(
                            ClusterSnapshot.ALLOCATION,
                            "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-x\":3}}]}");
            WorkloadRun.require(sandbox.api().post(PODS, pod));
        }
    }

    /** Creates a process of the pod's container in the proc folder. */
    private void process(int pid, Placed placed) throws Exception {
        PodDocument pod = placed.pod();
        String id = pod.document()
                .path("status")
                .path("containerStatuses")
                .get(0)
                .path("containerID")
                .asText()
                .replace("containerd://", "");
        process(
                pid,
                "/kubepods.slice/kubepods-pod" + pod.uid().replace('-', '_') + ".slice/cri-containerd-" + id
                        + ".scope");
    }

    private void process(int pid, String cgroup) throws IOException {
        Files.writeString(
                Files.createDirectories(sandbox.proc().resolve(String.valueOf(pid)))
                        .resolve("cgroup"),
                "0::" + cgroup + "\n");
    }

    private void replaceCards(SandboxNode machine, String cards) throws IOException {
        Path file = sandbox.cards(machine.name());
        String driver = machine.cardsFile().lines().findFirst().orElseThrow();
        Path next = Files.writeString(file.resolveSibling(machine.name() + ".next"), driver + "\n" + cards);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
