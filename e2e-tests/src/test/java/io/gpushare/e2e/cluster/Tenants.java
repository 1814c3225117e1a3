package io.gpushare.e2e.cluster;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Pods whose programs allocate memory of a card, and what these print. */
final class Tenants {
    private static final String EAT = SimulatedMps.Tenant.PROGRAM;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Cluster cluster;
    private final SimulatedMps.Tenant parts;

    Tenants(Cluster cluster, SimulatedMps mps) {
        this.cluster = cluster;
        this.parts = mps.tenant();
    }

    /** Creates a pod of that much memory of that card, whose program has these arguments. */
    void create(String name, int gib, int user, String card, String... arguments) {
        String command =
                Arrays.stream(arguments).map(each -> ",\"" + each + "\"").collect(Collectors.joining());
        cluster.kubectl().apply("""
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"name":"%s","namespace":"default","annotations":{"nvidia.com/use-gpuuuid":"%s"}},
             "spec":{"hostPID":true,"restartPolicy":"Never","terminationGracePeriodSeconds":1,
              "securityContext":{"runAsUser":%d},
              "containers":[{"name":"main","image":"%s","imagePullPolicy":"IfNotPresent","command":["%s"%s],
                "env":[%s],"volumeMounts":[%s],"resources":{"limits":{"aliyun.com/gpu-mem":"%d"}}}],
              "volumes":[%s]}}\
            """.formatted(
                        name,
                        card,
                        user,
                        cluster.workloadImage(),
                        EAT,
                        command,
                        parts.environment(),
                        parts.mounts(),
                        gib,
                        parts.volumes()));
    }

    /** Waits until the pod's program has printed these lines, and no others. */
    void prints(String pod, String... lines) {
        await(pod, () -> cluster.kubectl().run("-n", "default", "logs", pod), lines);
    }

    /**
     * Creates a pod as {@link #create} does, and again, as its owner would, while the kubelet rejects it: the plugin
     * refuses pods that were bound before isolation was lost.
     */
    void createUntilAdmitted(String name, int gib, int user, String card, String... arguments) {
        create(name, gib, user, card, arguments);
        Await.until(
                LIMIT,
                name + " is admitted",
                () -> {
                    String phase = phase(name);
                    if (phase.equals("Failed")) {
                        cluster.kubectl().run("-n", "default", "delete", "pod", name, "--wait=true");
                        create(name, gib, user, card, arguments);
                    }
                    return phase;
                },
                phase -> phase.equals("Running"));
    }

    private static void await(String what, Supplier<String> output, String... lines) {
        Await.until(
                LIMIT,
                what + " prints " + List.of(lines),
                () -> {
                    try {
                        return output.get().lines().toList();
                    } catch (Command.Failed starting) {
                        return List.of(String.valueOf(starting.getMessage()));
                    }
                },
                printed -> printed.equals(List.of(lines)));
    }

    /** Starts one more program in the pod's container; its variables can be changed by a command before it. */
    void more(String pod, String file, String before, String... arguments) {
        run(
                pod,
                "setsid " + before + " " + EAT + " " + String.join(" ", arguments) + " >/tmp/" + file
                        + " 2>&1 </dev/null &");
    }

    /** Waits until that program has printed these lines, and no others. */
    void morePrints(String pod, String file, String... lines) {
        await(pod + "'s " + file, () -> run(pod, "cat /tmp/" + file), lines);
    }

    private String run(String pod, String script) {
        return cluster.kubectl().run("-n", "default", "exec", pod, "--", "sh", "-c", script);
    }

    String phase(String pod) {
        return cluster.kubectl()
                .json("-n", "default", "get", "pod", pod)
                .at("/status/phase")
                .asText();
    }
}
