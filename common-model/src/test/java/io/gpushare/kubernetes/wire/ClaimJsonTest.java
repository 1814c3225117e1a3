package io.gpushare.kubernetes.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ResourceClaim;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClaimJsonTest {
    private static final String CLAIM = """
        {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
         "metadata": {"name": "worker-gpu-x7", "namespace": "team", "uid": "c1"},
         "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpushare"}}]}},
         "status": {
           "allocation": {"devices": {
             "results": [
               {"request": "gpu", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-a",
                "shareID": "s1", "consumedCapacity": {"memory": "3Gi", "cores": "0"}},
               {"request": "watch", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-b",
                "adminAccess": true}],
             "config": [{"source": "FromClass", "requests": [],
                         "opaque": {"driver": "nic.example.com", "parameters": {"big": "xxxxxxxx"}}}]}},
           "reservedFor": [{"resource": "pods", "name": "worker", "uid": "p1"},
                           {"apiGroup": "example.com", "resource": "jobs", "name": "job", "uid": "j1"}]}}
        """;

    private static final ResourceClaim EXPECTED = new ResourceClaim(
            "c1",
            "team",
            "worker-gpu-x7",
            List.of(new PodRef("p1", "team", "worker")),
            List.of(
                    new ResourceClaim.Result(
                            "gpu",
                            "gpu.example.com",
                            "node-1",
                            "gpu-a",
                            false,
                            Map.of("memory", "3Gi", "cores", "0"),
                            "s1"),
                    new ResourceClaim.Result("watch", "gpu.example.com", "node-1", "gpu-b", true, Map.of(), "")),
            List.of("nic.example.com"));

    @Test
    void anAllocatedClaimIsReadWithItsPodsAndDevices() throws IOException {
        assertThat(ClaimJson.read(Json.read(stream(CLAIM)))).isEqualTo(EXPECTED);
    }

    @Test
    void fieldsOfAnotherTypeCountAsAbsent() throws IOException {
        String odd = "{\"metadata\": 1, \"status\": {\"allocation\": {\"devices\": {\"results\": {\"a\": [1, null]},"
                + " \"config\": [null, 1]}}, \"reservedFor\": \"all\"}}";

        assertThat(ClaimJson.read(Json.read(stream(odd))).pods()).isEmpty();
        assertThat(ClaimJson.read(Json.read(stream("[]"))))
                .isEqualTo(new ResourceClaim("", "", "", List.of(), List.of(), List.of()));
    }

    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }
}
