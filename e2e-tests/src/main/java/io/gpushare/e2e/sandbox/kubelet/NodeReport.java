package io.gpushare.e2e.sandbox.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.client.Cluster;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node's object: made where it is missing, and its status told each period where it changed. */
final class NodeReport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeReport.class);

    private final KubeletOptions options;
    private final Cluster cluster;
    private final DeviceManager devices;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("node status").factory());
    private ObjectNode told = Cluster.document();

    NodeReport(KubeletOptions options, Cluster cluster, DeviceManager devices) {
        this.options = options;
        this.cluster = cluster;
        this.devices = devices;
    }

    void start() {
        Future<?> _ = timer.scheduleWithFixedDelay(
                this::tell, 0, options.statusPeriod().toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tell() {
        ObjectNode status = status(devices.counts());
        if (status.equals(told)) {
            return;
        }
        try {
            Cluster.Answer answer = send(status);
            if (answer.succeeded()) {
                told = status;
            } else {
                LOG.debug("status of node {}: {}", options.node(), answer.message());
            }
        } catch (IOException e) {
            LOG.debug("status of node {}: {}", options.node(), e.toString());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private Cluster.Answer send(ObjectNode status) throws IOException, InterruptedException {
        ObjectNode patch = Cluster.document();
        patch.set("status", status);
        String path = "/api/v1/nodes/" + options.node();
        Cluster.Answer answer = cluster.patch(path + "/status", patch);
        if (answer.code() != 404) {
            return answer;
        }
        ObjectNode node = patch.deepCopy();
        ObjectNode labels =
                node.putObject("metadata").put("name", options.node()).putObject("labels");
        labels.put("kubernetes.io/hostname", options.node());
        options.labels().forEach(labels::put);
        return cluster.post("/api/v1/nodes", node);
    }

    private static ObjectNode status(Map<String, DeviceTable.Count> counts) {
        ObjectNode status = Cluster.document();
        for (String side : new String[] {"capacity", "allocatable"}) {
            ObjectNode amounts = status.putObject(side)
                    .put("cpu", "64")
                    .put("memory", "256Gi")
                    .put("pods", "110");
            counts.forEach((resource, count) -> amounts.put(
                    resource, Integer.toString(side.equals("capacity") ? count.capacity() : count.allocatable())));
        }
        status.putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True")
                .put("reason", "KubeletReady");
        return status;
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
