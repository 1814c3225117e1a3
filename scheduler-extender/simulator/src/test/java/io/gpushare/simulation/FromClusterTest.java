package io.gpushare.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.net.httpserver.HttpServer;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.simulation.trace.BadInputException;
import io.gpushare.simulation.trace.Workload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FromClusterTest {
    private static final String NODES = """
        {"version": 1, "nodes": [
          {"name": "a", "unitMiB": 1024, "cards": [
            {"index": 0, "uuid": "GPU-1", "model": "NVIDIA H100 80GB HBM3", "memoryMiB": 81559, "units": 79, "pods": [
              {"namespace": "lab", "name": "two", "units": 20}, {"namespace": "lab", "name": "one", "units": 5}]},
            {"index": 1, "uuid": "GPU-2", "model": "NVIDIA H100 80GB HBM3", "memoryMiB": 81559, "units": 79, "pods": [
              {"namespace": "lab", "name": "two", "units": 20}]},
            {"index": 2, "uuid": "GPU-3", "model": "NVIDIA H100 80GB HBM3", "memoryMiB": 81559, "units": 79, "whole": true,
              "pods": [{"namespace": "lab", "name": "whole", "units": 79, "whole": true}]},
            {"index": 3, "uuid": "GPU-4", "model": "NVIDIA H100 80GB HBM3", "units": 79, "unhealthy": "Xid 79", "pods": []}]},
          {"name": "b", "unitMiB": 1024, "cards": [{"index": 0, "model": "Tesla T4", "units": 15, "pods": []}]}]}
        """;
    private static final String CLUSTER = """
        {"version": 1, "revision": "r", "nodes": [{"name": "a", "unitMiB": 1024, "cards": [{"model": 0, "units": 79, "shares": []}]}],
         "waiting": {"count": 3, "demands": [{"text": "8 whole cards", "units": 0, "sharedCards": 0, "wholeCards": 8}],
           "pods": [{"name": "x", "demand": 0}, {"name": "y", "demand": 0}, {"name": "z", "fault": "no"}]}}
        """;

    @TempDir
    private Path folder = Path.of("");

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void theCardsAndPodsAreThoseOfTheView() throws Exception {
        assertThat(read(NODES + CLUSTER)).satisfies(FromClusterTest::isComplete);
    }

    @Test
    void instancesAreCardsThatNoWholeCardPodGets() throws Exception {
        Workload workload = read("""
            {"version": 1, "nodes": [{"name": "a", "unitMiB": 1024, "cards": [
              {"index": 0, "uuid": "GPU-1", "model": "NVIDIA H100 80GB HBM3", "units": 79, "pods": []},
              {"index": 1, "uuid": "MIG-1", "model": "NVIDIA H100 80GB HBM3 MIG 3g.40gb", "units": 39, "whole": true,
                "pods": [{"namespace": "lab", "name": "taken", "units": 39, "whole": true}]},
              {"index": 2, "uuid": "MIG-2", "model": "NVIDIA H100 80GB HBM3 MIG 1g.10gb+me", "units": 9,
                "pods": [{"namespace": "lab", "name": "memory", "units": 3}]}]}],
             "waiting": {"count": 2, "demands": [
                 {"text": "1 MIG instance", "units": 0, "sharedCards": 0, "wholeCards": 1, "profile": "1g.10gb.me"},
                 {"text": "1 whole card", "units": 0, "sharedCards": 0, "wholeCards": 1}],
               "pods": [{"name": "x", "demand": 0}, {"name": "y", "demand": 1}]}}
            """);
        String large = "NVIDIA H100 80GB HBM3 MIG 3g.40gb";
        String small = "NVIDIA H100 80GB HBM3 MIG 1g.10gb.me";
        assertThat(workload.nodes().nodes(0).getFirst().entry().cards().open().cards())
                .extracting(CardState::kind)
                .containsExactly(
                        CardKind.instance(small, 9),
                        CardKind.instance(large, 39),
                        new CardKind("NVIDIA H100 80GB HBM3", 79));
        assertThat(workload.pods())
                .containsExactly(
                        new PodRequest(0, 0, Share.INSTANCE.withUnits(39), 0, Set.of(large)),
                        new PodRequest(0, 0, 3, 0, Set.of()),
                        new PodRequest(0, 0, Share.INSTANCE.withUnits(9), 0, Set.of(small)),
                        new PodRequest(0, 0, 0, 1, Set.of()));
    }

    /** Two pools of one node each; a pod that waits for the first, and one for a pool that no node is of. */
    @Test
    void podsArePlacedOnNodesThatTheyAccept() throws Exception {
        String view = """
            {"version": 1, "nodes": [
              {"name": "red", "unitMiB": 1024, "cards": [{"index": 0, "model": "Tesla T4", "units": 15, "pods": [
                {"namespace": "lab", "name": "tolerant", "units": 5}]}]},
              {"name": "blue", "unitMiB": 1024, "cards": [{"index": 0, "model": "Tesla T4", "units": 15, "pods": []}]}],
             "waiting": {"count": 3, "demands": [{"text": "7 units", "units": 7, "sharedCards": 1, "wholeCards": 0}],
               "pods": [{"namespace": "lab", "name": "selects", "demand": 0},
                 {"namespace": "lab", "name": "research", "demand": 0},
                 {"namespace": "lab", "name": "plain", "demand": 0}]}}
            """;
        String objects = """
            {"apiVersion": "v1", "kind": "List", "items": [
              {"kind": "Node", "metadata": {"name": "red", "labels": {"pool": "red"}},
               "spec": {"taints": [{"key": "team", "effect": "NoSchedule"}]}},
              {"kind": "Node", "metadata": {"name": "blue", "labels": {"pool": "blue"}}},
              {"kind": "Pod", "metadata": {"namespace": "lab", "name": "tolerant"},
               "spec": {"tolerations": [{"operator": "Exists"}]}},
              {"kind": "Pod", "metadata": {"namespace": "lab", "name": "selects"},
               "spec": {"nodeSelector": {"pool": "red"}, "tolerations": [{"key": "team", "operator": "Exists"}]}},
              {"kind": "Pod", "metadata": {"namespace": "lab", "name": "research"},
               "spec": {"nodeSelector": {"pool": "research"}}},
              {"kind": "Pod", "metadata": {"namespace": "lab", "name": "plain"}, "spec": {}}]}
            """;
        String red = "Tesla T4 like red";
        String blue = "Tesla T4 like blue";
        Workload workload = read(view + objects);
        assertThat(workload.note()).isEmpty();
        assertThat(workload.nodes().models()).containsExactly(blue, red);
        assertThat(workload.pods())
                .extracting(PodRequest::units, PodRequest::models)
                .containsExactly(
                        tuple(5, Set.of()),
                        tuple(7, Set.of(red)),
                        tuple(7, Set.of("those of no node, by the pods' selectors, affinity or taints")),
                        tuple(7, Set.of(blue)));
        assertThat(workload.nodes().like("like red").entry().cards().cards())
                .extracting(CardState::kind)
                .containsExactly(new CardKind(red, 15));
        String file = Files.writeString(folder.resolve("cluster.json"), view + objects)
                .toString();
        for (String policy : List.of("bestfit", "adaptive-through-extender")) {
            assertThat(replayed(file, policy)).as(policy).contains("\"largeShare\":1.0");
        }
        assertThat(printed.size()).isZero();
        assertThat(replayed(Files.writeString(folder.resolve("view.json"), view).toString(), "bestfit"))
                .contains("\"largeShare\":0.0");
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("simulate: which nodes pods accept");
        assertThat(read(view).note()).startsWith("which nodes pods accept");
        assertThat(read(view).nodes().models()).containsExactly("Tesla T4");
    }

    @Test
    void poolsAreModelsUpToASelectorsNumberOfValues() throws Exception {
        assertThat(read(pools(400, 2, 2000)).nodes().models()).hasSize(2);
        assertThat(read(pools(128, 128, 128)).nodes().models()).hasSize(128);
        assertThatThrownBy(() -> read(pools(400, 400, 1000)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("make more than 128 models of the cards");
    }

    /** Nodes of 8 cards in that many pools, with pods that wait for one of them in turn. */
    private static String pools(int nodes, int pools, int pods) {
        List<String> view = new ArrayList<>();
        List<String> waiting = new ArrayList<>();
        List<String> objects = new ArrayList<>();
        String card = "{\"index\": %d, \"model\": \"Tesla T4\", \"units\": 15, \"pods\": []}";
        String cards = IntStream.range(0, 8).mapToObj(card::formatted).collect(Collectors.joining(","));
        for (int i = 0; i < nodes; i++) {
            view.add("{\"name\": \"n%d\", \"unitMiB\": 1024, \"cards\": [%s]}".formatted(i, cards));
            objects.add("{\"kind\": \"Node\", \"metadata\": {\"name\": \"n%d\", \"labels\": {\"pool\": \"%d\"}}}"
                    .formatted(i, i % pools));
        }
        for (int i = 0; i < pods; i++) {
            waiting.add("{\"namespace\": \"lab\", \"name\": \"p%d\", \"demand\": 0}".formatted(i));
            objects.add(("{\"kind\": \"Pod\", \"metadata\": {\"namespace\": \"lab\", \"name\": \"p%d\"},"
                            + " \"spec\": {\"nodeSelector\": {\"pool\": \"%d\"}}}")
                    .formatted(i, i % pools));
        }
        return """
            {"version": 1, "nodes": [%s], "waiting": {"count": %d, "demands": [
              {"text": "7 units", "units": 7, "sharedCards": 1, "wholeCards": 0}], "pods": [%s]}}
            {"apiVersion": "v1", "kind": "List", "items": [%s]}
            """.formatted(String.join(",", view), pods, String.join(",", waiting), String.join(",", objects));
    }

    @Test
    void anExtenderIsAskedForBothResponses() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Map.of("nodes", NODES, "cluster", CLUSTER)
                .forEach((path, body) -> server.createContext("/gpushare-scheduler/v1/" + path, exchange -> {
                    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                }));
        server.start();
        try {
            String address = "http://localhost:" + server.getAddress().getPort();
            assertThat(Workload.read(null, null, address + "/")).satisfies(FromClusterTest::isComplete);
            assertRefused("status 404", address + "/other");
        } finally {
            server.stop(0);
        }
        assertRefused("can't be read", "http://localhost:1");
        assertRefused("write the extender's address", "http://a b");
    }

    @Test
    void whatIsNoResponseOfTheViewIsRefusedWithASentence() throws Exception {
        assertRefused("does not exist", folder.resolve("none").toString());
        assertRefused("is a directory", folder.toString());
        assertThatThrownBy(() -> read("[]"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("no JSON object");
        assertThatThrownBy(() -> read("{\"nodes\": ["))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("is not JSON");
        assertThatThrownBy(() -> read(CLUSTER))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("lists no card");
        assertThatThrownBy(() -> read(NODES + NODES))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("two nodes a");
        assertThatThrownBy(() -> read(NODES.replace("\"b\", \"unitMiB\": 1024", "\"b\", \"unitMiB\": 256")))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("units of 1024 MiB and of 256 MiB");
        assertThatThrownBy(() -> Workload.read(folder, null, "file"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("omit --nodes");
    }

    /** The result of one replay; what else it says about its input is in {@link #printed}. */
    private String replayed(String cluster, String policy) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        SimulateCommand simulate = new SimulateCommand();
        new CommandLine(simulate)
                .parseArgs("--from-cluster", cluster, "--once", "--policy", policy, "--seeds", "1-1", "-o", "json");
        assertThat(simulate.run(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8)))
                .isZero();
        err.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("simulate: "))
                .forEach(line -> printed.writeBytes(line.getBytes(StandardCharsets.UTF_8)));
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void isComplete(Workload workload) throws BadInputException {
        assertThat(workload.nodes().nodes(0))
                .extracting(node -> node.entry().cards().cards().size())
                .containsExactly(3, 1);
        assertThat(workload.nodes().count("H100")).isOne();
        assertThat(workload.nodes().without("H100")).hasSize(1);
        assertThat(workload.nodes().like("H100").entry().cards().cards()).hasSize(3);
        assertThat(workload.pods())
                .extracting(PodRequest::units, PodRequest::cards)
                .containsExactly(tuple(20, 0), tuple(20, 0), tuple(5, 0), tuple(0, 1), tuple(0, 8), tuple(0, 8));
    }

    private Workload read(String responses) throws IOException, BadInputException {
        Path file = Files.writeString(folder.resolve("cluster.json"), responses);
        return Workload.read(null, null, file.toString());
    }

    private static void assertRefused(String sentence, String source) {
        assertThatThrownBy(() -> Workload.read(null, null, source))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(sentence);
    }
}
