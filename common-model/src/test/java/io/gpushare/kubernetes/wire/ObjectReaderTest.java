package io.gpushare.kubernetes.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.claims.PrepareFailure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What users write into objects without end is skipped as it arrives. */
class ObjectReaderTest {
    @Test
    void ofVariablesOnlyThoseForCardsAreRead() throws IOException {
        String others = "{\"name\":\"a\",\"value\":\"CUDA_B\"},".repeat(1000);
        JsonNode pod = read("""
            {"type": "ADDED", "object": {"spec": {"containers": [
              {"name": "main", "env": [%s{"name": "XLA_CLIENT_MEM_FRACTION", "value": ".5"},
                                       {"name": "CUDA_X", "valueFrom": {"fieldRef": {"name": "CUDA_Y"}}},
                                       {"name": "LATER"}]},
              {"name": "side", "env": [{"name": "HOME"}]}]}}}
            """.formatted(others));
        assertThat(pod.at("/object/spec/containers/0"))
                .hasToString(
                        "{\"name\":\"main\",\"env\":[{\"name\":\"XLA_CLIENT_MEM_FRACTION\"},{\"name\":\"CUDA_X\"}]}");
        assertThat(pod.at("/object/spec/containers/1/name").asText()).isEqualTo("side");
    }

    @Test
    void anEventAboutALongNameIsAboutNobody() throws IOException {
        PrepareFailure failure =
                PrepareFailureJson.read(read("""
                    {"type": "ADDED", "object": {"metadata": {"uid": "e"}, "reportingComponent": "kubelet", "message": "m",
                     "involvedObject": {"uid": "%s", "namespace": "n", "name": "p"}}}
                    """.formatted("u".repeat(1 << 20))).path("object"));
        assertThat(failure.pod().uid()).isEmpty();
        assertThat(failure.toString()).hasSizeLessThan(200);
    }

    private static JsonNode read(String event) throws IOException {
        List<JsonNode> events = new ArrayList<>();
        ObjectReader.events(new ByteArrayInputStream(event.getBytes(StandardCharsets.UTF_8)), events::add);
        return events.getFirst();
    }
}
