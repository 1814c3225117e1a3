package io.gpushare.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulation.trace.ArrivalOrder;
import io.gpushare.simulation.trace.BadInputException;
import io.gpushare.simulation.trace.NodeTrace;
import io.gpushare.simulation.trace.PodTrace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files with random damage either are read and replayed, or are refused in a sentence. No other exception ends a run.
 */
class TraceFuzzTest {
    private static final int FILES = 4000;
    private static final int MAX_REPLAYED_PODS = 2000;
    private static final int MAX_REPLAYED_NODES = 200;

    private static final List<String> NODES = List.of("""
        sn,cpu_milli,memory_mib,gpu,model
        n-0,64000,262144,2,P100
        n-1,64000,262144,8,V100M32
        """, """
        node,cpu_milli,memory_mib,cards,card_units,model,count
        small,32000,131072,2,16,T4,3
        mixed,64000,262144,2,16,T4,1
        mixed,64000,262144,2,32,V100,1
        """, """
        node,cpu_milli,memory_mib,cards,card_units,model,mig,count
        cut,64000,262144,2,80,T4,3g.40gb|2g.20gb|1g.10gb|1g.10gb+me,2
        cut,64000,262144,1,80,V100,,2
        """);
    private static final List<String> PODS = List.of("""
        name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
        a,12000,16384,1,1000,,LS,Running,0,12537496,0
        b,6000,12288,1,460,V100M32|V100M32,LS,Running,427061,12902960,427061
        """, """
        pod,cpu_milli,memory_mib,units,cards,models,count,created,duration
        web,500,1024,4,0,,40,0,100
        train,16000,65536,0,2,V100|T4,3,5,100
        """, """
        pod,cpu_milli,memory_mib,units,cards,models,mig,count,created,duration
        web,500,1024,4,0,,,40,0,100
        tenant,500,1024,0,0,T4,1g.10gb,3,5,100
        """);
    private static final List<String> WORDS = List.of(
            "",
            ",",
            "|",
            "\n",
            "\r\n",
            "-1",
            "0",
            "1",
            "9",
            "257",
            "2147483647",
            "99999999999",
            "1e9",
            "NaN",
            "T4",
            "node",
            "count",
            "\"",
            "\u0000",
            "\uFEFF",
            "\uD83D\uDE00",
            "ü",
            " ",
            "\t",
            "#",
            "a,b",
            "gpu_spec",
            "mig",
            "7g.80gb",
            "models",
            "sn",
            "model in (");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void noInputEndsInAnotherException() throws Exception {
        Random random = new Random(20);
        int read = 0;
        for (int i = 0; i < FILES; i++) {
            Path nodes = write("nodes.csv", damaged(NODES.get(random.nextInt(NODES.size())), random));
            Path pods = write("pods.csv", damaged(PODS.get(random.nextInt(PODS.size())), random));
            try {
                replay(nodes, pods);
                read++;
                PodTrace.readTimed(pods, NodeTrace.read(nodes));
            } catch (BadInputException e) {
                assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(1000);
            }
        }
        // The damage leaves some files valid, and makes others invalid.
        assertThat(read).isBetween(FILES / 20, FILES * 19 / 20);
    }

    private static void replay(Path nodes, Path pods) throws BadInputException, InterruptedException {
        NodeTrace cluster = NodeTrace.read(nodes);
        Experiment experiment = Experiment.of(
                cluster,
                PodTrace.read(pods),
                new ArrivalOrder.Shuffled(110),
                List.of(Contestant.parse("bestfit"), Contestant.parse("wsp-through-extender")),
                List.of(1L));
        experiment.describe();
        if (experiment.pods().size() <= MAX_REPLAYED_PODS && cluster.nodes(1).size() <= MAX_REPLAYED_NODES) {
            Experiment.of(cluster, experiment.pods(), new ArrivalOrder.Once(), experiment.contestants(), List.of(1L))
                    .run(1, () -> 0, line -> {});
        }
    }

    private static byte[] damaged(String text, Random random) {
        StringBuilder changed = new StringBuilder(text);
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(changed.length() + 1);
            int end = Math.min(changed.length(), at + random.nextInt(6));
            changed.replace(at, end, WORDS.get(random.nextInt(WORDS.size())));
        }
        byte[] bytes = changed.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0 && random.nextInt(20) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }
}
