package io.gpushare.simulated.claims;

import static io.gpushare.simulated.claims.PodClaims.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.client.Reflector;
import io.gpushare.time.PeriodicTask;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller of claims in kube-controller-manager: creates the claims of templates, and frees those whose pods have
 * ended.
 */
public final class ClaimController implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimController.class);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final ApiClient cluster;
    private final Map<String, PodDocument> pods = new LinkedHashMap<>(); // by uid
    private final Reflector follower;
    private final PeriodicTask task = PeriodicTask.rounds("claims", PAUSE, this::round);

    private ClaimController(ApiClient api) {
        cluster = api;
        follower = new Reflector(cluster, "/api/v1/pods", "", new Pods());
    }

    public static ClaimController start(URI api) {
        return start(new ApiClient(api));
    }

    /** The same over that wire. */
    public static ClaimController start(ApiClient api) {
        ClaimController controller = new ClaimController(api);
        controller.follower.start();
        controller.task.start();
        return controller;
    }

    private final class Pods implements Reflector.Listener {
        @Override
        public void present(List<ObjectNode> objects) {
            synchronized (ClaimController.this) {
                objects.stream().map(PodDocument::new).forEach(pod -> pods.put(pod.uid(), pod));
            }
        }

        @Override
        public void gone(ObjectNode object) {
            synchronized (ClaimController.this) {
                pods.remove(new PodDocument(object).uid());
            }
        }
    }

    private void round() {
        Map<String, PodDocument> all;
        synchronized (this) {
            all = new LinkedHashMap<>(pods);
        }
        try {
            for (PodDocument pod : all.values()) {
                if (!pod.ended() && !pod.beingDeleted() && PodClaims.of(pod).containsValue("")) {
                    create(pod);
                }
            }
            for (JsonNode claim : cluster.get(PodClaims.CLAIMS).document().path("items")) {
                release((ObjectNode) claim, all);
            }
        } catch (IOException e) {
            LOG.debug("the controller of claims tries again: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void create(PodDocument pod) throws IOException, InterruptedException {
        ObjectNode status = ApiClient.document();
        // Another pod may have its name by now.
        status.putObject("metadata").put("uid", pod.uid());
        ArrayNode statuses = status.putObject("status").putArray("resourceClaimStatuses");
        for (JsonNode claim : pod.document().path("spec").path("resourceClaims")) {
            String template = text(claim, "resourceClaimTemplateName");
            if (template.isEmpty()) {
                continue;
            }
            ApiClient.Answer found = cluster.get(
                    "/apis/resource.k8s.io/v1/namespaces/" + pod.namespace() + "/resourceclaimtemplates/" + template);
            if (!found.succeeded()) {
                return; // the pod waits for it
            }
            ObjectNode fresh =
                    ApiClient.document().put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaim");
            ObjectNode metadata =
                    fresh.putObject("metadata").put("generateName", pod.name() + "-" + text(claim, "name") + "-");
            metadata.putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "v1")
                    .put("kind", "Pod")
                    .put("name", pod.name())
                    .put("uid", pod.uid())
                    .put("controller", true);
            fresh.set("spec", found.document().path("spec").path("spec"));
            ApiClient.Answer made =
                    cluster.post("/apis/resource.k8s.io/v1/namespaces/" + pod.namespace() + "/resourceclaims", fresh);
            if (!made.succeeded()) {
                throw new IOException("no claim of " + pod.title() + ": " + made.message());
            }
            statuses.addObject()
                    .put("name", text(claim, "name"))
                    .put("resourceClaimName", text(made.document().path("metadata"), "name"));
        }
        ApiClient.Answer shown = cluster.patch(pod.path() + "/status", status);
        if (shown.succeeded()) {
            synchronized (this) {
                pods.computeIfPresent(pod.uid(), (_, _) -> new PodDocument(shown.document()));
            }
        }
    }

    private void release(ObjectNode claim, Map<String, PodDocument> all) throws IOException, InterruptedException {
        String namespace = text(claim.path("metadata"), "namespace");
        String path = PodClaims.path(namespace, text(claim.path("metadata"), "name"));
        JsonNode owner = claim.path("metadata").path("ownerReferences").path(0);
        if (text(owner, "kind").equals("Pod") && !runs(owner, all) && ended(namespace, owner)) {
            cluster.delete(path, ApiClient.document());
            return;
        }
        ObjectNode status = claim.withObject("/status");
        ArrayNode reserved = status.withArrayProperty("reservedFor");
        int before = reserved.size();
        for (int i = before - 1; i >= 0; i--) {
            if (!runs(reserved.get(i), all) && ended(namespace, reserved.get(i))) {
                reserved.remove(i);
            }
        }
        if (reserved.size() < before) {
            if (reserved.isEmpty()) {
                status.remove("allocation");
            }
            cluster.put(path + "/status", claim);
        }
    }

    private static boolean runs(JsonNode pod, Map<String, PodDocument> all) {
        return Optional.ofNullable(all.get(text(pod, "uid")))
                .filter(each -> !each.ended())
                .isPresent();
    }

    /** Whether that pod does not run. The follower may be behind, so the API server is asked. */
    private boolean ended(String namespace, JsonNode pod) throws IOException, InterruptedException {
        ApiClient.Answer found = cluster.get("/api/v1/namespaces/" + namespace + "/pods/" + text(pod, "name"));
        PodDocument present = new PodDocument(found.document());
        return found.code() == 404
                || (found.succeeded() && (!present.uid().equals(text(pod, "uid")) || present.ended()));
    }

    @Override
    public void close() {
        task.close();
        follower.close();
        cluster.close();
    }
}
