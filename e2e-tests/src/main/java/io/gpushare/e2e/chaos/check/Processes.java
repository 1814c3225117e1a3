package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The cluster's processes and their environments, read from {@code /proc}. */
public final class Processes {
    public static final String UID = "CHAOS_UID";
    public static final String POD = "CHAOS_POD";
    public static final String CONTAINER = "CHAOS_CONTAINER";
    public static final String REQUEST = "CHAOS_REQUEST";

    /** A process of the device plugin or the extender, in its container. */
    public record Program(ProcessHandle process, String pod, String node) {}

    private final LocalCluster cluster;

    public Processes(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /** The cards that the load's containers see. */
    List<HeldCards> containers() {
        Map<String, HeldCards> uses = new HashMap<>();
        cluster.processes().forEach(process -> {
            Map<String, String> environment = environment(process);
            @Nullable String uid = environment.get(UID);
            if (uid != null) {
                HeldCards use = new HeldCards(
                        uid,
                        environment.getOrDefault(POD, ""),
                        environment.getOrDefault(CONTAINER, ""),
                        ContainerRequest.parse(environment.getOrDefault(REQUEST, "")),
                        Set.of(environment
                                .getOrDefault("NVIDIA_VISIBLE_DEVICES", "")
                                .split(",")));
                uses.put(uid + "/" + use.container(), use);
            }
        });
        return List.copyOf(uses.values());
    }

    /** The device plugin of that node, if it runs. */
    public Optional<Program> plugin(String node) {
        return programs().stream()
                .filter(program -> program.node().equals(node))
                .findFirst();
    }

    /** The extender that runs in that pod, if any does. */
    public Optional<Program> extender(String pod) {
        return programs().stream()
                .filter(program -> !pod.isEmpty() && program.pod().equals(pod))
                .findFirst();
    }

    private List<Program> programs() {
        List<Program> programs = new ArrayList<>();
        cluster.processes().filter(Processes::ours).forEach(process -> {
            Map<String, String> environment = environment(process);
            programs.add(new Program(
                    process, environment.getOrDefault("HOSTNAME", ""), environment.getOrDefault("NODE_NAME", "")));
        });
        return programs;
    }

    /** Whether it is one of the project's programs: their images start the JVM with this file of flags. */
    private static boolean ours(ProcessHandle process) {
        return text(process, "cmdline").contains("@/app/jvm.args");
    }

    private static Map<String, String> environment(ProcessHandle process) {
        Map<String, String> environment = new HashMap<>();
        for (String variable : text(process, "environ").split("\0")) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                environment.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        return environment;
    }

    private static String text(ProcessHandle process, String file) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(process.pid()), file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // it ended
        }
    }
}
