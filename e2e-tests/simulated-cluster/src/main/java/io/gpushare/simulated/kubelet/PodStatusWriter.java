package io.gpushare.simulated.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.time.Machine;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes pod statuses to the API server in order, and retries while the server is unreachable. */
final class PodStatusWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PodStatusWriter.class);
    private static final Duration PAUSE = Duration.ofMillis(200);

    /** One request, repeated until the response is not a 5xx. */
    private interface Request {
        ApiClient.Answer send() throws IOException, InterruptedException;
    }

    private final ApiClient cluster;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(Machine.here().threads("pod status "));

    PodStatusWriter(ApiClient cluster) {
        this.cluster = cluster;
    }

    void running(PodDocument pod) {
        ObjectNode status = ApiClient.document().put("phase", "Running");
        containers(pod, status, "running");
        condition(status, "True");
        patch(pod, status);
    }

    void succeeded(PodDocument pod) {
        ObjectNode status = ApiClient.document().put("phase", "Succeeded");
        containers(pod, status, "terminated");
        condition(status, "False");
        patch(pod, status);
    }

    void failed(PodDocument pod, String reason, String message) {
        patch(
                pod,
                ApiClient.document()
                        .put("phase", "Failed")
                        .put("reason", reason)
                        .put("message", message));
    }

    /** Records why the pod's claims can't be prepared. */
    void notPrepared(PodDocument pod, String message) {
        ObjectNode event = pod.warning(
                "FailedPrepareDynamicResources",
                message,
                "kubelet",
                Machine.here().now());
        untilAnswered("Event of " + pod.title(), () -> cluster.post(pod.events(), event));
    }

    /** Deletes the pod's object after its containers have ended. */
    void confirmDeletion(PodDocument pod) {
        ObjectNode options = ApiClient.document().put("gracePeriodSeconds", 0);
        options.putObject("preconditions").put("uid", pod.uid());
        untilAnswered("deletion of " + pod.title(), () -> cluster.delete(pod.path(), options));
    }

    private void patch(PodDocument pod, ObjectNode status) {
        ObjectNode patch = ApiClient.document();
        patch.putObject("metadata").put("uid", pod.uid());
        patch.set("status", status);
        untilAnswered("status of " + pod.title(), () -> cluster.patch(pod.path() + "/status", patch));
    }

    private static void containers(PodDocument pod, ObjectNode status, String state) {
        for (JsonNode container : pod.document().path("spec").path("containers")) {
            ObjectNode one = status.withArrayProperty("containerStatuses").addObject();
            String name = container.path("name").asText();
            one.put("name", name)
                    .put("containerID", "containerd://" + StartedContainer.id(pod, name))
                    .put("image", container.path("image").asText(""))
                    .put("ready", state.equals("running"))
                    .put("started", state.equals("running"))
                    .put("restartCount", 0)
                    .putObject("state")
                    .putObject(state);
        }
    }

    private static void condition(ObjectNode status, String ready) {
        status.withArrayProperty("conditions").addObject().put("type", "Ready").put("status", ready);
    }

    private void untilAnswered(String what, Request request) {
        if (!thread.isShutdown()) {
            thread.execute(() -> repeat(what, request));
        }
    }

    private static void repeat(String what, Request request) {
        try {
            while (true) {
                try {
                    ApiClient.Answer answer = request.send();
                    if (answer.code() < 500) {
                        logRefusal(what, answer);
                        return;
                    }
                } catch (IOException e) {
                    LOG.debug("{}: {}", what, e.toString());
                }
                Machine.here().pause(PAUSE);
            }
        } catch (InterruptedException stopped) {
            LOG.debug("{}: stopped, the kubelet ends", what);
        }
    }

    private static void logRefusal(String what, ApiClient.Answer answer) {
        boolean goneOrReplaced = answer.code() == 404 || answer.code() == 422;
        if (!answer.succeeded() && !goneOrReplaced) {
            LOG.warn("{}: {}", what, answer.message());
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
