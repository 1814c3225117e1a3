package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import java.util.List;

/**
 * A pod that the sandbox asks for.
 *
 * @param seconds how long it runs before it ends by itself
 * @param wish which cards it asks for, and how many for each container's memory
 */
record PodSpec(String name, int seconds, List<Want> containers, Wish wish) {
    static final String MEMORY = "aliyun.com/gpu-mem";
    static final String CARDS = "aliyun.com/gpu-count";

    /** What a container wants; a container that wants neither is an ordinary one. */
    record Want(String container, int units, int cards) {}

    /** Memory split over so many cards, all of that model; an empty model is any. */
    record Wish(int split, String model) {
        static final Wish NONE = new Wish(1, "");
    }

    PodSpec(String name, int seconds, List<Want> containers) {
        this(name, seconds, containers, Wish.NONE);
    }

    PodSpec wishing(int split, String model) {
        return new PodSpec(name, seconds, containers, new Wish(split, model));
    }

    static PodSpec sharing(String name, int seconds, int units) {
        return new PodSpec(name, seconds, List.of(new Want("main", units, 0)));
    }

    static PodSpec whole(String name, int seconds, int cards) {
        return new PodSpec(name, seconds, List.of(new Want("main", 0, cards)));
    }

    PodSpec named(String other) {
        return new PodSpec(other, seconds, containers, wish);
    }

    ObjectNode document() {
        ObjectNode pod = ApiClient.document().put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata").put("name", name);
        ObjectNode annotations = metadata.putObject("annotations").put("sandbox.gpushare.io/run-for", seconds + "s");
        if (wish.split() > 1) {
            annotations.put("gpushare.io/cards", Integer.toString(wish.split()));
        }
        if (!wish.model().isEmpty()) {
            annotations.put("gpushare.io/select", "model = " + wish.model());
        }
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
