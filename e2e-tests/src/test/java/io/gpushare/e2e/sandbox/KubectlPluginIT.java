package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kubectl gpushare with a real kubectl and the real extender, through the proxy of a simulated API server. */
class KubectlPluginIT {
    private static final Path PLUGINS = Path.of(System.getProperty("gpushare.root", ".."), "deploy/kubectl")
            .toAbsolutePath()
            .normalize();

    @TempDir
    static Path folder;

    private static @Nullable DisplayedCluster cluster;

    /** The output and the exit code of a command. */
    private record Ran(int code, String out, String err) {}

    @BeforeAll
    static void start() throws Exception {
        assertThat(ran("kubectl", "version", "--client").code())
                .as("kubectl is not in the PATH: install one, on Debian the package kubernetes-client")
                .isZero();
        cluster = new DisplayedCluster(4, folder);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static Ran ran(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("PATH", PLUGINS + ":" + System.getenv("PATH"));
        builder.environment().put("KUBECONFIG", folder.resolve("kubeconfig").toString());
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Ran(
                process.exitValue(),
                Files.readString(folder.resolve("out"), StandardCharsets.UTF_8),
                Files.readString(folder.resolve("err"), StandardCharsets.UTF_8));
    }

    private static String printed(String... arguments) throws Exception {
        Ran ran = gpushare(arguments);
        assertThat(ran.code()).as(ran.err()).isZero();
        return ran.out();
    }

    private static Ran gpushare(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("kubectl", "gpushare"));
        command.addAll(List.of(arguments));
        return ran(command.toArray(new String[0]));
    }

    @Test
    void nodesAndCardsComeInGpusharesForm() throws Exception {
        String summary = printed();
        System.out.println(summary);
        assertThat(summary.lines().findFirst().orElseThrow())
                .startsWith("NAME           IPADDRESS  GPU0(Allocated/Total)  GPU1(Allocated/Total)")
                .endsWith("GPU Memory(GiB)");
        assertThat(summary)
                .contains("gpu-a100-0000  10.0.0.1 ", "Allocated/Total GPU Memory In Cluster:\n", "/1520 (")
                .contains("gpu-t4-0001 GPU2: unhealthy (Xid", "gpu-l40s-0002 GPU3: cordoned");
        assertThat(ran("kubectl", "inspect", "gpushare").out()).isEqualTo(summary);
        String details = printed("-d", "gpu-t4-0001");
        System.out.println(details);
        assertThat(details)
                .contains("NAME:       gpu-t4-0001", "IPADDRESS:  10.0.0.2", "Total :      60")
                .doesNotContain("gpu-a100");
        JsonNode json = new ObjectMapper().readTree(printed("-o", "json"));
        assertThat(json.path("nodes")
                        .path(0)
                        .path("devs")
                        .path(0)
                        .path("totalGPU")
                        .asInt())
                .isEqualTo(80);
    }

    @Test
    void whyExplainsWhyAPodWaits() throws Exception {
        String why = printed("why", "tuning-sweep-41", "--namespace=research", "--limit", "2");
        System.out.println(why);
        assertThat(why)
                .contains("Pod research/tuning-sweep-41 requests 90 units of memory on one card.")
                .contains("None of 4 nodes can take it now:")
                .contains("too small: it has 80 GiB, 90 GiB needed", "2 more nodes with cards not shown");
        assertThat(printed("why", "notebook-jan", "-n", "notebooks"))
                .contains("cannot be placed: invalid annotation.", "annotation gpushare.io/select: at character");
        JsonNode json = new ObjectMapper().readTree(printed("why", "tuning-sweep-41", "-nresearch", "-ojson"));
        assertThat(json.path("feasibleNodes").asInt()).isZero();
    }

    @Test
    void topShowsAllocatedBesideUsed() throws Exception {
        String top = printed("top", "gpu-t4-0001");
        System.out.println(top);
        assertThat(top)
                .startsWith("NODE         CARD  MODEL     MEMORY    ALLOCATED  USED     STATE\n")
                .containsPattern("gpu-t4-0001  0     Tesla T4  15.0 GiB  \\d+ GiB     \\d+\\.\\d GiB  ok")
                .contains("unhealthy: Xid");
        assertThat(printed("top", "pods", "-A")).contains("NAMESPACE", "inference", "training");
        assertThat(printed("top", "pods", "-n", "inference"))
                .contains("inference")
                .doesNotContain("training");
        assertThat(new ObjectMapper().readTree(printed("top", "-o", "json")).path("nodes"))
                .hasSize(4);
    }

    @Test
    void mistakesEndWithOneAndASentence() throws Exception {
        record Case(String sentence, List<String> arguments) {
            Case(String sentence, String... arguments) {
                this(sentence, List.of(arguments));
            }
        }
        for (Case each : List.of(
                new Case("pod \"none\" not found in namespace default", "why", "none"),
                new Case("node \"none\" is not known", "none"),
                new Case("unknown option --colour", "--colour=red"),
                new Case("name one pod", "why"),
                new Case("--limit ten: write a number", "why", "p", "--limit", "ten"),
                new Case("is not a valid name of a node or pod", "why", "a&b"),
                new Case("--output yaml: write json", "-o", "yaml"),
                new Case("-o needs a value", "-o"),
                new Case("the permission 'get' on 'services/proxy'", "--service", "lab/other"))) {
            Ran ran = gpushare(each.arguments().toArray(String[]::new));
            assertThat(ran.code()).as(each.sentence()).isEqualTo(1);
            assertThat(ran.out()).isEmpty();
            assertThat(ran.err()).contains(each.sentence());
        }
        assertThat(printed("--help")).contains("kubectl gpushare why POD");
    }

    @Test
    void completionProposesWhatFits() throws Exception {
        String completion = PLUGINS.resolve("kubectl_complete-gpushare").toString();
        assertThat(ran(completion, "w").out()).isEqualTo("why\n:4\n");
        assertThat(ran(completion, "gpu-a").out()).isEqualTo("gpu-a100-0000\n:4\n");
        assertThat(ran(completion, "why", "-n", "research", "").out())
                .isEqualTo("tuning-sweep-41\ntuning-sweep-42\n:4\n");
        assertThat(ran(completion, "--user", "x", "--limit=3", "w").out()).isEqualTo("why\n:4\n");
        assertThat(ran(completion, "--cluster=none", "gpu-a").out())
                .as("requested from the address in the options")
                .isEqualTo(":4\n");
        assertThat(ran(completion, "--det").out()).isEqualTo("--details\n:4\n");
        assertThat(ran(completion, "top", "pods", "").out()).isEqualTo(":4\n");
    }
}
