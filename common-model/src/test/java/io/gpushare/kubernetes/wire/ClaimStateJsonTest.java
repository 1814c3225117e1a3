package io.gpushare.kubernetes.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.ClaimState.Request;
import io.gpushare.model.pod.PodClaims;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims, and the pods that name them, as they come through a list. */
class ClaimStateJsonTest {
    private static final String CLAIM = """
        {"metadata": {"name": "worker-gpu-x7", "namespace": "team", "uid": "c1"},
         "spec": {"devices": {
           "requests": [
             {"name": "gpu", "exactly": {"deviceClassName": "gpushare", "count": 2, "allocationMode": "ExactCount",
               "selectors": [{"cel": {"expression": "true"}}], "tolerations": [{"operator": "Exists"}],
               "capacity": {"requests": {"memory": "3Gi", "cores": "30"}}}},
             {"name": "either", "firstAvailable": [
               {"name": "small", "deviceClassName": "gpushare-mig-1g.5gb"}, {"name": "big", "deviceClassName": "gpushare"}]},
             {"name": "all", "exactly": {"deviceClassName": "gpushare-card", "allocationMode": "All"}},
             {"name": "theirs", "exactly": {"deviceClassName": "gpushare-nvidia-gpu"}},
             {"name": "watch", "exactly": {"deviceClassName": "gpushare", "adminAccess": true}},
             {"name": "nic", "exactly": {"deviceClassName": "nic.example.com"}}],
           "constraints": [{"requests": [], "matchAttribute": "gpushare.io/uuid"}],
           "config": [{"opaque": {"driver": "gpushare.io", "parameters": {"memory": "%s"}}}]}},
         "status": {
           "allocation": {"devices": {
             "results": [
               {"request": "gpu", "driver": "gpushare.io", "pool": "node-1", "device": "gpu-a", "shareID": "s1",
                "consumedCapacity": {"memory": "3Gi", "cores": "0"}},
               {"request": "watch", "driver": "gpushare.io", "pool": "node-1", "device": "gpu-b", "adminAccess": true},
               {"request": "nic", "driver": "nic.example.com", "pool": "x", "device": "eth0"}]}},
           "reservedFor": [{"resource": "pods", "name": "worker", "uid": "p1"}]}}
        """;

    private static List<JsonNode> listed(String... objects) throws IOException {
        String list = "{\"metadata\": {\"resourceVersion\": \"1\"}, \"items\": [" + String.join(",", objects) + "]}";
        List<JsonNode> each = new ArrayList<>();
        ObjectReader.list(new ByteArrayInputStream(list.getBytes(UTF_8)), each::add);
        return each;
    }

    @Test
    void aClaimIsReadAsFarAsItIsAboutOurCards() throws IOException {
        ClaimState claim = ClaimStateJson.read(listed(CLAIM.formatted("x")).getFirst());

        assertThat(claim.requests())
                .containsExactly(
                        new Request("gpu", "gpushare", 2, "3Gi", "30", true, false, true),
                        new Request("either", "gpushare-mig-1g.5gb", 1, null, null, false, true, false),
                        new Request("all", "gpushare-card", 0, null, null, false, false, false),
                        new Request("theirs", "gpushare-nvidia-gpu", 1, null, null, false, false, false));
        assertThat(claim.constraints()).isEqualTo(ClaimState.Constraints.OTHER);
        assertThat(claim.claim().toString()).isEqualTo("team/worker-gpu-x7");
        assertThat(claim.claim().pods()).containsExactly(new PodRef("p1", "team", "worker"));
        assertThat(claim.claim().results())
                .singleElement()
                .satisfies(result -> assertThat(result.device()).isEqualTo("gpu-a"))
                .satisfies(result -> assertThat(result.consumed()).containsEntry("memory", "3Gi"));
    }

    @Test
    void aConstraintByTheUuidKeepsAllRequestsForMemoryOnOneCard() throws IOException {
        assertThat(constraints("{\"requests\": [\"a\", \"b\"], \"matchAttribute\": \"gpushare.io/uuid\"}"))
                .isEqualTo(ClaimState.Constraints.ONE_CARD);
        assertThat(constraints("{\"requests\": [\"a\"], \"matchAttribute\": \"gpushare.io/uuid\"}"))
                .isEqualTo(ClaimState.Constraints.OTHER);
        assertThat(constraints("{\"matchAttribute\": \"gpushare.io/uuid\"}"))
                .as("of a whole card as well")
                .isEqualTo(ClaimState.Constraints.OTHER);
        assertThat(constraints("{\"requests\": [\"a\", \"b\"], \"distinctAttribute\": \"gpushare.io/uuid\"}"))
                .isEqualTo(ClaimState.Constraints.OTHER);
        assertThat(constraints("")).isEqualTo(ClaimState.Constraints.NONE);
    }

    /** Of a claim that requests memory twice, and a whole card. */
    private static ClaimState.Constraints constraints(String constraint) throws IOException {
        String memory = "{\"name\": \"%s\", \"exactly\": {\"deviceClassName\": \"gpushare\", \"count\": 1,"
                + " \"capacity\": {\"requests\": {\"memory\": \"1Gi\"}}}}";
        return ClaimStateJson.read(listed("{\"metadata\": {\"name\": \"c\"}, \"spec\": {\"devices\": {\"requests\": ["
                                + memory.formatted("a") + "," + memory.formatted("b")
                                + ", {\"name\": \"w\", \"exactly\": {\"deviceClassName\": \"gpushare\"}}],"
                                + " \"constraints\": [" + constraint + "]}}}")
                        .getFirst())
                .constraints();
    }

