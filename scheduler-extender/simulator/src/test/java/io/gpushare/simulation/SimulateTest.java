package io.gpushare.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import picocli.CommandLine;

class SimulateTest {
    // Pods of 8 and of 5: three of the latter waste one unit of a card, so the placement matters.
    private static final String NODES = """
        node,cpu_milli,memory_mib,cards,card_units,model,count
        big,32000,262144,4,16,T4,20
        small,8000,65536,1,16,T4,20
        """;
    private static final String PODS = """
        pod,cpu_milli,memory_mib,units,cards,models,count
        half,1000,1024,8,0,,60
        third,1000,1024,5,0,,90
        whole,4000,8192,0,1,,30
        four,4000,8192,0,4,,4
        plain,2000,1024,0,0,,30
        """;

    @TempDir
    private Path folder = Path.of("");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("nodes.csv"), NODES);
        Files.writeString(folder.resolve("pods.csv"), PODS);
    }

    @Test
    void itPrintsALinePerPolicyAndShowsProgress() {
        assertThat(simulate("--seeds", "1-3", "--policy", "spread,fgd,wsp,wsp-from-nothing"))
                .isZero();
        assertThat(printed())
                .contains("40 nodes with 100 cards")
                .contains("at 100 %")
                .contains("at 130 %");
        assertThat(allocated("wsp")).isGreaterThan(allocated("spread")).isBetween(90.0, 100.0);
        assertThat(allocated("wsp-from-nothing")).isBetween(90.0, 100.0);
        assertThat(allocated("fgd")).isBetween(80.0, 100.0);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("[12/12]").contains("wsp, seed 3");
    }

    @Test
    void theSameSeedsGiveTheSameFigures() {
        simulate("--seeds", "7,9", "--threads", "2");
        List<String> first = figures();
        out.reset();
        simulate("--seeds", "7,9", "--threads", "1");
        assertThat(figures()).isEqualTo(first).hasSize(5);
    }

    @Test
    void withOnceEachPodArrivesOnceInTheOrderOfTheList() {
        assertThat(simulate("--once", "--seeds", "1-1", "--policy", "bestfit")).isZero();
        // 60 * 8 + 90 * 5 + 46 cards of 16, of 1600.
        assertThat(printed())
                .contains("104.1 % of them")
                .contains("each arrives once")
                .contains("of 214");
    }

    @Test
    void thePlotIsAnSvgWithALinePerPolicy() throws Exception {
        Path plot = folder.resolve("out.svg");
        SvgPlot.main(
                folder.resolve("nodes.csv").toString(),
                folder.resolve("pods.csv").toString(),
                plot.toString(),
                "spread,bestfit");
        Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(plot.toFile());
        assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(2);
    }

    @Test
    void invalidOptionsAreReportedInOneSentence() {
        assertRefused("unknown policy 'best'", "--policy", "best");
        assertRefused("--seeds 3-1: write numbers such as 42-51", "--seeds", "3-1");
        assertRefused("--seeds x:", "--seeds", "x");
        assertRefused("--seeds 2: write 2-2 for the seed 2 alone, or 42-43 for 2 replays", "--seeds", "2");
        assertRefused("--arrive 0: write", "--arrive", "0");
        assertRefused("--threads 0: write", "--threads", "0");
    }

    @Test
    void lifetimesPrintTheWaitsByClass() throws IOException {
        Files.writeString(folder.resolve("pods.csv"), """
            pod,cpu_milli,memory_mib,units,cards,models,count,created,duration
            share,100,100,3,0,,90,0,600
            whole,100,100,0,1,,120,60,600
            eight,100,100,0,4,,9,90,600
            """);
        assertThat(simulate("--lifetimes", "--speed", "1.0,2.0")).isZero();
        assertThat(printed())
                .contains("Pods come 1.0 times as fast", "Pods come 2.0 times as fast")
                .containsPattern("policy +allocated +small share +whole cards +beside free +never")
                .containsPattern("(?m)^adaptive +[0-9.]+ % +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ h +0$");
        assertRefused("--speed: write numbers", "--lifetimes", "--speed", "0");
        Files.writeString(folder.resolve("pods.csv"), PODS);
        assertRefused("missing column 'created'", "--lifetimes");
    }

    @Test
    void refusedPodsAreCountedByClass() {
        simulate("--seeds", "1-2", "--policy", "bestfit", "--arrive", "150");
        assertThat(printed())
                .containsPattern("refused by class +.*whole cards")
                .containsPattern("(?m)^bestfit +[0-9.]+ +");
        out.reset();
        simulate("--seeds", "1-2", "--policy", "bestfit", "-o", "json");
        assertThat(printed())
                .startsWith("{\"policies\":[{\"policy\":\"bestfit\",\"arrived\":130,\"allocated\":")
                .contains("\"refused\":{\"smallShare\":");
        assertRefused("--output yaml: write json", "-o", "yaml");
    }

    @Test
    void missingFilesAreNamed() {
        SimulateCommand simulate = new SimulateCommand();
        new CommandLine(simulate).parseArgs();
        assertThat(simulate.run(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8)))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("name the files with --nodes and --pods");
    }

    private void assertRefused(String sentence, String... args) {
        err.reset();
        assertThat(simulate(args)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("simulate: ").contains(sentence);
    }

    private int simulate(String... more) {
        List<String> args = new ArrayList<>(List.of(
                "--nodes",
                folder.resolve("nodes.csv").toString(),
                "--pods",
                folder.resolve("pods.csv").toString()));
        args.addAll(List.of(more));
        SimulateCommand simulate = new SimulateCommand();
        new CommandLine(simulate).parseArgs(args.toArray(String[]::new));
        return simulate.run(
                new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private List<String> figures() {
        return Pattern.compile("^[a-z-]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +\\d+ of \\d+", Pattern.MULTILINE)
                .matcher(printed())
                .results()
                .map(result -> result.group())
                .toList();
    }

    private double allocated(String policy) {
        Matcher line = Pattern.compile("^" + policy + " +[0-9.]+ +([0-9.]+) ", Pattern.MULTILINE)
                .matcher(printed());
        assertThat(line.find()).isTrue();
        return Double.parseDouble(line.group(1));
    }
}
