package io.gpushare.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.KubeletReport;
import io.gpushare.model.pod.KubeletReport.Admission;
import io.gpushare.model.pod.PodScheduling;
import io.gpushare.model.pod.PodState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodDecoderTest {
    private static final String START = "2026-11-26T14:00:05Z";

    private static PodState pod(String phase, String seconds, String start) throws JsonProcessingException {
        return PodDecoder.ofAnyNode(new ObjectMapper().readTree("""
            {"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n","activeDeadlineSeconds":%s},
             "status":{"phase":"%s","startTime":"%s"}}
            """.formatted(seconds, phase, start)));
    }

    private static @Nullable Instant deadline(String seconds, String start) throws JsonProcessingException {
        return pod("Running", seconds, start).deadline();
    }

    @Test
    void aPodEndsWhenItsDeadlineAndItsGracePeriodHavePassed() throws JsonProcessingException {
        assertThat(deadline("300", START)).isEqualTo(Instant.parse("2026-11-26T14:05:05Z"));
        assertThat(deadline("300,\"terminationGracePeriodSeconds\":30", START))
                .isEqualTo(Instant.parse("2026-11-26T14:05:35Z"));
        assertThat(deadline("9000000000000000000", START))
                .as("at most what the API server accepts")
                .isEqualTo(Instant.parse(START).plusSeconds(Integer.MAX_VALUE));
    }

    @ParameterizedTest
    @CsvSource({"null, " + START, "300, soon", "300, ''", "300, +1000000000-12-31T23:59:59Z"})
    void withoutADeadlineOrAStartNothingEndsIt(String seconds, String start) throws JsonProcessingException {
        assertThat(deadline(seconds, start)).isNull();
    }

    @Test
    void aPodThatIsBeingDeletedEndsByItsDeletionTimestamp() throws JsonProcessingException {
        PodState pod = PodDecoder.ofAnyNode(new ObjectMapper().readTree("""
            {"metadata":{"name":"p","uid":"u","deletionTimestamp":"2026-11-26T14:02:00Z"},
             "spec":{"nodeName":"n","activeDeadlineSeconds":300},
             "status":{"phase":"Running","startTime":"2026-11-26T14:00:05Z"}}
            """));
        assertThat(pod.deadline()).isEqualTo(Instant.parse("2026-11-26T14:02:00Z"));
    }

    @Test
    void whatAnUnboundPodRequiresOfNodesIsKeptWithinBounds() throws JsonProcessingException {
        String json = """
            {"metadata":{"name":"p","uid":"u"},
             "spec":{"nodeSelector":{"pool":"a"%s},"schedulingGates":[{"name":"g"}]%s,
                     "schedulingGroup":{"podGroupName":"train"},
                     "resourceClaims":[{"name":"a","resourceClaimTemplateName":"gpushare.1x"},
                                       {"name":"b","resourceClaimName":"mine"}]},
             "status":{"nominatedNodeName":"n1","conditions":[
               {"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"wait","lastTransitionTime":"t"},
               {"type":"gpushare.io/CardsHeld","status":"True","message":"n2: 1 card"}]}}
            """;
        PodScheduling unbound = PodDecoder.of(new ObjectMapper().readTree(json.formatted("", "")))
                .scheduling();
        String failure = "t " + Integer.toHexString("Unschedulablewait".hashCode());
        NodeRules nodes = new NodeRules(Map.of("pool", "a"), null, List.of());
        assertThat(unbound)
                .isEqualTo(new PodScheduling(
                        nodes, List.of("g"), "train", List.of("gpushare.1x"), true, failure, "wait", "n1", "n2"));
        assertThat(PodDecoder.ofAnyNode(new ObjectMapper().readTree(json.formatted("", "")))
                        .scheduling())
                .as("of all nodes' pods")
                .isEqualTo(new PodScheduling(
                        nodes, List.of("g"), "train", List.of("gpushare.1x"), true, failure, "", "n1", "n2"));
        String many = IntStream.range(0, NodeRules.MOST)
                .mapToObj(i -> ",\"k" + i + "\":\"v\"")
                .collect(Collectors.joining());
        assertThat(PodDecoder.of(new ObjectMapper().readTree(json.formatted(many, "")))
                        .scheduling()
                        .nodes())
                .isEqualTo(NodeRules.ANY);
        assertThat(PodDecoder.of(new ObjectMapper().readTree(json.formatted("", ",\"nodeName\":\"n\"")))
                        .scheduling())
                .as("a bound pod costs no memory for it")
                .isSameAs(PodScheduling.NONE);
    }

    /** There may be 160,000: what only a pod's own node needs costs no memory. */
    @Test
    void ofAllNodesPodsNothingIsKeptThatOnlyTheirNodeNeeds() throws JsonProcessingException {
        String json = """
            {"metadata":{"name":"p","uid":"u"},
             "spec":{"nodeName":"n","containers":[{"name":"c","env":[{"name":"XLA_CLIENT_MEM_FRACTION"}]}]},
             "status":{"phase":"%s","reason":"UnexpectedAdmissionError","message":"no card",
              "containerStatuses":[{"name":"c","containerID":"containerd://ab12"}]}}
            """;
        PodState own = PodDecoder.of(new ObjectMapper().readTree(json.formatted("Running")));
        assertThat(own.ownJaxFraction()).containsExactly("c");
        assertThat(own.kubelet()).isEqualTo(new KubeletReport(Admission.ADMITTED, "", Map.of("ab12", "c")));

        PodState any = PodDecoder.ofAnyNode(new ObjectMapper().readTree(json.formatted("Running")));
        assertThat(any.ownJaxFraction()).isEmpty();
        assertThat(any.kubelet()).isSameAs(KubeletReport.of(Admission.ADMITTED));
        assertThat(any.identity())
                .as("all that is kept while it exists")
                .usingRecursiveComparison()
                .ignoringFields("kubelet")
                .isEqualTo(PodState.of(any.ref(), "n", Map.of(), List.of()));
        assertThat(any.identity().kubelet()).isSameAs(any.kubelet());
        assertThat(PodDecoder.ofAnyNode(new ObjectMapper().readTree(json.formatted("Failed")))
                        .containers())
                .as("of one that ended")
                .isEmpty();
    }

    @Test
    void aPodThatEndedHasNoDeadline() throws JsonProcessingException {
        assertThat(pod("Failed", "300", START).deadline()).isNull();
    }

    /** With a scheduling gate, as of Kueue, kube-scheduler has not looked for a node. */
    @ParameterizedTest
    @CsvSource({"Unschedulable, true", "SchedulingGated, false", "SchedulerError, false"})
    void onlyAPodThatFoundNoNodeWaitsForACard(String reason, boolean refused) throws JsonProcessingException {
        PodState pod = PodDecoder.ofAnyNode(new ObjectMapper().readTree("""
            {"metadata":{"name":"p","uid":"u"},"status":{"phase":"Pending",
             "conditions":[{"type":"PodScheduled","status":"False","reason":"%s"}]}}
            """.formatted(reason)));
        assertThat(pod.scheduling().unschedulable()).isEqualTo(refused);
    }

    /** Otherwise nobody would tell the user that the annotation has no effect. */
    @ParameterizedTest
    @ValueSource(strings = {"gpushare.io/sellect", "nvidia.com/use-gputypes", "hami.io/gpu-schedular-policy"})
    void aMisspeltAnnotationOfAWaitingPodIsKept(String key) throws JsonProcessingException {
        assertThat(annotations("", key)).containsExactly(key);
        assertThat(annotations("n", key))
                .as("of a bound pod it matters no more")
                .isEmpty();
    }

    @Test
    void annotationsOfOthersAreNotKept() throws JsonProcessingException {
        assertThat(annotations("", "nvidia.com/gpu.deploy.driver")).isEmpty();
        assertThat(annotations("", "hami.io/vgpu-devices-to-allocate")).isEmpty();
    }

    private static Set<String> annotations(String node, String key) throws JsonProcessingException {
        return PodDecoder.ofAnyNode(new ObjectMapper()
                        .readTree("""
                            {"metadata":{"name":"p","uid":"u","annotations":{"%s":"x"}},"spec":{"nodeName":"%s"},"status":{}}
                            """.formatted(key, node).replace(",\"spec\":{\"nodeName\":\"\"}", "")))
                .annotations()
                .keySet();
    }
}
