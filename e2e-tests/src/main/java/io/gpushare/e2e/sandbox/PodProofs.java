package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.PodResourcesReader;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.kubelet.StartedContainer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Checks each running pod of the workload once: what its containers see, what the kubelet allocated, and the
 * annotation.
 */
final class PodProofs implements AutoCloseable {
    private final SandboxCluster sandbox;
    private final Checks checks;
    private final Map<String, PodSpec> orders;
    private final Map<String, PodResourcesReader> readers = new HashMap<>();

    /** @param orders the pods of the workload by name; others are not checked */
    PodProofs(SandboxCluster sandbox, Checks checks, Map<String, PodSpec> orders) {
        this.sandbox = sandbox;
        this.checks = checks;
        this.orders = orders;
        sandbox.kubelets()
                .keySet()
                .forEach(node -> readers.put(node, new PodResourcesReader(sandbox.kubeletDirectory(node))));
    }

    void prove(Placed placed, ClusterSnapshot snapshot) throws InterruptedException {
        PodDocument pod = placed.pod();
        PodSpec order = orders.get(pod.name());
        if (order == null
                || !pod.namespace().equals("default")
                || !pod.phase().equals("Running")
                || checks.proven(placed)) {
            return;
        }
        PodResourcesReader reader = readers.get(pod.node());
        SimulatedKubelet kubelet = sandbox.kubelets().get(pod.node());
        if (reader == null || kubelet == null) {
            checks.check(
                    sandbox.drawn(pod.node()),
                    pod.name() + " is on " + pod.node() + ", which is not a node of the sandbox");
            return;
        }
        var devices = reader.devices();
        Map<PodSpec.ContainerSpec, StartedContainer> containers = new LinkedHashMap<>();
        for (PodSpec.ContainerSpec container : order.containers()) {
            Optional<StartedContainer> started = kubelet.started(pod.namespace(), pod.name(), container.name());
            if (started.isEmpty() || !devices.containsKey(pod.title() + "/" + container.name())) {
                return;
            }
            containers.put(container, started.get());
        }
        containers.forEach((container, started) -> checks.checkContainer(
                placed, container, started, devices.getOrDefault(pod.title() + "/" + container.name(), Map.of())));
        checks.checkPreferences(placed, order, snapshot);
        checks.provenPod(placed);
    }

    @Override
    public void close() {
        readers.values().forEach(PodResourcesReader::close);
    }
}
