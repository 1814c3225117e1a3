package io.gpushare.e2e.sandbox.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.patience.Patience;
import java.time.Duration;
import java.util.List;

/**
 * A pod that the sandbox creates.
 *
 * @param seconds how long it runs before it succeeds
 * @param preferences the card preferences of the pod
 */
public record PodSpec(String name, int seconds, List<ContainerSpec> containers, Preferences preferences) {
    public static final String MEMORY = "aliyun.com/gpu-mem";
    public static final String CARDS = "aliyun.com/gpu-count";
    /** The resources of MIG instances begin so, and end with the profile. */
    public static final String MIG = "nvidia.com/mig-";

    /**
     * The GPU request of a container; a container without units and cards uses no GPU.
     *
     * @param whole the resource of its cards, or MIG instances
     */
    public record ContainerSpec(String name, int units, int cards, String whole) {
        public ContainerSpec(String name, int units, int cards) {
            this(name, units, cards, CARDS);
        }
    }

    /** The number of cards over which memory is split, and their model; an empty model matches any card. */
    public record Preferences(int split, String model) {
        static final Preferences NONE = new Preferences(1, "");
    }

    public PodSpec(String name, int seconds, List<ContainerSpec> containers) {
        this(name, seconds, containers, Preferences.NONE);
    }

    public PodSpec preferring(int split, String model) {
        return new PodSpec(name, seconds, containers, new Preferences(split, model));
    }

    public static PodSpec sharing(String name, int seconds, int units) {
        return new PodSpec(name, seconds, List.of(new ContainerSpec("main", units, 0)));
    }

    public static PodSpec whole(String name, int seconds, int cards) {
        return new PodSpec(name, seconds, List.of(new ContainerSpec("main", 0, cards)));
    }

    /** A pod that takes a MIG instance whole. */
    public static PodSpec instance(String name, int seconds, String profile) {
        return new PodSpec(name, seconds, List.of(new ContainerSpec("main", 0, 1, MIG + profile)));
    }

    public PodSpec named(String other) {
        return new PodSpec(other, seconds, containers, preferences);
    }

    /** The same pod, which runs longer where the machine is busy: whoever looks must see it running. */
    public PodSpec patient() {
        return new PodSpec(name, (int) Patience.of(Duration.ofSeconds(seconds)).toSeconds(), containers, preferences);
    }

    public ObjectNode document() {
        ObjectNode pod = ApiClient.document().put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata").put("name", name);
        ObjectNode annotations = metadata.putObject("annotations").put("sandbox.gpushare.io/run-for", seconds + "s");
        if (preferences.split() > 1) {
            annotations.put("gpushare.io/cards", Integer.toString(preferences.split()));
        }
        if (!preferences.model().isEmpty()) {
            annotations.put("gpushare.io/select", "model = " + preferences.model());
        }
        ObjectNode spec = pod.putObject("spec").put("restartPolicy", "Never").put("terminationGracePeriodSeconds", 1);
        for (ContainerSpec each : containers) {
            ObjectNode container = spec.withArrayProperty("containers").addObject();
            container.put("name", each.name()).put("image", "registry.k8s.io/pause:3.10");
            ObjectNode limits = container.putObject("resources").putObject("limits");
            if (each.units() > 0) {
                limits.put(MEMORY, Integer.toString(each.units()));
            }
            if (each.cards() > 0) {
                limits.put(each.whole(), Integer.toString(each.cards()));
            }
        }
        return pod;
    }
}
