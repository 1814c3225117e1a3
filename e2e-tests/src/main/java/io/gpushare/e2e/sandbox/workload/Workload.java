package io.gpushare.e2e.sandbox.workload;

import io.gpushare.e2e.sandbox.workload.PodSpec.ContainerSpec;
import java.util.ArrayList;
import java.util.List;

/** The pods of one round: more than fit at once, so some wait for others to end, and one that never fits. */
public final class Workload {
    /** The pod that requests more memory than any card has. */
    public static final String TOO_BIG = "too-big";

    private Workload() {}

    public static List<PodSpec> round() {
        List<PodSpec> pods = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            pods.add(PodSpec.sharing("chat-" + i, 7, 8));
        }
        for (int i = 1; i <= 6; i++) {
            pods.add(PodSpec.sharing("notebook-" + i, 9, 3));
        }
        for (int i = 1; i <= 3; i++) {
            pods.add(new PodSpec(
                    "rag-" + i, 8, List.of(new ContainerSpec("embed", 3, 0), new ContainerSpec("rank", 4, 0))));
        }
        pods.add(PodSpec.sharing("tune-1", 8, 40));
        pods.add(PodSpec.sharing("tune-2", 6, 60));
        pods.add(PodSpec.sharing("llm", 8, 120));
        pods.add(PodSpec.sharing("two-h100", 6, 20).preferring(2, "H100"));
        pods.add(PodSpec.sharing("on-a-l40s", 6, 2).preferring(1, "L40S"));
        pods.add(new PodSpec(
                        "split-pair", 6, List.of(new ContainerSpec("first", 6, 0), new ContainerSpec("second", 9, 0)))
                .preferring(3, "A100"));
        for (int i = 1; i <= 5; i++) {
            pods.add(PodSpec.whole("render-" + i, 6, 1));
        }
        pods.add(PodSpec.instance("on-a-3g", 6, "3g.40gb"));
        for (int i = 1; i <= 3; i++) {
            pods.add(PodSpec.instance("on-a-1g-" + i, 6, "1g.10gb"));
        }
        pods.add(PodSpec.whole("train-two-cards", 8, 2));
        pods.add(new PodSpec(
                "train-with-logger", 6, List.of(new ContainerSpec("train", 0, 1), new ContainerSpec("logger", 0, 0))));
        pods.add(PodSpec.whole("train-all-of-c", 4, 4));
        pods.add(PodSpec.sharing(TOO_BIG, 5, 200));
        return pods;
    }
}
