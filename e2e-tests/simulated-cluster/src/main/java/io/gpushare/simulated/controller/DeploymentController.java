package io.gpushare.simulated.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.client.Reflector;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps as many pods of each Deployment as it asks for, without ReplicaSets. Pods of another template are replaced at
 * once; those of a deleted Deployment are deleted.
 */
public final class DeploymentController implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeploymentController.class);
    private static final String HASH = "pod-template-hash";
    private static final long PAUSE_MILLIS = 200;

    private final ApiClient cluster;
    private final Map<String, ObjectNode> deployments = new HashMap<>(); // by uid
    private final Map<String, PodDocument> pods = new HashMap<>(); // by uid
    private final Set<String> gone = new HashSet<>();
    private final Reflector deploymentFollower;
    private final Reflector podFollower;
    private final Thread thread = Thread.ofVirtual().name("deployments").unstarted(this::run);
    private boolean changed;

    private DeploymentController(URI api) {
        cluster = new ApiClient(api);
        deploymentFollower = new Reflector(cluster, "/apis/apps/v1/deployments", "", new Deployments());
        podFollower = new Reflector(cluster, "/api/v1/pods", "", new Pods());
    }

    public static DeploymentController start(URI api) {
        DeploymentController controller = new DeploymentController(api);
        controller.deploymentFollower.start();
        controller.podFollower.start();
        controller.thread.start();
        return controller;
    }

    private static String uid(JsonNode object) {
        return object.path("metadata").path("uid").asText();
    }

    private synchronized void change(Runnable step) {
        step.run();
        changed = true;
        notifyAll();
    }

    private final class Deployments implements Reflector.Listener {
        @Override
        public void present(List<ObjectNode> objects) {
            change(() -> objects.forEach(object -> deployments.put(uid(object), object)));
        }

        @Override
        public void gone(ObjectNode object) {
            change(() -> {
                deployments.remove(uid(object));
                gone.add(uid(object));
            });
        }
    }

    private final class Pods implements Reflector.Listener {
        @Override
        public void present(List<ObjectNode> objects) {
            change(() -> objects.stream()
                    .filter(object -> !owner(object).isEmpty())
                    .forEach(object -> pods.put(uid(object), new PodDocument(object))));
        }

        @Override
        public void gone(ObjectNode object) {
            change(() -> pods.remove(uid(object)));
        }
    }

    private static String owner(JsonNode pod) {
        JsonNode owner = pod.path("metadata").path("ownerReferences").path(0);
        return owner.path("kind").asText().equals("Deployment")
                ? owner.path("uid").asText()
                : "";
    }

    private void run() {
        try {
            while (true) {
                List<ObjectNode> due;
                List<PodDocument> owned;
                Set<String> deleted;
                synchronized (this) {
                    while (!changed) {
                        wait();
                    }
                    changed = false;
                    due = List.copyOf(deployments.values());
                    owned = List.copyOf(pods.values());
                    deleted = Set.copyOf(gone);
                }
                try {
                    round(due, owned, deleted);
                } catch (IOException e) {
                    LOG.info("the controller of Deployments tries again: {}", e.toString());
                    change(() -> {});
                }
                // Its own changes have to come back first.
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void round(List<ObjectNode> due, List<PodDocument> owned, Set<String> deleted)
            throws IOException, InterruptedException {
        for (ObjectNode deployment : due) {
            reconcile(deployment, owned);
        }
        for (PodDocument pod : owned) {
            if (deleted.contains(owner(pod.document())) && !pod.beingDeleted()) {
                cluster.delete(pod.path(), ApiClient.document());
            }
        }
    }

    private void reconcile(ObjectNode deployment, List<PodDocument> all) throws IOException, InterruptedException {
        String hash = Integer.toHexString(
                deployment.path("spec").path("template").toString().hashCode());
        int wanted = deployment.path("spec").path("replicas").asInt(1);
        List<PodDocument> own = new ArrayList<>();
        for (PodDocument pod : all) {
            if (owner(pod.document()).equals(uid(deployment)) && !pod.ended() && !pod.beingDeleted()) {
                if (pod.document().at("/metadata/labels/" + HASH).asText().equals(hash)) {
                    own.add(pod);
                } else {
                    cluster.delete(pod.path(), ApiClient.document());
                }
            }
        }
        own.sort(Comparator.comparing(PodDocument::created).thenComparing(PodDocument::name));
        for (PodDocument pod : own.subList(Math.min(wanted, own.size()), own.size())) {
            cluster.delete(pod.path(), ApiClient.document());
        }
        for (int i = own.size(); i < wanted; i++) {
            create(deployment, hash);
        }
        status(deployment, own.subList(0, Math.min(wanted, own.size())), wanted);
    }

    private void create(ObjectNode deployment, String hash) throws IOException, InterruptedException {
        String namespace = deployment.at("/metadata/namespace").asText();
        String name = deployment.at("/metadata/name").asText();
        ObjectNode pod = ApiClient.document().put("apiVersion", "v1").put("kind", "Pod");
        pod.setAll((ObjectNode) deployment.path("spec").path("template").deepCopy());
        ObjectNode metadata = pod.withObject("/metadata").put("generateName", name + "-");
        metadata.withObject("/labels").put(HASH, hash);
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "apps/v1")
                .put("kind", "Deployment")
                .put("name", name)
                .put("uid", uid(deployment))
                .put("controller", true);
        ApiClient.Answer answer = cluster.post("/api/v1/namespaces/" + namespace + "/pods", pod);
        if (!answer.succeeded()) {
            LOG.info("no pod of {}: {}", name, answer.message());
        }
    }

    private void status(ObjectNode deployment, List<PodDocument> own, int wanted)
            throws IOException, InterruptedException {
        int ready =
                (int) own.stream().filter(pod -> pod.phase().equals("Running")).count();
        ObjectNode patch = ApiClient.document();
        ObjectNode status = patch.putObject("status")
                .put("replicas", own.size())
                .put("updatedReplicas", own.size())
                .put("readyReplicas", ready)
                .put("availableReplicas", ready);
        status.putArray("conditions")
                .addObject()
                .put("type", "Available")
                .put("status", ready >= wanted ? "True" : "False");
        boolean same = deployment.path("status").path("replicas").asInt(-1) == own.size()
                && deployment.path("status").path("readyReplicas").asInt(-1) == ready;
        if (!same) {
            cluster.patch(
                    "/apis/apps/v1/namespaces/"
                            + deployment.at("/metadata/namespace").asText() + "/deployments/"
                            + deployment.at("/metadata/name").asText() + "/status",
                    patch);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        podFollower.close();
        deploymentFollower.close();
        cluster.close();
    }
}
