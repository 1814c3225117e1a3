package io.gpushare.e2e.sandbox.migration;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A pod that names its scheduler.
 *
 * @param node the only node on which it may run; empty for any
 * @param seconds how long it runs
 * @param containers the limits of each, as {@code name=amount} separated by spaces. The first container is {@code
 *     main}, and the others are {@code c1} and so on
 */
record ScheduledPod(String name, String scheduler, String node, int seconds, List<String> containers) {
    ObjectNode document() {
        List<PodSpec.ContainerSpec> specs = new ArrayList<>();
        for (int i = 0; i < containers.size(); i++) {
            specs.add(new PodSpec.ContainerSpec(i == 0 ? "main" : "c" + i, 0, 0));
        }
        ObjectNode pod = new PodSpec(name, seconds, specs).document();
        ObjectNode spec = pod.withObject("/spec").put("schedulerName", scheduler);
        if (!node.isEmpty()) {
            spec.putObject("nodeSelector").put("kubernetes.io/hostname", node);
        }
        for (int i = 0; i < containers.size(); i++) {
            ObjectNode limits = (ObjectNode) pod.at("/spec/containers/" + i + "/resources/limits");
            Stream.of(containers.get(i).split(" ", -1))
                    .map(limit -> limit.split("=", 2))
                    .filter(limit -> limit.length == 2)
                    .forEach(limit -> limits.put(limit[0], limit[1]));
        }
        return pod;
    }
}
