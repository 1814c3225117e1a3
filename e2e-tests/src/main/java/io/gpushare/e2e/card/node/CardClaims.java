package io.gpushare.e2e.card.node;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Claims on the card of a node, each with a pod of its name that uses it. Nobody schedules them: what a claim has is
 * written with it, so that it may be more than there is.
 *
 * @param card its UUID
 * @param files where the driver writes what containers get
 */
public record CardClaims(Node node, String name, String card, Path files) {
    private static final String GROUP = "/apis/resource.k8s.io/v1/";

    /** Whether the card is offered with MPS in force. */
    boolean offered() {
        JsonNode device = device();
        return device.at("/attributes/isolation/string").asText().equals("mps") && !device.has("taints");
    }

    private JsonNode device() {
        return node.get(GROUP + "resourceslices").at("/items/0/spec/devices/0");
    }

    /** All memory that the card offers. */
    public String whole() {
        return device().at("/capacity/memory/value").asText();
    }

    /** Creates a claim with so much memory of the card, and its pod; waits until the container has started. */
    public Node.Container start(String claim, String memory) throws IOException, InterruptedException {
        create(claim, memory);
        return node.started(claim);
    }

    /** The same for one that can't be prepared: the message of the kubelet's Event, or "none". */
    public String refused(String claim, String memory) throws IOException, InterruptedException {
        create(claim, memory);
        return node.event("FailedPrepareDynamicResources", claim, 20);
    }

    /** Waits for the container of a claim that was refused. */
    public Node.Container started(String claim) throws IOException {
        return node.started(claim);
    }

    private void create(String claim, String memory) throws IOException, InterruptedException {
        String uid = node.create(Node.PODS, ApiClient.document("""
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%1$s"},
             "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
                      "resourceClaims": [{"name": "gpu", "resourceClaimName": "%1$s"}],
                      "containers": [{"name": "main", "image": "registry.k8s.io/pause:3.10",
                                      "resources": {"claims": [{"name": "gpu"}]}}]}}
            """.formatted(claim)))
                .at("/metadata/uid")
                .asText();
        node.create(GROUP + "namespaces/default/resourceclaims", ApiClient.document("""
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "%1$s"},
             "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpushare"}}]}},
             "status": {
               "allocation": {"devices": {"results": [{
                 "request": "gpu", "driver": "gpushare.io", "pool": "%2$s", "device": "%3$s", "shareID": "%4$s",
                 "consumedCapacity": {"memory": "%5$s"}}]}},
               "reservedFor": [{"resource": "pods", "name": "%1$s", "uid": "%4$s"}]}}
            """.formatted(
                        claim, name, card.toLowerCase(Locale.ROOT), uid, memory)));
        node.create(Node.PODS + "/" + claim + "/binding", ApiClient.document("""
            {"kind": "Binding", "metadata": {"name": "%s"}, "target": {"kind": "Node", "name": "%s"}}
            """.formatted(claim, name)));
    }

    /** The files that say what containers with claims get. */
    public List<String> written() {
        try (Stream<Path> all = Files.exists(files) ? Files.list(files) : Stream.empty()) {
            return all.map(file -> String.valueOf(file.getFileName())).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
