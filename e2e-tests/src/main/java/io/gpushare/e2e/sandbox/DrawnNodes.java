package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.client.Reflector;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes that exist in the API only, for a large sandbox: with an inventory that no device plugin wrote, and pods that
 * run without devices. For the extender they are like any other node.
 */
final class DrawnNodes implements Reflector.Listener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DrawnNodes.class);

    private record Kind(String name, String model, int cards, int gib) {}

    private static final List<Kind> KINDS = List.of(
            new Kind("t4", "Tesla T4", 4, 15),
            new Kind("a100", "NVIDIA A100-SXM4-80GB", 8, 80),
            new Kind("l40s", "NVIDIA L40S", 4, 45));

    private static final List<String> WORK = List.of("serve", "embed", "notebook", "tune");
    // Up to so many nodes, each card has a pod of its own.
    private static final int DETAILED = 500;

    private final ApiClient cluster;
    private final Set<String> names = new HashSet<>();
    private final Set<String> started = new HashSet<>();
    private final Set<String> ending = new HashSet<>();
    private final Reflector follower;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("drawn nodes").factory());

    DrawnNodes(URI api) {
        cluster = new ApiClient(api);
        follower = new Reflector(cluster, "/api/v1/pods", "", this);
    }

    /** Creates that many nodes, and runs the pods that are bound to them. */
    void start(int count) throws IOException, InterruptedException {
        for (int i = 0; i < count; i++) {
            Kind kind = KINDS.get(i % KINDS.size());
            String name = "drawn-%s-%04d".formatted(kind.name(), i);
            names.add(name);
            WorkloadRun.require(cluster.post("/api/v1/nodes", node(name, kind, i)));
            for (ObjectNode pod : pods(name, kind, i, count)) {
                WorkloadRun.require(cluster.post(WorkloadRun.PODS, pod));
            }
        }
        follower.start();
    }

    /** The pods of a node, so that about half of the memory is taken: fewer and larger ones in a large cluster. */
    private static List<ObjectNode> pods(String node, Kind kind, int number, int nodes) {
        Random random = new Random(number);
        List<ObjectNode> pods = new ArrayList<>();
        if (number / KINDS.size() % (nodes > DETAILED ? 2 : 6) == 0) {
            List<String> cards = IntStream.range(0, kind.cards())
                    .mapToObj(i -> uuid(number, i))
                    .toList();
            ObjectNode container = ApiClient.document();
            cards.forEach(container.putArray("cards")::add);
            pods.add(pod("train-" + node, node, PodSpec.CARDS, kind.cards(), container));
            return pods;
        }
        int used = nodes > DETAILED ? 1 : kind.cards();
        for (int card = 0; card < used; card++) {
            if (random.nextInt(4) == 0) {
                continue; // a card for a pod of the user
            }
            int units = kind.gib() / 4 + 1 + random.nextInt(kind.gib() * 3 / 4);
            ObjectNode container = ApiClient.document();
            container.putObject("memory").put(uuid(number, card), units);
            pods.add(pod(
                    WORK.get(random.nextInt(WORK.size())) + "-" + card + "-" + node,
                    node,
                    PodSpec.MEMORY,
                    units,
                    container));
        }
        return pods;
    }

    /** A pod that is bound, as the extender writes it. */
    private static ObjectNode pod(String name, String node, String resource, int amount, ObjectNode allocated) {
        ObjectNode pod = ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","annotations":{}},
             "spec":{"nodeName":"%s","containers":[{"name":"main","image":"example/model:1",
               "resources":{"limits":{"%s":"%d"}}}]}}\
            """.formatted(name, node, resource, amount));
        allocated.put("name", "main");
        ObjectNode allocation = ApiClient.document().put("version", 1).put("unitMiB", 1024);
        allocation.putArray("containers").add(allocated);
        pod.withObject("/metadata/annotations").put(ClusterSnapshot.ALLOCATION, allocation.toString());
        return pod;
    }

    private static String uuid(int node, int card) {
        return "GPU-d0000000-0000-4000-8000-%08x%04x".formatted(node, card);
    }

    boolean has(String node) {
        return names.contains(node);
    }

    private static ObjectNode node(String name, Kind kind, int number) {
        ObjectNode inventory = ApiClient.document()
                .put("version", 1)
                .put("unitMiB", 1024)
                .put("driver", "580.95.05")
                .put("cuda", "13.0");
        for (int i = 0; i < kind.cards(); i++) {
            inventory
                    .withArrayProperty("cards")
                    .addObject()
                    .put("uuid", uuid(number, i))
                    .put("index", i)
                    .put("minor", i)
                    .put("model", kind.model())
                    .put("memoryMiB", kind.gib() * 1024);
        }
        ObjectNode node = ApiClient.document().put("kind", "Node").put("apiVersion", "v1");
        ObjectNode metadata = node.putObject("metadata").put("name", name);
        metadata.putObject("annotations").put(ClusterSnapshot.INVENTORY, inventory.toString());
        for (String side : List.of("capacity", "allocatable")) {
            node.withObject("/status/" + side)
                    .put("cpu", "64")
                    .put("memory", "256Gi")
                    .put("pods", "110")
                    .put(PodSpec.MEMORY, String.valueOf(kind.cards() * kind.gib()))
                    .put(PodSpec.CARDS, String.valueOf(kind.cards()));
        }
        return node;
    }

    @Override
    public synchronized void present(List<ObjectNode> objects) {
        for (ObjectNode object : objects) {
            PodDocument pod = new PodDocument(object);
            if (!names.contains(pod.node())) {
                continue;
            }
            if (pod.beingDeleted()) {
                if (ending.add(pod.uid())) {
                    after(Duration.ofSeconds(1), () -> delete(pod));
                }
            } else if (pod.phase().equals("Pending") && started.add(pod.uid())) {
                after(Duration.ZERO, () -> status(pod, "Running"));
                pod.runsFor().ifPresent(length -> after(length, () -> status(pod, "Succeeded")));
            }
        }
    }

    @Override
    public synchronized void gone(ObjectNode object) {
        String uid = new PodDocument(object).uid();
        started.remove(uid);
        ending.remove(uid);
    }

    private interface Call {
        void make() throws IOException, InterruptedException;
    }

    private void after(Duration delay, Call call) {
        Future<?> _ = timer.schedule(
                () -> {
                    try {
                        call.make();
                    } catch (IOException e) {
                        LOG.debug("a pod of a drawn node: {}", e.toString());
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                delay.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void status(PodDocument pod, String phase) throws IOException, InterruptedException {
        ObjectNode patch = ApiClient.document();
        patch.putObject("metadata").put("uid", pod.uid());
        ObjectNode status = patch.putObject("status").put("phase", phase);
        for (PodDocument.Container container : pod.containers()) {
            status.withArrayProperty("containerStatuses")
                    .addObject()
                    .put("name", container.name())
                    .put("ready", phase.equals("Running"));
        }
        cluster.patch(pod.path() + "/status", patch);
    }

    private void delete(PodDocument pod) throws IOException, InterruptedException {
        ObjectNode options = ApiClient.document().put("gracePeriodSeconds", 0);
        options.putObject("preconditions").put("uid", pod.uid());
        cluster.delete(pod.path(), options);
    }

    @Override
    public void close() {
        follower.close();
        timer.shutdownNow();
        cluster.close();
    }
}
