package io.gpushare.simulation.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFilesTest {
    private static final String OPENB_PODS =
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void openbIsRead() throws Exception {
        List<KnownNode> nodes = NodeTrace.read(file("sn,cpu_milli,memory_mib,gpu,model\nn-0,64000,262144,2,P100\n"))
                .nodes(0);
        assertThat(nodes).hasSize(1);
        assertThat(nodes.getFirst().entry().free().cpuMilli()).isEqualTo(64_000);
        assertThat(nodes.getFirst().entry().free().memoryMib()).isEqualTo(262_144);
        assertThat(nodes.getFirst().entry().cards().cards())
                .allMatch(CardState::unused)
                .extracting(CardState::kind)
                .containsExactly(new CardKind("P100", 1000), new CardKind("P100", 1000));
        assertThat(PodTrace.read(file(OPENB_PODS + "a,12000,16384,1,1000,,LS,Running,0,1,0\n"
                        + "b,6000,12288,1,460,V100M16|V100M32,LS,Running,0,1,\n"
                        + "c,8000,100,0,0,,BE,Failed,0,1,0\n"
                        + "d,1,1,8,1000,,LS,Running,0,1,0\n")))
                .containsExactly(
                        new PodRequest(12_000, 16_384, 0, 1, Set.of()),
                        new PodRequest(6000, 12_288, 460, 0, Set.of("V100M16", "V100M32")),
                        new PodRequest(8000, 100, 0, 0, Set.of()),
                        new PodRequest(1, 1, 0, 8, Set.of()));
    }

    @Test
    void ourFormatHasSeveralKindsOfCardsOnANodeAndCounts() throws Exception {
        List<KnownNode> nodes = NodeTrace.read(file("""
            node,cpu_milli,memory_mib,cards,card_units,model,count
            mixed,32000,65536,1,16,T4,
            mixed,32000,65536,2,32,V100,

            big,96000,786432,8,80,A100,3
            """)).nodes(0);
        assertThat(nodes).extracting(KnownNode::name).containsExactlyInAnyOrder("mixed", "big-1", "big-2", "big-3");
        assertThat(nodes.getFirst().entry().cards().open().cards())
                .extracting(card ->
                        card.card().index() + card.kind().model() + card.free().units())
                .containsExactly("0T416", "1V10032", "2V10032");
        assertThat(PodTrace.read(file("""
            pod,cpu_milli,memory_mib,units,cards,models,count
            web,500,1024,4,0,,3
            train,8000,65536,0,2,A100|H100,1
            """)))
                .hasSize(4)
                .contains(
                        new PodRequest(500, 1024, 4, 0, Set.of()),
                        new PodRequest(8000, 65_536, 0, 2, Set.of("A100", "H100")));
    }

    @Test
    void cardsAreCutIntoInstancesAndPodsTakeThemByTheirProfile() throws Exception {
        Workload workload = Workload.read(file("""
            node,cpu_milli,memory_mib,cards,card_units,model,mig,count
            a,32000,65536,1,80,H100,,2
            a,32000,65536,1,80,H100,3g.40gb | 1g.10gb+me,2
            b,32000,65536,1,141,H200,3g.71gb|3g.71gb,
            """), file("""
                pod,cpu_milli,memory_mib,units,cards,models,mig,count
                any,500,1024,,,,3g.40gb,2
                one,500,1024,0,0,H100,1g.10gb.me,
                web,500,1024,4,0,H100,,
                lost,500,1024,0,0,H100,3g.71gb,
                train,500,1024,0,1,H200,,
                """), null);
        CardKind large = CardKind.instance("H100 MIG 3g.40gb", 40);
        CardKind small = CardKind.instance("H100 MIG 1g.10gb.me", 10);
        CardKind half = CardKind.instance("H200 MIG 3g.71gb", 71);
        assertThat(workload.nodes().nodes(0))
                .extracting(node -> node.entry().cards().open().cards().stream()
                        .map(CardState::kind)
                        .toList())
                .containsExactly(
                        List.of(small, large, new CardKind("H100", 80)),
                        List.of(small, large, new CardKind("H100", 80)),
                        List.of(half, half));
        assertThat(workload.pods())
                .containsExactly(
                        instance(40, large.model()),
                        instance(40, large.model()),
                        instance(10, small.model()),
                        new PodRequest(500, 1024, 4, 0, Set.of("H100", large.model(), small.model())),
                        instance(71, "H100 MIG 3g.71gb"),
                        new PodRequest(500, 1024, 0, 1, Set.of("H200", half.model())));
    }

    private static PodRequest instance(int units, String model) {
        return new PodRequest(500, 1024, Share.INSTANCE.withUnits(units), 0, Set.of(model));
    }

    @Test
    void cutsThatNoCardHasAreRefusedWithWhatToDo() throws IOException {
        assertCut(
                "half", 80, "line 2: column mig has 'half': write profiles as nvidia-smi lists them, such as 3g.40gb");
        assertCut("3g.40gb||1g.10gb", 80, "column mig has ''");
        assertCut("1g.10gb" + "+a".repeat(5000), 80, "column mig has '1g.10gb+a");
        assertCut("8g.80gb", 80, "column mig has '8g.80gb'");
        assertCut(
                "4g.40gb|4g.40gb",
                80,
                "column mig: the instances have 8 slices (the number before g), and a card has 7");
        assertCut("3g.40gb|2g.20gb", 40, "column mig: the instances have 60 GiB, and the card has card_units 40");
        assertCut(
                "1g.10gb",
                1000,
                "1g.10gb is too small for a card with card_units 1000: write the profiles of that card,"
                        + " and with MIG all units in GiB");
        assertPods(
                "pod,cpu_milli,memory_mib,units,cards,models,mig\na,1,1,0,0,,large\n",
                "line 2: column mig has 'large'");
        assertPods(
                "pod,cpu_milli,memory_mib,units,cards,models,mig\na,1,1,4,0,,1g.10gb\n",
                "line 2: the pod takes an instance whole and has units or cards as well: leave these empty");
    }

    @Test
    void cutsOfRealCardsAreAccepted() throws Exception {
        for (String cut : List.of(
                "24 1g.6gb|1g.6gb|1g.6gb|1g.6gb",
                "39 3g.20gb|2g.10gb|1g.5gb|1g.5gb",
                "79 7g.80gb",
                "79 1g.20gb|1g.20gb|1g.20gb|1g.20gb",
                "94 1g.24gb|1g.24gb|1g.24gb|1g.24gb",
                "140 4g.71gb|3g.71gb",
                "179 1g.45gb|1g.45gb|1g.45gb|1g.45gb",
                "80 1c.3g.40gb|1g.10gb+me")) {
            String[] card = cut.split(" ");
            assertThat(NodeTrace.read(file(cut(card[1], Integer.parseInt(card[0]))))
                            .nodes(0))
                    .hasSize(1);
        }
    }

    private void assertCut(String mig, int units, String sentence) throws IOException {
        assertNodes(cut(mig, units), sentence);
    }

    private static String cut(String mig, int units) {
        return "node,cpu_milli,memory_mib,cards,card_units,model,mig\nn,1,1,1," + units + ",H100," + mig + "\n";
    }

    @Test
    void invalidFilesAreReportedWithTheLine() throws IOException {
        assertNodes("sn,cpu_milli,memory_mib,gpu,model\nn,64000,x,2,P100\n", "line 2: column memory_mib is 'x'");
        assertNodes("sn,cpu_milli,memory_mib,gpu,model\nn,64000,1,2\n", "line 2: it has 4 values");
        assertNodes("name,cpu\nn,1\n", "missing column 'cards'");
        assertNodes("node,node\nn,1\n", "names a column twice");
        assertNodes("", "is empty");
        assertNodes(
                "node,cpu_milli,memory_mib,cards,card_units,model\nn,1,1,2,0,T4\n", "write a whole number from 1 to");
        assertNodes("node,cpu_milli,memory_mib,cards,card_units,model\nn,1,1,0,,\n", "lists no card");
        assertNodes(
                "node,cpu_milli,memory_mib,cards,card_units,model\nn,1,1,2,1,T4\nn,2,1,2,1,T4\n",
                "line 3: node n appears above with another cpu");
        assertPods(OPENB_PODS + "a,1,1,2,500,,,,,,\n", "line 2: num_gpu 2 with gpu_milli 500");
        assertPods(OPENB_PODS + "a,1,1,0,0,,,,,,\n", "lists no pod that requests a card");
        assertPods("pod,cpu_milli,memory_mib,units,cards,models\na,-1,1,1,0,\n", "write a whole number from 0 to");
        assertPods("pod,cpu_milli,memory_mib,units,cards,models\na,1,1,1,0,A100||T4\n", "line 2: write 1 to 64 models");
        assertPods(
                "pod,cpu_milli,memory_mib,units,cards,models,count\na,1,1,1,0,,900000\nb,1,1,1,0,,900000\n",
                "line 3: the list has more than 1000000 pods");
        assertNodes(
                "node,cpu_milli,memory_mib,cards,card_units,model,count\nn,1,1,2,16,T4,2\nn-2,1,1,2,16,T4,1\n",
                "line 3: there are two nodes n-2");
        assertNodes("node,cpu_milli,memory_mib,cards,card_units,model\nn,1,1,300,1,T4\n", "cards is '300'");
    }

    @Test
    void filesThatCannotBeReadAreReportedInWords() throws IOException {
        assertUnreadable(folder.resolve("absent.csv"), "absent.csv does not exist");
        assertUnreadable(folder, "is a directory");
        assertUnreadable(
                Files.write(folder.resolve("binary"), new byte[] {(byte) 0xc3, 0x28}), "binary is not UTF-8 text");
    }

    private static void assertUnreadable(Path file, String sentence) {
        assertThatThrownBy(() -> PodTrace.read(file))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void openbsGpuspecListsNameAModelTwice() throws Exception {
        assertThat(PodTrace.read(file(OPENB_PODS + "a,1,1,1,460,V100M32|V100M32,LS,Running,0,1,\n")))
                .containsExactly(new PodRequest(1, 1, 460, 0, Set.of("V100M32")));
    }

    @Test
    void openbsMultigpuListsHaveNoModels() throws Exception {
        assertThat(PodTrace.read(file("""
            name,cpu_milli,memory_mib,num_gpu,gpu_milli,qos,pod_phase
            a,1,1,8,1000,LS,Running
            """))).containsExactly(new PodRequest(1, 1, 0, 8, Set.of()));
    }

    @Test
    void aByteOrderMarkIsSkipped() throws Exception {
        assertThat(PodTrace.read(file("\uFEFFpod,cpu_milli,memory_mib,units,cards,models\r\na,1,1,4,0,\r\n")))
                .containsExactly(new PodRequest(1, 1, 4, 0, Set.of()));
    }

    private void assertNodes(String text, String sentence) throws IOException {
        Path file = file(text);
        assertThatThrownBy(() -> NodeTrace.read(file))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(sentence);
    }

    private void assertPods(String text, String sentence) throws IOException {
        Path file = file(text);
        assertThatThrownBy(() -> PodTrace.read(file))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(sentence);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(Files.createTempFile(folder, "list", ".csv"), text);
    }
}
