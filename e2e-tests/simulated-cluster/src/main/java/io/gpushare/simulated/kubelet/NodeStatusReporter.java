package io.gpushare.simulated.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.devices.DeviceManager;
import io.gpushare.simulated.kubelet.devices.DeviceTable;
import io.gpushare.time.PeriodicTask;
import java.io.IOException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the node's object and, once per period, reports a changed status. */
final class NodeStatusReporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStatusReporter.class);

    private final KubeletOptions options;
    private final ApiClient cluster;
    private final DeviceManager devices;
    private final PeriodicTask task;

    NodeStatusReporter(KubeletOptions options, ApiClient cluster, DeviceManager devices) {
        this.options = options;
        this.cluster = cluster;
        this.devices = devices;
        task = PeriodicTask.rounds("node status", options.statusPeriod(), this::report);
    }

    void start() {
        task.start();
    }

    /**
     * As the kubelet does (kubelet_node_status.go): it reads its node, sets what it knows, and writes if that differs.
     * What others wrote of a resource that no plugin has registered stays, and becomes allocatable.
     */
    private void report() {
        try {
            Map<String, DeviceTable.Count> counts = devices.report();
            ApiClient.Answer node = cluster.get(path());
            ApiClient.Answer answer = node.code() == 404
                    ? cluster.post("/api/v1/nodes", created(status(ApiClient.document(), counts)))
                    : update(node.document().withObject("/status"), counts);
            if (!answer.succeeded()) {
                LOG.debug("status of node {}: {}", options.node(), answer.message());
            }
        } catch (IOException e) {
            LOG.debug("status of node {}: {}", options.node(), e.toString());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private String path() {
        return "/api/v1/nodes/" + options.node();
    }

    private ApiClient.Answer update(ObjectNode before, Map<String, DeviceTable.Count> counts)
            throws IOException, InterruptedException {
        ObjectNode now = status(before, counts);
        if (now.equals(before)) {
            return new ApiClient.Answer(200, ApiClient.document());
        }
        ObjectNode patch = ApiClient.document();
        patch.set("status", now);
        return cluster.patch(path() + "/status", patch);
    }

    private ObjectNode created(ObjectNode status) {
        ObjectNode node = ApiClient.document();
        node.set("status", status);
        ObjectNode labels =
                node.putObject("metadata").put("name", options.node()).putObject("labels");
        labels.put("kubernetes.io/hostname", options.node());
        options.labels().forEach(labels::put);
        return node;
    }

    private static ObjectNode status(ObjectNode before, Map<String, DeviceTable.Count> counts) {
        ObjectNode status = before.deepCopy();
        ObjectNode capacity = status.withObject("/capacity");
        capacity.put("cpu", "64").put("memory", "256Gi").put("pods", "110");
        counts.forEach((resource, count) -> capacity.put(resource, Integer.toString(count.capacity())));
        ObjectNode allocatable = capacity.deepCopy();
        counts.forEach((resource, count) -> allocatable.put(resource, Integer.toString(count.allocatable())));
        status.set("allocatable", allocatable);
        status.putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True")
                .put("reason", "KubeletReady");
        return status;
    }

    @Override
    public void close() {
        task.close();
    }
}
