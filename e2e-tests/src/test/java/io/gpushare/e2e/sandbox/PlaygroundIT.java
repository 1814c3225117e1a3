package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The sandbox as a user runs it, with a real kubectl beside it, until Ctrl-C. What kubectl prints is for readers:
 * {@code target/playground.txt}.
 */
class PlaygroundIT {
    private static final Path ROOT =
            Path.of(System.getProperty("gpushare.root", "..")).toAbsolutePath().normalize();
    private static final Path TRANSCRIPT = Path.of("target/playground.txt");
    private static final Duration START = Duration.ofSeconds(150);
    private static final Duration COMMAND = Duration.ofSeconds(90);
    private static final Pattern KUBECONFIG = Pattern.compile("KUBECONFIG=(\\S+)");

    @TempDir
    Path folder;

    private final StringBuilder transcript = new StringBuilder();
    private String kubeconfig = "";

    @Test
    void ordinaryFilesAreAppliedAndUsersPodsComeWaitAndGo() throws Exception {
        Path output = folder.resolve("output");
        Process sandbox = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        ROOT.resolve("e2e-tests/target/classes") + ":" + ROOT.resolve("e2e-tests/target/lib") + "/*",
                        "io.gpushare.e2e.sandbox.Sandbox",
                        "--nodes=41",
                        "--repository",
                        ROOT.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            awaitPlayground(sandbox, output);
            apply();
            frameworksRun();
            waitsAndIsExplained();
            usageMoves();
            claims();
            goes();
        } finally {
            Files.writeString(TRANSCRIPT, transcript.toString());
            // As Ctrl-C, which the children of a shell's background job ignore.
            signal(sandbox, "TERM");
            Patience.exitCode(sandbox);
        }
        assertThat(Files.readAllLines(output).getLast()).isEqualTo("The sandbox has stopped and left nothing behind.");
        assertThat(Files.readString(output)).doesNotContain("FAILED", "Exception");
        assertThat(Path.of(kubeconfig).getParent()).doesNotExist();
    }

    private void awaitPlayground(Process sandbox, Path output) throws Exception {
        String printed = Patience.await(START)
                .until(
                        () -> {
                            assertThat(sandbox.isAlive())
                                    .as(Files.readString(output))
                                    .isTrue();
                            return Files.readString(output);
                        },
                        text -> text.contains("Ctrl-C ends it"));
        assertThat(printed).contains("kubectl apply -f deploy/samples");
        Matcher found = KUBECONFIG.matcher(printed);
        assertThat(found.find()).isTrue();
        kubeconfig = found.group(1);
    }

    private static void signal(Process process, String signal) throws Exception {
        new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    private void apply() throws Exception {
        assertThat(kubectl("apply -f deploy/samples"))
                .contains("deployment.apps/gpu-1 created")
                .containsPattern("pod/\\S+ created");
        // As on a real API server, which stores 1 as "1": kubectl takes that for a change.
        assertThat(kubectl("apply -f deploy/samples")).contains("deployment.apps/gpu-1 configured", "team-a unchanged");
        await("get pods", "gpu-1-\\S+ +1/1 +Running");
        await("get pods", "two-containers\\S* +2/2 +Running|pod-two-containers");
        assertThat(kubectl("scale deployment gpu-1 --replicas=3")).contains("scaled");
        await("get deployment gpu-1", "gpu-1 +3/3");
        assertThat(kubectl("get nodes")).contains("node-a", "drawn-");
        assertThat(kubectl("describe pod -l app=gpu-1")).contains("aliyun.com/gpu-mem:  1", "gpushare.io/allocation");
        String nodes = kubectl("gpushare");
        assertThat(nodes).contains("GiB ON EACH CARD");
        Matcher part = Pattern.compile("iB allocated \\((\\d+)%\\)").matcher(nodes);
        assertThat(part.find()).isTrue();
        assertThat(Integer.parseInt(part.group(1)))
                .as("the drawn nodes have pods too")
                .isBetween(40, 95);
    }

    /** The samples of frameworks, and the pods of those for KubeRay and Kueue, which are not here. */
    private void frameworksRun() throws Exception {
        await("get pods gpu-vllm", "gpu-vllm +1/1 +Running");
        await("get pods gpu-jax", "gpu-jax +1/1 +Running");
        runs("ray/raycluster.yaml", "/spec/workerGroupSpecs/0/template");
        runs("kueue/two-teams.yaml", "/spec/template");
    }

    /** A pod from the template of the last object of a sample, which requests 6 units. */
    private void runs(String sample, String template) throws Exception {
        List<Object> objects = new ArrayList<>();
        new Yaml()
                .loadAll(Files.readString(ROOT.resolve("deploy/samples/" + sample)))
                .forEach(objects::add);
        JsonNode found = new ObjectMapper().valueToTree(objects.getLast());
        ObjectNode pod = found.at(template).deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod").putObject("metadata").put("name", "from-template");
        kubectl("apply -f " + Files.writeString(folder.resolve("pod.json"), pod.toString()));
        await("get pods from-template", "from-template +1/1 +Running");
        assertThat(kubectl("describe pod from-template")).contains("aliyun.com/gpu-mem:  6", "gpushare.io/allocation");
        assertThat(kubectl("delete pod from-template")).contains("deleted");
    }

    private void waitsAndIsExplained() throws Exception {
        Path pod = Files.writeString(folder.resolve("pod.yaml"), """
            apiVersion: v1
            kind: Pod
            metadata: {name: wanted, annotations: {gpushare.io/select: "model = B200"}}
            spec:
              containers: [{name: main, image: example/model:1, resources: {limits: {aliyun.com/gpu-mem: 4}}}]
            """);
        kubectl("apply -f " + pod);
        await("get pods wanted", "Pending");
        await("gpushare why wanted", "No card in this cluster meets model = B200; present are ");
        await("describe pod wanted", "FailedScheduling.*0/41 nodes are available");
        await("describe pod wanted", "GpuPodWaits.*not selected by model = B200");
        assertThat(kubectl("delete pod wanted")).contains("deleted");
        await(
                "gpushare why gpu-memory-and-cores",
                "requests aliyun.com/gpu-core.percentage, which is not offered: set"
                        + " --core-resource=aliyun.com/gpu-core.percentage");
    }

    private void usageMoves() throws Exception {
        await(
                "gpushare top pods -A",
                "(?m)^default +gpu-1-\\S+ +node-\\S+ .* \\d+ MiB|(?m)^default.* GiB +[\\d.]+ GiB");
        await("gpushare waste", "Allocated and not used");
        kubectl("gpushare top node-c");
    }

    private void claims() throws Exception {
        kubectl("apply -f deploy/samples/claims/share.yaml -f deploy/samples/claims/two-cards.yaml");
        await("get pods", "claims-a-share +1/1 +Running");
        await("get pods", "claims-two-cards +1/1 +Running");
        kubectl("apply -f deploy/samples/claims/whole-card.yaml");
        await("describe pod claims-a-card", "FailedScheduling.*cannot allocate all claims");
        kubectl("delete -f deploy/samples/claims/two-cards.yaml");
        await("get pods", "claims-a-card +1/1 +Running");
        kubectl("delete -f deploy/samples/claims");
    }

    private void goes() throws Exception {
        assertThat(kubectl("delete -f deploy/samples")).contains("deployment.apps \"gpu-1\" deleted");
        Patience.await(COMMAND).until(() -> !run("get pods -l app=gpu-1").contains("gpu-1-"));
    }

    private void await(String command, String pattern) throws Exception {
        String last = Patience.await(COMMAND)
                .alias(command + " prints " + pattern)
                .until(
                        () -> run(command),
                        printed -> Pattern.compile(pattern).matcher(printed).find());
        record(command, last);
    }

    private String kubectl(String command) throws Exception {
        String printed = run(command);
        record(command, printed);
        return printed;
    }

    private void record(String command, String printed) {
        transcript
                .append("$ kubectl ")
                .append(command)
                .append('\n')
                .append(printed)
                .append('\n');
    }

    private String run(String command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("kubectl"));
        words.addAll(List.of(command.split(" ")));
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("printed").toFile());
        builder.environment().put("KUBECONFIG", kubeconfig);
        builder.environment().put("PATH", ROOT.resolve("deploy/kubectl") + ":" + System.getenv("PATH"));
        builder.environment().put("HOME", folder.toString()); // kubectl's cache of discovery
        Process process = builder.start();
        Patience.exitCode(process);
        return Files.readString(folder.resolve("printed"), StandardCharsets.UTF_8);
    }
}
