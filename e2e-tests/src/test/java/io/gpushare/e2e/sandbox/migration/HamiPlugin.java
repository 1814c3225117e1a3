package io.gpushare.e2e.sandbox.migration;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.gpushare.e2e.sandbox.migration.HamiDevices.Device;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.PluginServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** HAMi's device plugin on one node, as far as the kubelet, the pods and HAMi's scheduler see it. */
final class HamiPlugin implements AutoCloseable {
    static final int SLOTS = 10;

    private final String node;
    private final List<String> cards;
    private final int mibOfCard;
    private final ClusterApi cluster;
    private final PluginServer server;
    private final ScheduledExecutorService reports = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("HAMi's reports").factory());

    /** Serves and registers with the kubelet that has this directory, and with HAMi's scheduler. */
    HamiPlugin(String node, List<String> cards, int mibOfCard, Path kubelet, ClusterApi cluster) throws IOException {
        this.node = node;
        this.cards = cards;
        this.mibOfCard = mibOfCard;
        this.cluster = cluster;
        List<String> devices = cards.stream()
                .flatMap(card -> IntStream.range(0, SLOTS).mapToObj(slot -> card + "::" + slot))
                .toList();
        server = new PluginServer(kubelet, "nvidia-gpu.sock", HamiRequest.CARDS, devices, this::allocate);
        Future<?> _ = reports.scheduleWithFixedDelay(this::report, 0, 500, TimeUnit.MILLISECONDS);
    }

    private void report() {
        ArrayNode register = ApiClient.document().putArray("cards");
        for (String card : cards) {
            register.addObject()
                    .put("id", card)
                    .put("index", cards.indexOf(card))
                    .put("count", SLOTS)
                    .put("devmem", mibOfCard)
                    .put("devcore", 100)
                    .put("type", "NVIDIA-Tesla T4")
                    .put("mode", "hami-core")
                    .put("health", true);
        }
        cluster.annotateNode(
                node,
                Map.of(HamiDevices.REGISTER, register.toString(), HamiDevices.HANDSHAKE, "Reported " + Instant.now()));
    }

    /** Gives the next container of the pod that is being allocated its cards. */
    private Map<String, String> allocate(int count) {
        PodDocument pod = cluster.pods(node).stream()
                .filter(bound -> !bound.annotation(HamiDevices.BOUND_AT).isEmpty())
                .filter(bound -> bound.annotation(HamiDevices.PHASE).equals(HamiDevices.ALLOCATING))
                .filter(bound -> bound.annotation(HamiDevices.NODE).equals(node))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no binding pod found on node " + node));
        List<List<Device>> left = HamiDevices.read(pod, HamiDevices.TO_ALLOCATE);
        if (left.isEmpty() || left.getFirst().size() != count) {
            finish(pod, Map.of(HamiDevices.PHASE, HamiDevices.FAILED));
            throw new IllegalStateException("device number not matched");
        }
        List<Device> devices = left.removeFirst();
        String rest = HamiDevices.write(left);
        if (left.isEmpty()) {
            finish(pod, Map.of(HamiDevices.TO_ALLOCATE, rest, HamiDevices.PHASE, HamiDevices.SUCCESS));
        } else {
            cluster.annotate(pod, Map.of(HamiDevices.TO_ALLOCATE, rest));
        }
        return environment(devices);
    }

    private static Map<String, String> environment(List<Device> devices) {
        Map<String, String> environment = new LinkedHashMap<>();
        List<Device> order = new ArrayList<>(devices);
        environment.put(
                "NVIDIA_VISIBLE_DEVICES", order.stream().map(Device::card).collect(Collectors.joining(",")));
        order.forEach(
                device -> environment.put("CUDA_DEVICE_MEMORY_LIMIT_" + order.indexOf(device), device.mib() + "m"));
        environment.put(
                "CUDA_DEVICE_SM_LIMIT", String.valueOf(devices.getFirst().cores()));
        return environment;
    }

    private void finish(PodDocument pod, Map<String, String> annotations) {
        cluster.annotate(pod, annotations);
        HamiDevices.unlock(cluster, node, pod);
    }

    @Override
    public void close() {
        reports.shutdownNow();
        try {
            reports.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.close();
    }
}
