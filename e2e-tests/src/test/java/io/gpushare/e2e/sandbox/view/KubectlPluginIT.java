package io.gpushare.e2e.sandbox.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

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
        Process process = command(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        return new Ran(
                Patience.exitCode(process),
                Files.readString(folder.resolve("out"), StandardCharsets.UTF_8),
                Files.readString(folder.resolve("err"), StandardCharsets.UTF_8));
    }

    private static ProcessBuilder command(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("PATH", PLUGINS + ":" + System.getenv("PATH"));
        builder.environment().put("KUBECONFIG", folder.resolve("kubeconfig").toString());
        return builder;
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
    void inspectPrintsGpusharesOwnForm() throws Exception {
        String summary = inspect();
        assertThat(summary.lines().findFirst().orElseThrow())
                .startsWith("NAME           IPADDRESS  GPU0(Allocated/Total)  GPU1(Allocated/Total)")
                .endsWith("GPU Memory(GiB)");
        assertThat(summary)
                .contains("gpu-a100-0000  10.0.0.1 ", "Allocated/Total GPU Memory In Cluster:\n")
                .as("gpushare's last line is the sum")
                .containsPattern("/1520 \\(\\d+%\\)\n$");
        // gpushare's program takes the flags of its log.
        assertThat(inspect("-v=5", "-logtostderr")).isEqualTo(summary);
        String details = inspect("-d", "gpu-t4-0001");
        assertThat(details)
                .contains("NAME:       gpu-t4-0001", "IPADDRESS:  10.0.0.2", "Total :      60")
                .doesNotContain("gpu-a100");
        assertThat(details).containsPattern("/60 \\(\\d+%\\)\nGPU Memory in GiB\n$");
        assertThat(printed("-d", "gpu-t4-0001"))
                .contains("GPU0(GiB)", "Total :      60 GiB")
                .containsPattern("/60 GiB \\(\\d+%\\)\n")
                .contains("gpu-t4-0001 GPU2: unhealthy (Xid");
        JsonNode json = new ObjectMapper().readTree(inspect("-o", "json"));
        assertThat(json.at("/nodes/0/devs/0/totalGPU").asInt()).isEqualTo(80);
        assertThat(json.at("/nodes/0/devs/0").has("usedBytes")).isFalse();
    }

    private static String inspect(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("kubectl", "inspect", "gpushare"));
        command.addAll(List.of(arguments));
        Ran ran = ran(command.toArray(new String[0]));
        assertThat(ran.code()).as(ran.err()).isZero();
        return ran.out();
    }

    @Test
    void nodesAreNarrowAlsoWithEightCards() throws Exception {
        String nodes = printed();
        System.out.println(nodes);
        assertThat(nodes.lines().findFirst().orElseThrow()).matches("NODE +CARDS +ALLOCATED +GiB ON EACH CARD");
        assertThat(nodes)
                .containsPattern("gpu-a100-0000  8 x NVIDIA A100-SXM4-80GB  \\d+/640 GiB")
                .containsPattern("of 1520 GiB allocated \\(\\d+%\\)")
                .contains("! unhealthy")
                .doesNotContain("0/0");
        assertThat(nodes.lines().mapToInt(String::length).max().orElseThrow()).isLessThan(110);
        assertThat(printed("-o", "wide")).contains("FREE ON ONE CARD", "10.0.0.1");
    }

    @Test
    void eachOrderOfNodesIsThatOfItsColumn() throws Exception {
        assertThat(ordered("name"))
                .extracting(node -> node.path("name").asText())
                .isSorted();
        assertThat(ordered("allocated"))
                .extracting(node -> node.path("usedGPU").asInt())
                .isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(ordered("free"))
                .extracting(KubectlPluginIT::freeOnOneCard)
                .isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(ordered("used"))
                .extracting(node -> sum(node, "usedBytes"))
                .isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(printed("--sort-by=allocated")
                        .lines()
                        .filter(line -> line.startsWith("gpu-"))
                        .map(line -> line.substring(0, line.indexOf(' ')))
                        .limit(4)) // Remarks on single nodes follow.
                .as("the table has the order of the JSON")
                .containsExactlyElementsOf(ordered("allocated").stream()
                        .map(node -> node.path("name").asText())
                        .toList());
    }

    @Test
    void topSortsCardsAndNotNodes() throws Exception {
        for (String column : List.of("allocated", "unused")) {
            JsonNode nodes =
                    new ObjectMapper().readTree(printed("top", "-o", "json")).path("nodes");
            List<String> shown = printed("top", "--sort-by", column)
                    .lines()
                    .skip(1)
                    .filter(line -> line.startsWith("gpu-"))
                    .map(line -> line.split(" +")[0] + " " + line.split(" +")[1])
                    .limit(24)
                    .toList();
            assertThat(shown)
                    .hasSize(24)
                    .extracting(name -> amount(nodes, name, column))
                    .isSortedAccordingTo(Comparator.reverseOrder());
        }
    }

    /** What that card, named by node and index, has allocated or unused, in bytes. */
    private static long amount(JsonNode nodes, String name, String column) {
        for (JsonNode node : nodes) {
            for (JsonNode card : node.path("cards")) {
                if (name.equals(
                        node.path("name").asText() + " " + card.path("index").asInt())) {
                    long unit = node.path("unitMiB").asLong() << 20;
                    return column.equals("allocated")
                            ? card.path("allocatedUnits").asLong() * unit
                            : unused(card, unit);
                }
            }
        }
        throw new AssertionError("no card " + name);
    }

    private static long unused(JsonNode card, long unit) {
        long sum = 0;
        for (JsonNode pod : card.path("pods")) {
            long allocated = pod.path("whole").asBoolean()
                    ? card.path("units").asLong() * unit
                    : pod.path("units").asLong() * unit;
            sum += pod.has("usedBytes")
                    ? Math.max(0, allocated - pod.path("usedBytes").asLong())
                    : 0;
        }
        return sum;
    }

    @Test
    void rowsNamesAndCsvAreForScripts() throws Exception {
        assertThat(printed("-o", "name"))
                .isEqualTo("node/gpu-a100-0000\nnode/gpu-h100-0003\nnode/gpu-l40s-0002\nnode/gpu-t4-0001\n");
        assertThat(printed("--no-headers").lines()).hasSize(4).allMatch(line -> line.startsWith("gpu-"));
        assertThat(printed("top", "--no-headers").lines()).hasSize(24).allMatch(line -> line.startsWith("gpu-"));
        assertThat(printed("top", "pods", "-n", "inference", "-o", "name").lines())
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .allMatch(line -> line.matches("pod/[a-z0-9-]+"));
        // A pod that another test added may appear between two of these calls; no workload ends.
        List<String> before = workloads();
        List<String> csv = printed("waste", "-o", "csv").lines().toList();
        assertThat(csv.getFirst()).startsWith("namespace,workload,pods,allocated_bytes,");
        assertThat(csv.stream().skip(1).map(KubectlPluginIT::workload).toList())
                .doesNotHaveDuplicates()
                .containsAll(before)
                .isSubsetOf(workloads());
        assertThat(before).isNotEmpty();
        assertThat(gpushare("top", "-o", "csv").err()).contains("only 'waste' has --output csv");
        assertThat(gpushare("why", "p", "-o", "name").err()).contains("'why' has no --no-headers and no --output name");
    }

    @Test
    void labelsSelectRowsOfNodesAndPods() throws Exception {
        assertThat(ran("kubectl", "label", "node", "gpu-t4-0001", "pool=serving")
                        .code())
                .isZero();
        String t4 = "pool=serving";
        assertThat(printed("-l", t4).lines())
                .hasSize(2)
                .satisfiesExactly(
                        head -> assertThat(head).startsWith("NODE "),
                        row -> assertThat(row).startsWith("gpu-t4-0001 "));
        assertThat(printed("top", "--selector=" + t4, "--no-headers").lines())
                .hasSize(4)
                .allMatch(row -> row.startsWith("gpu-t4-0001 "));
        assertThat(printed("-l", "pool!=serving", "-o", "name"))
                .isEqualTo("node/gpu-a100-0000\nnode/gpu-h100-0003\nnode/gpu-l40s-0002\n");
        String pod = printed("top", "pods", "-n", "inference", "-o", "name")
                .lines()
                .findFirst()
                .orElseThrow();
        assertThat(ran("kubectl", "label", "-n", "inference", pod, "team=vision")
                        .code())
                .isZero();
        assertThat(printed("top", "pods", "-n", "inference", "-l", "team=vision", "-o", "name"))
                .isEqualTo(pod + "\n");
        assertThat(printed("top", "pods", "-A", "-l", "team=vision", "-o", "name"))
                .isEqualTo(pod + "\n");
    }

    /** Namespace and name of the workload in a line of the CSV. */
    private static String workload(String line) {
        String[] fields = line.split(",");
        return fields[0] + "/" + fields[1];
    }

    private static List<String> workloads() throws Exception {
        List<String> names = new ArrayList<>();
        waste().path("workloads")
                .forEach(workload -> names.add(workload.path("namespace").asText() + "/"
                        + workload.path("workload").asText()));
        return names;
    }

    @Test
    void anEmptyResultSaysOfWhatItIs() throws Exception {
        waste();
        assertThat(printed("top", "pods", "-n", "nosuch")).isEqualTo("No pods of namespace nosuch on cards.\n");
        assertThat(printed("waste", "-n", "nosuch")).isEqualTo("No pods of namespace nosuch on cards.\n");
    }

    private static List<JsonNode> ordered(String column) throws Exception {
        List<JsonNode> nodes = new ArrayList<>();
        new ObjectMapper()
                .readTree(printed("--sort-by=" + column, "-o", "json"))
                .path("nodes")
                .forEach(nodes::add);
        assertThat(nodes).hasSize(4);
        return nodes;
    }

    private static int freeOnOneCard(JsonNode node) {
        int most = 0;
        for (JsonNode card : node.path("devs")) {
            boolean open = card.path("health").asText().equals("healthy")
                    && !card.path("whole").asBoolean()
                    && !card.path("cordoned").asBoolean()
                    && !card.path("held").asBoolean();
            most = Math.max(
                    most,
                    open ? card.path("totalGPU").asInt() - card.path("usedGPU").asInt() : 0);
        }
        return most;
    }

    private static long sum(JsonNode node, String field) {
        long sum = 0;
        for (JsonNode card : node.path("devs")) {
            sum += card.path(field).asLong();
        }
        return sum;
    }

    @Test
    void jsonAndYamlHaveTheAllocationAsGpushareDoesAndTheUsageBesideIt() throws Exception {
        JsonNode card = new ObjectMapper()
                .readTree(printed("gpu-t4-0001", "-o", "json"))
                .at("/nodes/0/devs/1");
        assertThat(card.path("usedGPU").asInt()).isBetween(1, 15);
        assertThat(card.path("usedBytes").asLong()).isPositive();
        String yaml = printed("gpu-t4-0001", "-oyaml");
        assertThat(yaml)
                .startsWith("nodes:\n- name: gpu-t4-0001\n  totalGPU: 60\n")
                .contains("\n    usedBytes: " + card.path("usedBytes").asLong() + "\n");
        Map<String, Object> parsed = new Yaml().load(yaml);
        assertThat(parsed).containsKey("nodes");
        for (List<String> command : List.of(
                List.of("top"), List.of("top", "pods", "-A"), List.of("why", "tuning-sweep-41", "-nresearch"))) {
            List<String> asYaml = new ArrayList<>(command);
            asYaml.add("-oyaml");
            Map<String, Object> text = new Yaml().load(printed(asYaml.toArray(String[]::new)));
            assertThat(text).as(command.toString()).isNotEmpty();
        }
    }

    @Test
    void versionAndHelpAnswer() throws Exception {
        String pom = Files.readString(PLUGINS.resolve("../../pom.xml"));
        String version = pom.substring(pom.indexOf("<revision>") + 10, pom.indexOf("</revision>"));
        assertThat(printed("--version")).startsWith("Client: " + version + "\nExtender: ");
        assertThat(printed("help")).isEqualTo(printed("--help")).contains("kubectl gpushare why POD");
    }

    @Test
    void coloursAreForTerminalsOnly() throws Exception {
        assertThat(printed()).doesNotContain("\u001b");
        String command = "kubectl gpushare gpu-t4-0001";
        assertThat(onTerminal(command)).contains("\u001b[31munhealthy");
        assertThat(onTerminal("NO_COLOR=1 " + command)).doesNotContain("\u001b");
        assertThat(onTerminal(command + " -o json")).doesNotContain("\u001b");
        assertThat(onTerminal("kubectl inspect gpushare")).doesNotContain("\u001b");
    }

    /** Runs a command with a terminal as its output, by util-linux's script. */
    private static String onTerminal(String command) throws Exception {
        Ran ran = ran("script", "-qec", "TERM=xterm " + command, "/dev/null");
        assertThat(ran.code()).as(ran.out()).isZero();
        return ran.out();
    }

    @Test
    void watchShowsAChangeWhenItHappens() throws Exception {
        ProcessBuilder builder = command("kubectl", "gpushare", "gpu-h100-0003", "-w")
                .redirectOutput(folder.resolve("watched").toFile());
        Process watch = builder.start();
        try {
            awaitText("watched", text -> text.contains("GiB ON EACH CARD"));
            long before = tables("watched");
            Objects.requireNonNull(cluster).addPod("lab", "watched", DisplayedCluster.node(3), 7, 1);
            awaitText("watched", text -> tables("watched") > before);
        } finally {
            watch.descendants().forEach(ProcessHandle::destroy);
            watch.destroy();
        }
    }

    private static long tables(String file) {
        try {
            return Files.readString(folder.resolve(file))
                    .lines()
                    .filter(line -> line.startsWith("NODE"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitText(String file, Predicate<String> there) throws Exception {
        Patience.await().until(() -> Files.readString(folder.resolve(file)), there);
    }

    @Test
    void wasteNamesTheSamePodsAndSumsAsPrometheus() throws Exception {
        String[] scraped = {""};
        // A round may end between two of these calls.
        JsonNode waste = Patience.await()
                .until(
                        () -> {
                            JsonNode before = waste();
                            scraped[0] = metrics();
                            return List.of(before, waste());
                        },
                        both -> both.getFirst().equals(both.getLast()))
                .getFirst();
        JsonNode total = waste.path("total");
        String metrics = scraped[0];
        Map.of(
                        "unusedBytes", "memory_unused_bytes",
                        "usedBytes", "memory_used_bytes",
                        "overBytes", "memory_over_limit_bytes",
                        "idleBytes", "memory_idle_bytes",
                        "podsOver", "pods_over_limit",
                        "podsIdle", "pods_idle")
                .forEach((field, metric) -> assertThat(metric(metrics, metric))
                        .as(metric)
                        .isEqualTo(total.path(field).asDouble()));
        assertThat(total.path("podsIdle").asInt()).isPositive();
        String text = printed("waste");
        System.out.println(text);
        assertThat(text)
                .contains("Allocated and not used", "have not computed for 30 minutes", "NAMESPACE  WORKLOAD")
                .containsPattern("over its limit|idle for \\d+ h")
                .containsPattern("As of [0-9T:-]+Z\\.\n$");
        for (JsonNode pod : waste.path("pods")) {
            if (pod.path("over").asBoolean()) {
                assertThat(printed("top", "pods", "-n", pod.path("namespace").asText()))
                        .containsPattern(pod.path("name").asText() + ".*over its limit");
            }
        }
        assertThat(printed("waste", "-n", "inference")).contains("inference").doesNotContain("training");
    }

    /** The report of the first round in which every plugin responded. */
    private static JsonNode waste() {
        return Patience.await()
                .until(
                        () -> new ObjectMapper().readTree(printed("waste", "-ojson")),
                        waste -> waste.path("reporting").asInt() == 4);
    }

    private static String metrics() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            Objects.requireNonNull(cluster).metrics())
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static double metric(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith("gpushare_cluster_" + name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .findFirst()
                .orElse(-1);
    }

    @Test
    void whyExplainsWhyAPodWaits() throws Exception {
        String why = printed("why", "tuning-sweep-41", "--namespace=research");
        System.out.println(why);
        assertThat(why).isEqualTo("""
            Pod research/tuning-sweep-41 requests 90 GiB of memory on one card.
            None of 4 nodes can take it now:
                  4  No card is large enough, even when empty
                     1 node with NVIDIA A100-SXM4-80GB: too small: one card has 80 GiB, 90 GiB needed
                     1 node with NVIDIA H100 80GB HBM3: too small: one card has 80 GiB, 90 GiB needed
                     1 node with NVIDIA L40S: too small: one card has 45 GiB, 90 GiB needed
                     1 node with Tesla T4: too small: one card has 15 GiB, 90 GiB needed

            What helps:
            - If the program can use several cards, split its memory over them: annotation gpushare.io/cards: "2".
            - The largest such card has 80 GiB: request at most that on one card.
            - As it is requested now, no kind of node in the cluster could take it, even when empty: it needs a new node that offers 90 GiB of memory on one card.
            """);
        assertThat(printed("why", "tuning-sweep-41", "--namespace=research", "--limit", "2"))
                .contains("too small: it has 80 GiB, 90 GiB needed", "2 more nodes with cards not shown");
        assertThat(printed("why", "resnet-train-xl-0", "-n", "training"))
                .contains("No card in this cluster meets model = H200; present are NVIDIA A100-SXM4-80GB, NVIDIA H100");
        assertThat(printed("why", "notebook-jan", "-n", "notebooks"))
                .contains("cannot be placed as it is written.", "annotation gpushare.io/select: at character");
        JsonNode json = new ObjectMapper().readTree(printed("why", "tuning-sweep-41", "-nresearch", "-ojson"));
        assertThat(json.path("feasibleNodes").asInt()).isZero();
    }

    @Test
    void aPodIsNamedAsKubectlAndItsPluginsDo() throws Exception {
        String why = printed("why", "tuning-sweep-41", "-n", "research");
        for (List<String> named : List.of(
                List.of("research/tuning-sweep-41"),
                List.of("research/tuning-sweep-41", "-n", "research"),
                List.of("pod/tuning-sweep-41", "-n", "research"),
                List.of("pods/tuning-sweep-41", "--namespace=research"))) {
            List<String> command = new ArrayList<>(List.of("why"));
            command.addAll(named);
            assertThat(printed(command.toArray(String[]::new)))
                    .as(named.toString())
                    .isEqualTo(why);
        }
        assertThat(printed("defrag", "--for", "research/tuning-sweep-41"))
                .isEqualTo(printed("defrag", "--for", "tuning-sweep-41", "-n", "research"));
        for (String wrong : List.of("a/b/c", "pod/a/b", "/p", "research/", "pod/")) {
            assertThat(gpushare("why", wrong).err())
                    .contains("'" + wrong + "' is not a valid name: write POD, pod/POD or NAMESPACE/POD");
        }
        assertThat(gpushare("why", "research/p", "-n", "lab").err())
                .contains("'research/p' is not in the namespace of -n lab");
    }

    @Test
    void topShowsAllocatedBesideUsed() throws Exception {
        String top = printed("top", "gpu-t4-0001");
        System.out.println(top);
        assertThat(top)
                .containsPattern("NODE +CARD +MEMORY  ALLOCATED +USED +UTIL  TEMP  POWER  STATE\n")
                .containsPattern("gpu-t4-0001  0 .* +\\d+%   \\d\\dC      -  ")
                .containsPattern("gpu-t4-0001  1     15 GiB +\\d+ GiB +[\\d.]+ GiB +\\d+%   \\d\\dC +\\d+W  ok")
                .contains("unhealthy: Xid");
        assertThat(top.lines().filter(line -> !line.contains("unhealthy")))
                .as("a row without remarks fits a narrow terminal")
                .allMatch(line -> line.length() <= 80);
        assertThat(printed("top", "gpu-t4-0001", "-o", "wide")).contains("gpu-t4-0001  1     Tesla T4  15 GiB");
        assertThat(new ObjectMapper()
                        .readTree(printed("top", "gpu-t4-0001", "-o", "json"))
                        .at("/nodes/0/cards/1")
                        .properties())
                .extracting(Map.Entry::getKey)
                .contains("usedBytes", "utilizationPercent", "temperatureCelsius", "powerWatts");
        assertThat(printed("top", "pods", "-A"))
                .containsPattern(" USED +UTIL\n")
                .containsPattern("GiB +\\d+%");
        assertThat(printed("top", "pods", "-A")).contains("NAMESPACE", "inference", "training");
        assertThat(printed("top", "pods", "-n", "inference"))
                .contains("inference")
                .doesNotContain("training");
        assertThat(new ObjectMapper().readTree(printed("top", "-o", "json")).path("nodes"))
                .hasSize(4);
    }

    @Test
    void mistakesEndWithOneAndASentenceThatSaysWhatToDo() throws Exception {
        record Case(String sentence, List<String> arguments) {
            Case(String sentence, String... arguments) {
                this(sentence, List.of(arguments));
            }
        }
        for (Case each : List.of(
                new Case("pod \"none\" not found in namespace default; name its namespace with -n", "why", "none"),
                new Case("node \"none\" is not known; kubectl gpushare shows all nodes", "none"),
                new Case("node \"none\" is not known; kubectl gpushare shows all nodes", "none", "-o", "json"),
                new Case("unknown option --colour; see kubectl gpushare --help", "--colour=red"),
                new Case("name one pod: kubectl gpushare why POD", "why"),
                new Case("--limit ten: write a number", "why", "p", "--limit", "ten"),
                new Case("'a&b' is not a valid name: write a node or pod as kubectl get shows it", "why", "a&b"),
                new Case("--output table: write wide, json or yaml", "-o", "table"),
                new Case("'sort-by' is one of name, allocated, free, used, unused, not size", "--sort-by=size"),
                new Case("-o needs a value; see kubectl gpushare --help", "-o"),
                new Case("no node has the labels pool=none", "-l", "pool=none"),
                new Case("no pod has the labels team=none", "top", "pods", "-A", "-l", "team=none"),
                new Case("--selector chooses rows of nodes, 'top' and 'top pods'", "-d", "-l", "pool=none"),
                new Case("--selector chooses rows of nodes, 'top' and 'top pods'", "waste", "-l", "pool=none"),
                new Case("--service lab: write NAMESPACE/NAME", "--service", "lab"),
                new Case("waste has the most first: omit --sort-by", "waste", "--sort-by=used"),
                new Case("check that the Service lab/other has a ready pod", "--service", "lab/other"))) {
            Ran ran = gpushare(each.arguments().toArray(String[]::new));
            assertThat(ran.code()).as(each.sentence()).isEqualTo(1);
            assertThat(ran.out()).isEmpty();
            assertThat(ran.err()).contains(each.sentence());
            System.out.println("$ kubectl gpushare " + String.join(" ", each.arguments()) + "\n" + ran.err());
        }
        assertThat(printed("--help")).contains("kubectl gpushare why POD");
    }

    @Test
    void mistakesInPodsAreAnsweredBySentencesThatSayWhatToDo() throws Exception {
        record Case(String sentence, Map<String, String> annotations, String resource, String amount) {
            Case(String sentence, String annotation, String value) {
                this(sentence, Map.of("gpushare.io/" + annotation, value), "aliyun.com/gpu-mem", "4");
            }

            Case(String sentence, String resource, int amount) {
                this(sentence, Map.of(), resource, String.valueOf(amount));
            }
        }
        List<Case> cases = List.of(
                new Case("'gpushare.io/sellect' is unknown; did you mean gpushare.io/select?", "sellect", "model = T4"),
                new Case("annotation gpushare.io/select is empty: write a value, or remove", "select", ""),
                new Case("write a fact of cards: ", "select", "colour = red"),
                new Case("write an amount of memory: a whole number and Mi, Gi or Ti", "select", "memory > lots"),
                new Case(
                        "No card in this cluster meets model = H200; present are NVIDIA A100",
                        "select",
                        "model = H200"),
                new Case("No card in this cluster reports the fact numa: remove the condition", "select", "numa = 0"),
                new Case("write true or false", "select", "ecc = yes"),
                new Case("write over how many cards the memory is split, from 1 to 64", "cards", "many"),
                new Case("split its memory over them: annotation gpushare.io/cards", "aliyun.com/gpu-mem", 90),
                new Case("A node has at most 8 such cards: request fewer", "aliyun.com/gpu-count", 9));
        for (int i = 0; i < cases.size(); i++) {
            Case each = cases.get(i);
            String name = "mistake-" + i;
            Objects.requireNonNull(cluster)
                    .addWaiting("mistakes", name, each.annotations(), each.resource(), each.amount());
            String answer = printed("why", name, "-n", "mistakes");
            System.out.println("$ kubectl gpushare why " + name + "   # " + each.annotations() + " " + each.resource()
                    + ": " + each.amount() + "\n" + answer);
            assertThat(answer).contains(each.sentence());
        }
    }

    @Test
    void completionProposesWhatFits() throws Exception {
        String completion = PLUGINS.resolve("kubectl_complete-gpushare").toString();
        assertThat(ran(completion, "wh").out()).isEqualTo("why\n:4\n");
        assertThat(ran(completion, "gpu-a").out()).isEqualTo("gpu-a100-0000\n:4\n");
        assertThat(ran(completion, "why", "-n", "research", "").out())
                .isEqualTo("tuning-sweep-41\ntuning-sweep-42\n:4\n");
        assertThat(ran(completion, "--user", "x", "--limit=3", "wh").out()).isEqualTo("why\n:4\n");
        assertThat(ran(completion, "--cluster=none", "gpu-a").out())
                .as("requested from the address in the options")
                .isEqualTo(":4\n");
        assertThat(ran(completion, "--det").out()).isEqualTo("--details\n:4\n");
        assertThat(ran(completion, "top", "pods", "").out()).isEqualTo(":4\n");
    }
}
