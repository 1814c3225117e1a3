package io.gpushare.kubernetes.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.request.ContainerResources;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClaimUseJsonTest {
    /** A claim by name, one of a template, and one that kube-scheduler made for a resource of a device class. */
    private static final String POD = """
        {"spec": {"resourceClaims": [{"name": "a", "resourceClaimName": "shared"},
                                     {"name": "b", "resourceClaimTemplateName": "t"}],
                  "initContainers": [{"name": "init", "resources": {"claims": [{"name": "a"}]}}],
                  "containers": [{"name": "main", "env": [{"name": "X", "value": "1"}],
                                  "resources": {"claims": [{"name": "b", "request": "gpu"}, {"name": "unknown"}]}},
                                 {"name": "side"}]},
         "status": {"resourceClaimStatuses": [{"name": "b", "resourceClaimName": "pod-b-x1"}],
                    "extendedResourceClaimStatus": {"resourceClaimName": "pod-extended-x2", "requestMappings": [
                      {"containerName": "side", "resourceName": "example.com/gpu", "requestName": "container-1-request-0"}]}}}
        """;

    private final JsonNode pod = read();

    private static JsonNode read() {
        try {
            return new ObjectMapper().readTree(POD);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void eachContainerUsesTheClaimsThatItNamesAndThoseOfItsResources() {
        assertThat(ClaimUseJson.read(pod))
                .containsExactly(
                        new ClaimUse("init", ContainerRole.INIT, "shared", "", Set.of()),
                        new ClaimUse("main", ContainerRole.APP, "pod-b-x1", "gpu", Set.of("X")),
                        new ClaimUse("main", ContainerRole.APP, "", "", Set.of("X")),
                        new ClaimUse("side", ContainerRole.APP, "pod-extended-x2", "container-1-request-0", Set.of()));
        assertThat(new PodJson(pod).claimUses())
                .extracting(ClaimUse::variables)
                .hasSize(4)
                .containsOnly(Set.of());
    }

    /** It was found when such a pod closed its node after a restart of the driver, and counted twice elsewhere. */
    @Test
    void whatAClaimHasIsNoRequestOfABoundPod() throws JsonProcessingException {
        JsonNode requesting = new ObjectMapper().readTree("""
            {"spec": {"nodeName": "n1", "containers": [
               {"name": "main", "resources": {"limits": {"example.com/gpu": "1", "cpu": "2"},
                                              "requests": {"example.com/gpu": "1"}}},
               {"name": "side", "resources": {"limits": {"example.com/gpu": "1"}}}]},
             "status": {"extendedResourceClaimStatus": {"resourceClaimName": "x", "requestMappings": [
               {"containerName": "main", "resourceName": "example.com/gpu", "requestName": "r0"}]}}}
            """);
        assertThat(new PodJson(requesting).containers())
                .extracting(ContainerResources::quantities)
                .containsExactly(Map.of("cpu", "2"), Map.of("example.com/gpu", "1"));
        ((ObjectNode) requesting.path("spec")).remove("nodeName");
        assertThat(new PodJson(requesting).containers())
                .as("another node, and another way, is possible")
                .extracting(ContainerResources::quantities)
                .containsExactly(Map.of("example.com/gpu", "1", "cpu", "2"), Map.of("example.com/gpu", "1"));
    }

    @Test
    void ofATenantsTensOfThousandsTheFirstAreRead() throws JsonProcessingException {
        String claims = IntStream.range(0, 20_000)
                .mapToObj(i -> "{\"name\": \"a\", \"request\": \"r" + i + "\"}")
                .collect(Collectors.joining(","));
        JsonNode many = new ObjectMapper()
                .readTree("{\"spec\": {\"containers\": [{\"name\": \"main\", \"resources\": {\"claims\": [" + claims
                        + "]}}]}}");
        assertThat(new PodJson(many).claimUses())
                .hasSize(ClaimUse.MOST_OF_POD)
                .extracting(ClaimUse::request)
                .startsWith("r0", "r1")
                .endsWith("r255");
        assertThat(ClaimUseJson.read(many)).hasSize(ClaimUse.MOST_OF_POD);
    }

    @Test
    void aPodWithoutClaimsUsesNone() {
        assertThat(new PodJson(pod.path("metadata")).claimUses()).isEmpty();
    }
}
