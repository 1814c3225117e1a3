package io.gpushare.claims.templates;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.PodRef;
import io.gpushare.simulated.apiserver.ApiRequest;
import io.gpushare.simulated.apiserver.Outcome;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.apiserver.store.ApiResource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The controller against the API over HTTP. Rounds are called by the tests, which also move the clock. */
class TemplateControllerIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SHARE = "gpushare.1x-3072mi";

    @TempDir
    private Path folder;

    private final Map<PodRef, List<String>> waiting = new ConcurrentHashMap<>();
    private final List<String> events = new ArrayList<>();
    private SimulatedApiServer server;
    private KubernetesApi api;
    private TemplateController controller;
    private Instant now = Instant.parse("2026-11-28T10:00:00Z");
    private boolean leads = true;

    @BeforeEach
    void start() throws IOException {
        server = SimulatedApiServer.start();
        api = KubernetesApi.connect(Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig()), "test");
        controller = new TemplateController(
                api.resources(),
                () -> Map.copyOf(waiting),
                () -> leads,
                (about, event) -> events.add(about + ": " + event.message()),
                () -> now);
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    @Test
    void whatAPodWaitsForIsMadeInItsNamespaceAndRemovedWhenNoPodHasWaitedForIt() throws IOException {
        wait("one", "team", SHARE);
        wait("two", "team", SHARE);
        wait("other", "else", "gpushare.2x.t-t4-t");
        controller.round();
        assertThat(names()).containsExactlyInAnyOrder("team/" + SHARE, "else/gpushare.2x.t-t4-t");
        assertThat(template("team", SHARE).at("/spec/spec/devices/requests")).isEqualTo(JSON.readTree("""
            [{"name": "r0", "exactly": {"deviceClassName": "gpushare", "allocationMode": "ExactCount", "count": 1,
              "capacity": {"requests": {"memory": "3Gi"}}}}]
            """));
        assertThat(template("team", SHARE)
                        .at("/metadata/labels/gpushare.io~1template")
                        .asText())
                .isEqualTo("requests");
        assertThat(template("else", "gpushare.2x.t-t4-t")
                        .at("/spec/spec/devices/requests/0/exactly/selectors/0/cel/expression")
                        .asText())
                .contains("contains('t4')");

        waiting.clear();
        later(Duration.ofMinutes(9));
        assertThat(names()).hasSize(2);
        wait("two", "team", SHARE);
        later(Duration.ofMinutes(9));
        assertThat(names()).containsExactly("team/" + SHARE);
        waiting.clear();
        later(Duration.ofMinutes(12));
        assertThat(names()).isEmpty();
        assertThat(events).isEmpty();
    }

    /** In steps of half a minute, as the controller would see it. */
    private void later(Duration time) {
        for (Instant end = now.plus(time); now.isBefore(end); now = now.plusSeconds(30)) {
            controller.round();
        }
        controller.round();
    }

    @Test
    void oneThatSomebodyDeletesIsMadeAgainWhilePodsWait() {
        wait("one", "team", SHARE);
        controller.round();
        server.objects().remove(ApiResource.CLAIM_TEMPLATES, "team", SHARE);
        later(Duration.ofSeconds(31));
        assertThat(names()).containsExactly("team/" + SHARE);
    }

    @Test
    void oneOfAnotherContentIsNeitherTrustedNorChangedAndThePodSaysSo() throws IOException {
        server.add((ObjectNode) JSON.readTree("""
            {"kind": "ResourceClaimTemplate", "metadata": {"name": "%s", "namespace": "team",
             "labels": {"gpushare.io/template": "requests"}},
             "spec": {"spec": {"devices": {"requests": [{"name": "r0", "exactly": {"deviceClassName": "theirs"}}]}}}}
            """.formatted(SHARE)));
        wait("one", "team", SHARE);
        controller.round();
        assertThat(events)
                .singleElement()
                .asString()
                .startsWith("pod team/one")
                .contains(SHARE + " has another content than its name says, and is not replaced");
        waiting.clear();
        later(Duration.ofMinutes(15));
        assertThat(template("team", SHARE)
                        .at("/spec/spec/devices/requests/0/exactly/deviceClassName")
                        .asText())
                .isEqualTo("theirs");
    }

    @Test
    void namesThatAreNotOursMakeNothing() {
        wait("a", "team", "mine");
        wait("b", "team", "gpushare.0x");
        wait("c", "team", "gpushare.1x-30c");
        wait("d", "team", "gpushare.1x.s-modelzszisa100-s");
        server.log().start();
        controller.round();
        assertThat(names()).isEmpty();
        assertThat(posts()).isEmpty();
    }

    @Test
    void aSelectorThatCannotBeReadMakesNothingAndThePodSaysWhy() {
        wait("a", "team", "gpushare.1x.s-modelzsiszsa100-s");
        controller.round();
        assertThat(names()).isEmpty();
        assertThat(events).singleElement().asString().contains("annotation gpushare.io/select: at character");
    }

    @Test
    void aNamespaceGetsABoundedNumberAndKeepsNoOtherWaiting() {
        for (int i = 1; i <= 100; i++) {
            wait("p" + i, "hostile", "gpushare.1x-" + i + "mi");
        }
        controller.round();
        assertThat(names()).hasSize(4);
        wait("late", "team", SHARE);
        controller.round();
        assertThat(names()).contains("team/" + SHARE);
        for (int i = 0; i < 60; i++) {
            controller.round();
        }
        assertThat(names()).hasSize(64 + 1);
        assertThat(events).isNotEmpty().allMatch(each -> each.contains("the namespace has 64 ResourceClaimTemplates"));
    }

    @Test
    void anotherOneLeadsAndThisOneDoesNothing() {
        leads = false;
        wait("one", "team", SHARE);
        server.log().start();
        controller.round();
        assertThat(server.log().all()).isEmpty();
        leads = true;
        controller.round();
        assertThat(names()).containsExactly("team/" + SHARE);
    }

    @Test
    void anApiServerThatFailsIsAskedAgainAndANamespaceThatRefusesStopsNoOther() {
        server.faults()
                .rule(request ->
                        request.method().equals("POST") && request.path().contains("/ends/"))
                .always(Outcome.refused(403, "Forbidden", "unable to create new content: it is being terminated"));
        var broken = server.faults().rule(request -> request.path().contains("/team/"));
        broken.next(Outcome.refused(503, "ServiceUnavailable", "starting"));
        wait("one", "ends", SHARE);
        wait("two", "team", SHARE);
        controller.round();
        controller.round();
        assertThat(names()).containsExactly("team/" + SHARE);
    }

    @Test
    void onePodGetsFewEventsOfAQuota() {
        server.faults()
                .rule(request ->
                        request.method().equals("POST") && request.path().contains("/team/"))
                .always(Outcome.refused(403, "Forbidden", "exceeded quota: few"));
        waiting.put(
                new PodRef("u", "team", "p"),
                IntStream.rangeClosed(1, 64)
                        .mapToObj(i -> "gpushare.1x-" + i + "mi")
                        .toList());
        wait("other", "else", SHARE);
        for (int i = 0; i < 60; i++, now = now.plusMillis(500)) {
            controller.round();
        }
        assertThat(names()).containsExactly("else/" + SHARE);
        assertThat(events).singleElement().asString().startsWith("pod team/p").contains("exceeded quota: few");
        later(Duration.ofMinutes(3));
        assertThat(events).hasSize(2);
    }

    @Test
    void oneThatMayNotBeRemovedKeepsNoOther() {
        for (int i = 1; i <= 40; i++) {
            wait("p" + i, "stuck", "gpushare.1x-" + i + "mi");
        }
        wait("one", "team", SHARE);
        for (int i = 0; i < 15; i++) {
            controller.round();
        }
        assertThat(names()).hasSize(41);
        server.faults()
                .rule(request ->
                        request.method().equals("DELETE") && request.path().contains("/stuck/"))
                .always(Outcome.refused(403, "Forbidden", "denied by a webhook"));
        waiting.clear();
        later(Duration.ofMinutes(12));
        assertThat(names()).hasSize(40).doesNotContain("team/" + SHARE);
    }

    /** A tenant may give the label to many large objects. */
    @Test
    void aListThatFailsDoesNotKeepTemplatesFromBeingMade() {
        wait("one", "team", SHARE);
        server.faults()
                .rule(request -> request.method().equals("GET")
                        && request.path().startsWith("/apis/resource.k8s.io/v1/resourceclaimtemplates"))
                .always(Outcome.refused(504, "Timeout", "too large"));
        controller.round();
        assertThat(names()).containsExactly("team/" + SHARE);
    }

    @Test
    void oneNamespacesObjectsWithTheLabelHideNoOthers() throws IOException {
        wait("one", "team", SHARE);
        controller.round();
        waiting.clear();
        ObjectNode theirs = (ObjectNode) JSON.readTree("""
            {"kind": "ResourceClaimTemplate", "metadata": {"namespace": "a", "labels": {"gpushare.io/template": "requests"}},
             "spec": {"spec": {"devices": {}}}}
            """);
        for (int i = 1; i <= 20_000; i++) {
            ObjectNode each = theirs.deepCopy();
            ((ObjectNode) each.path("metadata")).put("name", "gpushare.1x-" + i + "mi");
            server.add(each);
        }
        now = now.plusSeconds(60);
        controller.round();
        now = now.plusSeconds(570);
        controller.round();
        assertThat(names()).hasSize(20_000).doesNotContain("team/" + SHARE);
    }

    private void wait(String pod, String namespace, String template) {
        waiting.put(new PodRef(namespace + pod, namespace, pod), List.of(template));
    }

    private List<String> names() {
        return server.objects().list(ApiResource.CLAIM_TEMPLATES).stream()
                .map(each -> each.at("/metadata/namespace").asText() + "/"
                        + each.at("/metadata/name").asText())
                .toList();
    }

    private List<ApiRequest> posts() {
        return server.log().matching(request -> request.method().equals("POST"));
    }

    private ObjectNode template(String namespace, String name) {
        return server.objects().get(ApiResource.CLAIM_TEMPLATES, namespace, name);
    }
}
