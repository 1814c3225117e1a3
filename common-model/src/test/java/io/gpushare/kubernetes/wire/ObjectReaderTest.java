package io.gpushare.kubernetes.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.claims.PrepareFailure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** The API server keeps such fields as they are, with up to 10,000 levels, which Go's JSON allows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'metadata': {'name': 'evil', 'managedFields': [{'fieldsV1': DEEP}]}}",
                "{'metadata': {'name': 'evil'}, 'spec': {'devices': {'config': [{'opaque': {'parameters': DEEP}}]}}}",
                "{'metadata': {'name': 'evil'}, 'spec': {'devices': {'config': [{'opaque': {'parameters': LONG}}]}}}"
            })
    void anObjectWithAnyNestingAndNumbersHidesNoOther(String evil) throws IOException {
        String object = evil.replace('\'', '"')
                .replace("DEEP", "{\"f:a\":".repeat(9_900) + "[]" + "}".repeat(9_900))
                .replace("LONG", "{\"a\": [" + "1".repeat(700_000) + ", 0." + "1".repeat(700_000) + "]}");
        String neighbour = "{\"metadata\": {\"name\": \"neighbour\"}}";
        List<JsonNode> listed = new ArrayList<>();
        ObjectReader.list(in("{\"items\": [" + object + "," + neighbour + "]}"), listed::add);
        assertThat(listed)
                .extracting(each -> each.at("/metadata/name").asText())
                .containsExactly("evil", "neighbour");
        List<JsonNode> events = new ArrayList<>();
        ObjectReader.events(
                in("{\"type\": \"ADDED\", \"object\": " + object + "}\n{\"type\": \"ADDED\", \"object\": " + neighbour
                        + "}"),
                events::add);
        assertThat(events)
                .extracting(each -> each.at("/object/metadata/name").asText())
                .containsExactly("evil", "neighbour");
        assertThat(Json.read(in(object)).at("/metadata/name").asText()).isEqualTo("evil");
    }

    private static InputStream in(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode read(String event) throws IOException {
        List<JsonNode> events = new ArrayList<>();
        ObjectReader.events(in(event), events::add);
        return events.getFirst();
    }
}
