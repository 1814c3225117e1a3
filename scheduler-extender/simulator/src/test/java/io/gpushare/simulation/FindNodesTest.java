package io.gpushare.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The option {@code --find}; the nodes and pods are those of SIMULATE.md. */
class FindNodesTest {
    private static final String NODES = """
        node,cpu_milli,memory_mib,cards,card_units,model,count
        t4,32000,131072,4,16,T4,10
        h100,96000,786432,8,80,H100,2
        """;
    private static final String COLUMNS = "pod,cpu_milli,memory_mib,units,cards,models,count\n";
    private static final List<String> PODS = List.of(
            "web,500,1024,4,0,T4,60",
            "notebook,2000,8192,10,0,,40",
            "train,8000,65536,0,2,H100,8",
            "large,64000,524288,0,8,H100,3");

    @TempDir
    private Path folder = Path.of("");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("nodes.csv"), NODES);
        pods(PODS);
    }

    @Test
    void theFewestNodesAreProven() {
        assertThat(find("--find", "nodes.model=H100")).isZero();
        assertThat(printed())
                .startsWith("6 nodes with H100 are enough with ")
                .contains("; the list has 2. Refused: none")
                .contains("Fewer are not enough: on 5, the largest pods lack memory of cards.");
    }

    @Test
    void inReverseOrderTheFewestAreTheSame() throws IOException {
        pods(PODS.reversed());
        assertThat(find("--find", "nodes.model=H100")).isZero();
        assertThat(printed())
                .startsWith("6 nodes with H100 are enough with ")
                .contains("With adaptive-through-extender, in the order of the list: no number is enough");
    }

    @Test
    void someMayBeRefused() {
        find("--find", "nodes.model=H100", "--for", "refused<=2", "--policy", "binpack", "-o", "json");
        assertThat(printed())
                .containsPattern(
                        "\\{\"nodes\":4,\"before\":2,\"policy\":\"[a-z-]+\",\"order\":\"[a-z-]+\",\"refused\":2,"
                                + "\"atLeast\":4,\"asked\":\\{\"policy\":\"binpack\",\"nodes\":\\d+}}");
    }

    @Test
    void aMistypedModelIsNamed() throws IOException {
        assertRefused("no node has cards of model 'H10O': write one of H100, T4", "--find", "nodes.model=H10O");
        pods(List.of("train,8000,65536,0,2,H10O,8", "web,500,1024,4,0,T4|T40,60"));
        assertRefused(
                "8 pods fit no node with H100 and no other node, even an empty one: 8 with cpu_milli 8000, memory_mib"
                        + " 65536, units 0, cards 2, models H10O. The nodes have cards of H100, T4",
                "--find",
                "nodes.model=H100");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("pods name models that no node has: H10O, T40");
    }

    @Test
    void podsThatFitNothingAreNamed() throws IOException {
        List<String> pods = new ArrayList<>(PODS);
        Collections.addAll(pods, "huge,1000,1024,81,0,,2", "wide,1000,1024,0,9,,1");
        pods(pods);
        assertRefused("3 pods fit no node with H100", "--find", "nodes.model=H100");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("2 with ", "units 81", "1 with ", "cards 9");
        assertThat(find("--find", "nodes.model=H100", "--for", "refused<=3", "--policy", "binpack"))
                .isZero();
        assertThat(printed()).startsWith("6 nodes with H100").contains("Refused: 2 large share, 1 8 cards");
    }

    @Test
    void podsForOtherNodesMayBeTooMany() {
        assertRefused(
                "no number of nodes with T4 is enough: pods that fit only the other nodes lack memory of cards there",
                "--find",
                "nodes.model=T4");
    }

    @Test
    void invalidOptionsAreNamed() {
        assertRefused("--find cards: write nodes.model=", "--find", "cards");
        assertRefused("--for none: write refused=0", "--find", "nodes.model=T4", "--for", "none");
    }

    private void pods(List<String> rows) throws IOException {
        Files.writeString(folder.resolve("pods.csv"), COLUMNS + String.join("\n", rows));
    }

    private void assertRefused(String sentence, String... args) {
        err.reset();
        assertThat(find(args)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("simulate: ").contains(sentence);
    }

    private int find(String... more) {
        List<String> args =
                new ArrayList<>(List.of("--nodes", folder.resolve("nodes.csv").toString()));
        Collections.addAll(args, "--pods", folder.resolve("pods.csv").toString());
        Collections.addAll(args, more);
        SimulateCommand simulate = new SimulateCommand();
        new CommandLine(simulate).parseArgs(args.toArray(String[]::new));
        return simulate.run(
                new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }
}
