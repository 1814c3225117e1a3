package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.client.Cluster;
import java.util.List;

/**
 * A pod that the sandbox asks for.
 *
 * @param seconds how long it runs before it ends by itself
 */
record PodOrder(String name, int seconds, List<Want> containers) {
    static final String MEMORY = "aliyun.com/gpu-mem";
    static final String CARDS = "aliyun.com/gpu-count";

    /** What a container wants; a container that wants neither is an ordinary one. */
    record Want(String container, int units, int cards) {}

    static PodOrder sharing(String name, int seconds, int units) {
        return new PodOrder(name, seconds, List.of(new Want("main", units, 0)));
    }

    static PodOrder whole(String name, int seconds, int cards) {
        return new PodOrder(name, seconds, List.of(new Want("main", 0, cards)));
    }

    PodOrder named(String other) {
        return new PodOrder(other, seconds, containers);
    }

    ObjectNode document() {
        ObjectNode pod = Cluster.document().put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata").put("name", name);
        metadata.putObject("annotations").put("sandbox.gpushare.io/run-for", seconds + "s");
        ObjectNode spec = pod.putObject("spec").put("restartPolicy", "Never").put("terminationGracePeriodSeconds", 1);
        for (Want want : containers) {
            ObjectNode container = spec.withArrayProperty("containers").addObject();
            container.put("name", want.container()).put("image", "registry.k8s.io/pause:3.10");
            ObjectNode limits = container.putObject("resources").putObject("limits");
            if (want.units() > 0) {
                limits.put(MEMORY, Integer.toString(want.units()));
            }
            if (want.cards() > 0) {
                limits.put(CARDS, Integer.toString(want.cards()));
            }
        }
        return pod;
    }
}
