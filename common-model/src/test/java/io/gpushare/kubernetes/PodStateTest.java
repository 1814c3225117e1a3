package io.gpushare.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.node.PodConstraints;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodStateTest {
    private static final String START = "2026-11-26T14:00:05Z";

    private static PodState pod(String phase, String seconds, String start) throws JsonProcessingException {
        return PodState.ofAnyNode(new ObjectMapper().readTree("""
            {"metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n","activeDeadlineSeconds":%s},
             "status":{"phase":"%s","startTime":"%s"}}
            """.formatted(seconds, phase, start)));
    }

    private static @Nullable Instant deadline(String seconds, String start) throws JsonProcessingException {
        return pod("Running", seconds, start).status().deadline();
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
        PodState pod = PodState.ofAnyNode(new ObjectMapper().readTree("""
            {"metadata":{"name":"p","uid":"u","deletionTimestamp":"2026-11-26T14:02:00Z"},
             "spec":{"nodeName":"n","activeDeadlineSeconds":300},
             "status":{"phase":"Running","startTime":"2026-11-26T14:00:05Z"}}
            """));
        assertThat(pod.status().deadline()).isEqualTo(Instant.parse("2026-11-26T14:02:00Z"));
    }

    @Test
    void whatAnUnboundPodRequiresOfNodesIsKeptWithinBounds() throws JsonProcessingException {
        String json = """
            {"metadata":{"name":"p","uid":"u"},
             "spec":{"nodeSelector":{"pool":"a"%s},"schedulingGates":[{"name":"g"}]%s},
             "status":{"conditions":[{"type":"PodScheduled","status":"False","message":"wait"}]}}
            """;
        PodConstraints unbound = PodState.of(new ObjectMapper().readTree(json.formatted("", "")))
                .spec()
                .constraints();
        assertThat(unbound.nodes().selector()).isEqualTo(Map.of("pool", "a"));
        assertThat(unbound.gates()).containsExactly("g");
        assertThat(unbound.condition()).isEqualTo("wait");
        assertThat(PodState.ofAnyNode(new ObjectMapper().readTree(json.formatted("", "")))
                        .spec()
                        .constraints())
                .as("of all nodes' pods")
                .isEqualTo(unbound.withoutCondition());
        String many = IntStream.range(0, NodeRules.MOST)
                .mapToObj(i -> ",\"k" + i + "\":\"v\"")
                .collect(Collectors.joining());
        assertThat(PodState.of(new ObjectMapper().readTree(json.formatted(many, "")))
                        .spec()
                        .constraints()
                        .nodes())
                .isEqualTo(NodeRules.ANY);
        assertThat(PodState.of(new ObjectMapper().readTree(json.formatted("", ",\"nodeName\":\"n\"")))
                        .spec()
                        .constraints())
                .isSameAs(PodConstraints.NONE);
    }

    @Test
    void aPodThatEndedHasNoDeadline() throws JsonProcessingException {
        assertThat(pod("Failed", "300", START).status().deadline()).isNull();
    }

    /** With a scheduling gate, as of Kueue, kube-scheduler has not looked for a node. */
    @ParameterizedTest
    @CsvSource({"Unschedulable, true", "SchedulingGated, false", "SchedulerError, false"})
    void onlyAPodThatFoundNoNodeWaitsForACard(String reason, boolean refused) throws JsonProcessingException {
        PodState pod = PodState.ofAnyNode(new ObjectMapper().readTree("""
            {"metadata":{"name":"p","uid":"u"},"status":{"phase":"Pending",
             "conditions":[{"type":"PodScheduled","status":"False","reason":"%s"}]}}
            """.formatted(reason)));
        assertThat(pod.status().refused()).isEqualTo(refused);
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
        return PodState.ofAnyNode(new ObjectMapper()
                        .readTree("""
                            {"metadata":{"name":"p","uid":"u","annotations":{"%s":"x"}},"spec":{"nodeName":"%s"},"status":{}}
                            """.formatted(key, node).replace(",\"spec\":{\"nodeName\":\"\"}", "")))
                .metadata()
                .annotations()
                .keySet();
    }
}