    @Test
    void whatTheDriverOfSomebodyElseIsToldIsNotKept() throws IOException {
        JsonNode tree = listed(CLAIM.formatted("x".repeat(1 << 20))).getFirst();
        assertThat(tree.toString().length()).isLessThan(4096);
        assertThat(ClaimStateJson.read(tree))
                .isEqualTo(ClaimStateJson.read(listed(CLAIM.formatted("")).getFirst()));
    }

    @Test
    void hostileClaimsAreBounded() throws IOException {
        String pods = IntStream.range(0, 5000)
                .mapToObj(i -> "{\"resource\": \"pods\", \"name\": \"p" + i + "\", \"uid\": \"u" + i + "\"}")
                .collect(Collectors.joining(","));
        String requests = IntStream.range(0, 5000)
                .mapToObj(i -> "{\"name\": \"r" + i + "\", \"exactly\": {\"deviceClassName\": \"gpushare\"}}")
                .collect(Collectors.joining(","));
        String results = IntStream.range(0, 5000)
                .mapToObj(i -> "{\"request\": \"r\", \"driver\": \"gpushare.io\", \"pool\": \"n\", \"device\": \"d\"}")
                .collect(Collectors.joining(","));
        ClaimState claim = ClaimStateJson.read(
                listed("""
                    {"metadata": {"name": "c", "namespace": "n", "uid": "u"}, "spec": {"devices": {"requests": [%s]}},
                     "status": {"reservedFor": [%s], "allocation": {"devices": {"results": [%s]}}}}
                    """.formatted(requests, pods, results)).getFirst());
        assertThat(claim.requests()).hasSize(32);
        assertThat(claim.claim().pods()).hasSize(32);
        assertThat(claim.claim().results()).hasSize(32);

        ClaimState odd = ClaimStateJson.read(
                listed("{\"metadata\": 1, \"spec\": {\"devices\": {\"requests\": {\"a\": [1]}}}, \"status\": []}")
                        .getFirst());
        assertThat(odd.none()).isTrue();
    }

    @Test
    void aClaimThatGotAnAlternativeOfAnotherDriverWaitsForNoCard() throws IOException {
        String claim = """
            {"metadata": {"name": "c", "namespace": "n", "uid": "u"},
             "spec": {"devices": {"requests": [{"name": "either", "firstAvailable": [
               {"name": "ours", "deviceClassName": "gpushare"}, {"name": "theirs", "deviceClassName": "tpu"}]}]}}%s}
            """;
        assertThat(ClaimStateJson.read(listed(claim.formatted("")).getFirst()).requests())
                .hasSize(1);
        String allocated = """
            , "status": {"allocation": {"devices": {"results": [
              {"request": "either/theirs", "driver": "tpu.example.com", "pool": "n", "device": "tpu-0"}]}}}
            """;
        assertThat(ClaimStateJson.read(listed(claim.formatted(allocated)).getFirst())
                        .none())
                .isTrue();
    }

    @Test
    void aPodThatNamesOneTwiceHasItOnce() throws IOException {
        JsonNode pod = listed("""
            {"spec": {"resourceClaims": [{"name": "a", "resourceClaimName": "shared"},
                                         {"name": "b", "resourceClaimName": "shared"}]}}
            """).getFirst();
        assertThat(new PodJson(pod).claims()).isEqualTo(new PodClaims(List.of("shared"), false));
    }

    @Test
    void aPodNamesABoundedNumberOfTemplates() throws IOException {
        String many = IntStream.range(0, 40_000)
                .mapToObj(i -> "{\"name\": \"c" + i + "\", \"resourceClaimTemplateName\": \"t" + i + "\"}")
                .collect(Collectors.joining(","));
        assertThat(new PodJson(listed("{\"spec\": {\"resourceClaims\": [" + many + "]}}")
                                .getFirst())
                        .templates())
                .hasSize(PodClaims.MOST);
    }

    @Test
    void podsNameTheirClaimsInSpecAndStatus() throws IOException {
        JsonNode pod = listed("""
            {"metadata": {"name": "p", "namespace": "n", "uid": "u"},
             "spec": {"resourceClaims": [{"name": "a", "resourceClaimName": "shared"},
                                         {"name": "b", "resourceClaimTemplateName": "t"},
                                         {"name": "c", "resourceClaimTemplateName": "t"}],
                      "containers": [{"name": "main", "resources": {"claims": [{"name": "a"}],
                                      "requests": {"cpu": "1"}, "limits": {"aliyun.com/gpu-mem": "3"}}}]},
             "status": {"resourceClaimStatuses": [{"name": "b", "resourceClaimName": "p-b-x7"}],
                        "extendedResourceClaimStatus": {"resourceClaimName": "p-extended"}}}
            """).getFirst();
        assertThat(new PodJson(pod).claims()).isEqualTo(new PodClaims(List.of("shared", "p-b-x7", "p-extended"), true));
        assertThat(new PodJson(pod).containers().getFirst().quantities())
                .containsEntry("cpu", "1")
                .containsEntry("aliyun.com/gpu-mem", "3");
        assertThat(new PodJson(listed("{\"metadata\": {\"name\": \"p\"}}").getFirst()).claims())
                .isSameAs(PodClaims.NONE);
        String many = IntStream.range(0, 5000)
                .mapToObj(i -> "{\"name\": \"c" + i + "\", \"resourceClaimName\": \"c" + i + "\"}")
                .collect(Collectors.joining(","));
        assertThat(new PodJson(listed("{\"spec\": {\"resourceClaims\": [" + many + "]}}")
                                .getFirst())
                        .claims()
                        .names())
                .hasSize(PodClaims.MOST);
    }
}
