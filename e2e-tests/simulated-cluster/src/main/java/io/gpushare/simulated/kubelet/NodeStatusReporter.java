package io.gpushare.simulated.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.devices.DeviceManager;
import io.gpushare.simulated.kubelet.devices.DeviceTable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the node's object and, once per period, reports a changed status. */
final class NodeStatusReporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStatusReporter.class);

    private final KubeletOptions options;
    private final ApiClient cluster;
    private final DeviceManager devices;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("node status").factory());
    private ObjectNode reported = ApiClient.document();

    NodeStatusReporter(KubeletOptions options, ApiClient cluster, DeviceManager devices) {
        this.options = options;
        this.cluster = cluster;
        this.devices = devices;
    }

    void start() {
        Future<?> _ = timer.scheduleWithFixedDelay(
                this::report, 0, options.statusPeriod().toMillis(), TimeUnit.MILLISECONDS);
    }

    private void report() {
        ObjectNode status = status(devices.counts());
        if (status.equals(reported)) {
            return;
        }
        try {
            ApiClient.Answer answer = send(status);
            if (answer.succeeded()) {
                reported = status;
            } else {
                LOG.debug("status of node {}: {}", options.node(), answer.message());
            }
        } catch (IOException e) {
            LOG.debug("status of node {}: {}", options.node(), e.toString());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private ApiClient.Answer send(ObjectNode status) throws IOException, InterruptedException {
        ObjectNode patch = ApiClient.document();
        patch.set("status", status);
        String path = "/api/v1/nodes/" + options.node();
        ApiClient.Answer answer = cluster.patch(path + "/status", patch);
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
        ObjectNode status = ApiClient.document();
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
