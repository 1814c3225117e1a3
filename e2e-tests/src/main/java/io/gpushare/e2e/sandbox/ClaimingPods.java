package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Pods with claims on the node that serves them: two share a card, another has one alone, and the next waits for it.
 * The device classes are those of the chart.
 */
final class ClaimingPods implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final String GROUP = "/apis/resource.k8s.io/v1/";
    private static final String TEMPLATES = GROUP + "namespaces/default/resourceclaimtemplates";
    private static final String SHARE = "claims-3gi";
    private static final String CARD = "claims-card";
    private static final List<String> PODS = List.of("claims-1", "claims-2", "claims-whole", "claims-next");
    private static final String TOP = "(?s).*claims-1 +node-e +\\d +3 GiB .*claims-2 +node-e +\\d +3 GiB"
            + " .*claims-whole +node-e +\\d +whole card .*";
    private static final String ANY = "device.driver == 'gpushare.io'";

    private final SandboxCluster sandbox;
    private final TerminalView screen;
    private final Checks checks;

    ClaimingPods(SandboxCluster sandbox, TerminalView screen, Checks checks) {
        this.sandbox = sandbox;
        this.screen = screen;
        this.checks = checks;
    }

    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    void run() throws IOException, InterruptedException {
        deviceClass("gpushare", ANY);
        deviceClass("gpushare-card", ANY + " && device.attributes['gpushare.io'].type == 'gpu'");
        check(
                () -> !sandbox.api()
                        .get(GROUP + "resourceslices")
                        .document()
                        .path("items")
                        .isEmpty(),
                "no card is offered to claims");
        template(SHARE, "{\"deviceClassName\":\"gpushare\",\"capacity\":{\"requests\":{\"memory\":\"3Gi\"}}}");
        template(CARD, "{\"deviceClassName\":\"gpushare-card\"}");
        for (int i = 0; i < PODS.size(); i++) {
            create(PODS.get(i), i < 2 ? SHARE : CARD);
            int number = i;
            check(
                    () -> number < 3 ? phase(number).equals("Running") : waits(number),
                    PODS.get(i) + (i < 3 ? " does not run" : " has a card that is taken"));
        }
        checks.check(card(0).startsWith("GPU-") && card(0).equals(card(1)), "two claims of 3 GiB are not on one card");
        checks.check(!card(2).equals(card(0)), "a claim got a card alone that is shared");
        shown();
        delete(PODS.get(2));
        check(() -> phase(3).equals("Running"), "the card of a claim that ended is not free");
        screen.line("claims: two pods share a card, another has one alone, and the next gets that one when it ends");
    }

    /** What users see of these pods: the lists, the data of the page, and why the last one waits. */
    private void shown() throws IOException, InterruptedException {
        String node = SandboxNode.CLAIMS.name();
        try (ExtenderView view = new ExtenderView(sandbox.extender())) {
            // The extender hears of a claim a moment after its pod runs.
            check(() -> view.text("text/nodes?node=" + node).contains("54/96 GiB"), "the list has not 54 of 96 GiB");
            check(
                    () -> view.text("text/details?node=" + node).matches("(?s).*claims-1 .*claims-2 .*claims-whole .*"),
                    "the list of pods lacks one with a claim");
            check(
                    () -> view.text("text/top-pods?namespace=default").matches(TOP),
                    "top pods lacks a share or a card of a claim");
            List<ExtenderView.Card> cards = view.cards(node);
            checks.check(
                    cards.stream().anyMatch(card -> card.whole() && card.pods().equals(List.of("claims-whole (whole)")))
                            && cards.stream()
                                    .anyMatch(card -> card.pods().equals(List.of("claims-1 3 GiB", "claims-2 3 GiB"))),
                    "the page has " + cards + " of the node of claims");
            String why = view.text("text/why?pod=claims-1");
            checks.check(why.startsWith("Pod default/claims-1 is on node " + node + ", card GPU-"), "why says: " + why);
            check(
                    () -> view.text("text/why?pod=claims-next")
                            .startsWith("Pod default/claims-next requests 1 whole card"),
                    "why does not say what a pod with a claim waits for");
            screen.line("claims: the lists, the page and why show them");
        }
    }

    private void deviceClass(String name, String expression) throws IOException, InterruptedException {
        ObjectNode made = object("DeviceClass", name);
        made.putObject("spec")
                .putArray("selectors")
                .addObject()
                .putObject("cel")
                .put("expression", expression);
        WorkloadRun.require(sandbox.api().post(GROUP + "deviceclasses", made));
    }

    private static ObjectNode object(String kind, String name) {
        ObjectNode object =
                ApiClient.document().put("apiVersion", "resource.k8s.io/v1").put("kind", kind);
        object.putObject("metadata").put("name", name);
        return object;
    }

    private void template(String name, String exactly) throws IOException, InterruptedException {
        ObjectNode template = object("ResourceClaimTemplate", name);
        template.withObject("/spec/spec/devices")
                .putArray("requests")
                .addObject()
                .put("name", "gpu")
                .set("exactly", ApiClient.document(exactly));
        WorkloadRun.require(sandbox.api().post(TEMPLATES, template));
    }

    private void create(String pod, String template) throws IOException, InterruptedException {
        WorkloadRun.require(sandbox.api().post(WorkloadRun.PODS, ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},"spec":{"terminationGracePeriodSeconds":0,
             "resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"%s"}],
             "containers":[{"name":"main","image":"registry.k8s.io/pause:3.10",
               "resources":{"claims":[{"name":"gpu"}]}}]}}\
            """.formatted(pod, template))));
    }

    private PodDocument pod(int number) throws IOException, InterruptedException {
        return new PodDocument(
                sandbox.api().get(WorkloadRun.PODS + "/" + PODS.get(number)).document());
    }

    private String phase(int number) throws IOException, InterruptedException {
        return pod(number).phase();
    }

    private boolean waits(int number) throws IOException, InterruptedException {
        return pod(number).waitingReason().contains("cannot allocate all claims");
    }

    private String card(int number) throws IOException, InterruptedException {
        return ClusterSnapshot.take(sandbox.api())
                .pod(PODS.get(number))
                .flatMap(placed -> GreedyTenant.started(sandbox, placed))
                .map(started -> started.environment().getOrDefault("NVIDIA_VISIBLE_DEVICES", ""))
                .orElse("");
    }

    private void check(Condition condition, String failure) throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(Patience.of(PATIENCE));
        boolean holds = condition.holds();
        while (!holds && Instant.now().isBefore(deadline)) {
            Thread.sleep(PERIOD);
            holds = condition.holds();
        }
        checks.check(holds, failure);
    }

    private void delete(String pod) throws IOException, InterruptedException {
        sandbox.api().delete(WorkloadRun.PODS + "/" + pod, ApiClient.document());
    }

    /** Deletes the pods and templates; nothing is left of their claims. */
    @Override
    public void close() throws IOException {
        try {
            for (String pod : PODS) {
                delete(pod);
            }
            check(() -> files() == 0, "files of claims that ended are left");
            for (String template : List.of(SHARE, CARD)) {
                sandbox.api().delete(TEMPLATES + "/" + template, ApiClient.document());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int files() throws IOException {
        Path cdi = sandbox.kubeletDirectory(SandboxNode.CLAIMS.name()).resolve("cdi");
        int files = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(cdi)) {
            for (Path _ : all) {
                files++;
            }
        }
        return files;
    }
}
