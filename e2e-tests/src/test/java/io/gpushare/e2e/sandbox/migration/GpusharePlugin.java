package io.gpushare.e2e.sandbox.migration;

import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.PluginServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** gpushare's device plugin on one node, as far as the kubelet and the pods see it. */
final class GpusharePlugin implements AutoCloseable {
    private final String node;
    private final ClusterApi cluster;
    private final PluginServer server;

    /** Writes the number of cards, serves, and registers with the kubelet that has this directory: each once. */
    GpusharePlugin(String node, List<String> cards, int unitsOfCard, Path kubelet, ClusterApi cluster)
            throws IOException {
        this.node = node;
        this.cluster = cluster;
        String count = String.valueOf(cards.size());
        if (!cluster.capacity(node, PodSpec.CARDS).equals(count)) {
            cluster.writeStatus(node, PodSpec.CARDS, count);
        }
        List<String> devices = cards.stream()
                .flatMap(card -> IntStream.range(0, unitsOfCard).mapToObj(unit -> card + "-_-" + unit))
                .toList();
        server = new PluginServer(kubelet, "aliyungpushare.sock", PodSpec.MEMORY, devices, this::allocate);
    }

    /** Gives the card of the oldest waiting pod with that amount. */
    private Map<String, String> allocate(int units) {
        Optional<PodDocument> pod = waiting(units);
        pod.ifPresent(found -> cluster.annotate(found, Map.of("ALIYUN_COM_GPU_MEM_ASSIGNED", "true")));
        String index = pod.map(found -> found.annotation("ALIYUN_COM_GPU_MEM_IDX"))
                .orElse("no-gpu-has-" + units + "GiB-to-run");
        return Map.of("NVIDIA_VISIBLE_DEVICES", index);
    }

    private Optional<PodDocument> waiting(int units) {
        return cluster.pods(node).stream()
                .filter(pod -> pod.phase().equals("Pending"))
                .filter(pod -> pod.annotation("ALIYUN_COM_GPU_MEM_ASSIGNED").equals("false"))
                .filter(pod -> GpushareExtender.units(pod) == units)
                .min(Comparator.comparing(pod -> pod.annotation("ALIYUN_COM_GPU_MEM_ASSUME_TIME")));
    }

    @Override
    public void close() {
        server.close();
    }
}
