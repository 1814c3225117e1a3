package io.gpushare.kubernetes;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.kubernetes.eviction.PodStatusPatch;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.KubeletReport;
import io.gpushare.model.pod.KubeletReport.Admission;
import io.gpushare.model.pod.PodPriority;
import io.gpushare.model.pod.PodScheduling;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a scripted HTTP server whose responses the library's own models reject. */
class KubernetesApiIT {
    private ScriptedApiServer server;
    private KubernetesApi api;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new ScriptedApiServer();
        Path kubeconfig = folder.resolve("kubeconfig");
        Files.writeString(kubeconfig, """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
            contexts: [{name: c, context: {cluster: c, user: u}}]
            current-context: c
            users: [{name: u, user: {token: t}}]
            """.formatted(server.port()));
        api = KubernetesApi.connect(kubeconfig, "test", Duration.ofSeconds(1));
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    @Test
    void podsOfANewerServerAreReadAndBookmarksAreHarmless() throws InterruptedException {
        BlockingQueue<PodState> received = new LinkedBlockingQueue<>();
        BlockingQueue<PodState> gone = new LinkedBlockingQueue<>();
        try (Informer pods = api.pods().watch("n1", new Informer.Listener<>() {
            @Override
            public void changed(PodState now) {
                received.add(now);
            }

            @Override
            public void gone(PodState last) {
                gone.add(last);
            }
        })) {
            PodState first = Objects.requireNonNull(received.poll(20, TimeUnit.SECONDS));
            assertThat(first.ref()).isEqualTo(new PodRef("u1", "ns", "p"));
            assertThat(first.node()).isEqualTo("n1");
            assertThat(first.ended()).isFalse();
            assertThat(first.priority()).isEqualTo(new PodPriority(-7, Instant.parse("2026-11-20T10:00:00Z"), false));
            assertThat(first.deadline()).isEqualTo("2026-11-20T11:00:35Z");
            assertThat(first.annotations()).isEqualTo(Map.of("gpushare.io/allocation", "x"));
            assertThat(first.containers())
                    .containsExactly(
                            new ContainerResources("i", ContainerRole.SIDECAR, Map.of("aliyun.com/gpu-mem", "1")),
                            new ContainerResources(
                                    "c", ContainerRole.APP, Map.of("cpu", "1", "aliyun.com/gpu-mem", "3")));
            assertThat(first.ownJaxFraction()).containsExactly("c");
            assertThat(first.scheduling()).isSameAs(PodScheduling.NONE);
            assertThat(first.kubelet())
                    .isEqualTo(new KubeletReport(Admission.ADMITTED, "", Map.of("ab12", "c", "cd34", "i")));
            assertThat(received.poll(20, TimeUnit.SECONDS)).matches(PodState::ended);
            assertThat(gone.poll(20, TimeUnit.SECONDS)).isNotNull();
            await().until(pods::synced);
            assertThat(pods.lastHeard()).isAfter(Instant.EPOCH);
            assertThat(server.requests())
                    .filteredOn(request -> request.contains("/pods?"))
                    .allMatch(request -> request.contains("fieldSelector=spec.nodeName%3Dn1"))
                    .filteredOn(request -> !request.contains("watch=true"))
                    .as("one list, not another one at the bookmark")
                    .hasSize(1);
        }
    }

    @Test
    void aListWithoutAnAnswerIsRepeated() throws InterruptedException {
        server.leaveListUnanswered();
        BlockingQueue<PodState> received = new LinkedBlockingQueue<>();
        try (Informer pods = api.pods().watch(null, new Informer.Listener<>() {
            @Override
            public void changed(PodState now) {
                received.add(now);
            }

            @Override
            public void gone(PodState last) {}
        })) {
            assertThat(received.poll(10, TimeUnit.SECONDS))
                    .as("a pod of the second list")
                    .isNotNull();
            await().until(pods::synced);
        }
    }

    @Test
    void anObjectThatCantBeReadDoesNotEndTheWatchOfTheOthers() throws InterruptedException {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        Informer.Kind<String> kind = new Informer.Kind<>(
                "pods",
                "/api/v1/pods",
                "",
                false,
                object -> {
                    String phase = object.at("/status/phase").asText();
                    if (phase.equals("Running")) {
                        throw new IllegalStateException("the first can't be read");
                    }
                    return phase;
                },
                state -> state);
        try (ApiServer direct = new ApiServer(new HttpTransport(
                        new ApiClient().setBasePath("http://127.0.0.1:" + server.port()), Duration.ofSeconds(5)));
                Informer pods = Informer.start(direct, kind, new Informer.Listener<>() {
                    @Override
                    public void changed(String now) {
                        received.add(now);
                    }

                    @Override
                    public void gone(String last) {}
                })) {
            assertThat(received.poll(20, TimeUnit.SECONDS)).isEqualTo("Succeeded");
            assertThat(pods.synced()).isTrue();
        }
    }

    @Test
    void aListWhosePagesExpireIsReadAsAWhole() throws InterruptedException {
        server.expirePages();
        BlockingQueue<PodState> received = new LinkedBlockingQueue<>();
        try (Informer _ = api.pods().watch(null, new Informer.Listener<>() {
            @Override
            public void changed(PodState now) {
                received.add(now);
            }

            @Override
            public void gone(PodState last) {}
        })) {
            assertThat(received.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(server.requests())
                    .filteredOn(request -> request.contains("/pods?") && !request.contains("watch=true"))
                    .as("two pages and the whole list, of pods that have not ended")
                    .hasSize(3)
                    .allMatch(request ->
                            request.contains("fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"));
        }
    }

    @Test
    void aBindingIsOneCallWithUidAndAnnotations() throws KubernetesException {
        api.pods().bind(new PodRef("u1", "ns", "p"), "n1", Map.of("gpushare.io/allocation", "x"));
        assertThat(server.requests())
                .filteredOn(request -> request.startsWith("POST"))
                .singleElement()
                .asString()
                .contains("/api/v1/namespaces/ns/pods/p/binding")
                .contains("\"uid\":\"u1\"")
                .contains("\"annotations\":{\"gpushare.io/allocation\":\"x\"}")
                .doesNotContain("resourceVersion");
    }

    @Test
    void aRejectedBindingHasTheStatusAndTheServersMessage() {
        server.bindingStatus(409);
        assertThatThrownBy(() -> api.pods().bind(new PodRef("u1", "ns", "p"), "n1", Map.of()))
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isEqualTo(409))
                .hasMessageContaining("pod p is already assigned to node \"n2\"");
    }

    @Test
    void theUidIsComparedHereIfTheServerDoesNot() {
        server.version("20+");
        assertThatThrownBy(() -> api.pods().bind(new PodRef("other", "ns", "p"), "n1", Map.of()))
                .hasMessageContaining("another pod has that name now");
        assertThat(server.requests()).isNotEmpty().noneMatch(request -> request.startsWith("POST"));
    }

    @Test
    void aMissingPodIsEmptyAndAnUnreachableServerIsAnError() throws KubernetesException {
        assertThat(api.pods().read("ns", "missing")).isEmpty();
        server.stop();
        assertThatThrownBy(() -> api.pods().read("ns", "p"))
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isZero());
    }

    @Test
    void aResponseThatDoesNotEndIsNoAnswer() throws KubernetesException {
        Leases lease = api.lease("ns", "lease", Duration.ofSeconds(5));
        PodRef pod = new PodRef("u1", "ns", "p");
        Leases.State before = lease.read().orElseThrow();
        Map<String, ThrowingCallable> calls = Map.of(
                "lease read", lease::read,
                "lease write", () -> lease.hold(before, "b", Duration.ofSeconds(15), Instant.EPOCH),
                "node patch", () -> api.nodes().annotate("n1", Map.of("a", "b")),
                "pod patch", () -> api.pods().annotate(pod, Map.of("a", "b")),
                "pod status", () -> api.evictions().patch(pod, PodStatusPatch.nominated("n1")),
                "permission", () -> api.evictions().permitted(),
                "version and binding", () -> api.pods().bind(pod, "n1", Map.of()));
        server.breakOff();

        calls.forEach((name, call) -> assertThatThrownBy(call)
                .as(name)
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isZero())
                .hasMessageContaining("no answer from the API server: "));
    }

    @Test
    void aNodeIsAnnotatedByAMergePatch() throws KubernetesException {
        api.nodes().annotate("n1", Map.of("gpushare.io/inventory", "{\"a\":1}"));
        assertThat(server.requests())
                .singleElement()
                .asString()
                .startsWith("PATCH /api/v1/nodes/n1/status application/merge-patch+json")
                .endsWith("{\"metadata\":{\"annotations\":{\"gpushare.io/inventory\":\"{\\\"a\\\":1}\"}}}");
    }

    @Test
    void aPodIsAnnotatedOnlyIfItIsStillThatPod() throws KubernetesException {
        api.pods().annotate(new PodRef("u1", "ns", "p"), Map.of("gpushare.io/allocation", "x"));
        assertThat(server.requests())
                .singleElement()
                .asString()
                .startsWith("PATCH /api/v1/namespaces/ns/pods/p/status application/merge-patch+json")
                .endsWith("{\"metadata\":{\"annotations\":{\"gpushare.io/allocation\":\"x\"},\"uid\":\"u1\"}}");
    }

    @Test
    void aPatchOfAPodThatWasRecreatedIsAConflict() {
        assertThatThrownBy(() -> api.pods().annotate(new PodRef("u1", "ns", "recreated"), Map.of("a", "b")))
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isEqualTo(409))
                .hasMessageContaining("another object has that name now");
        assertThatThrownBy(() -> api.pods().annotate(new PodRef("u1", "ns", "refused"), Map.of("a b", "c")))
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isEqualTo(422));
    }

    @Test
    void anEventNamesItsPodAndStaysWithinTheApisLimit() throws KubernetesException {
        PodEvent event = new PodEvent(true, "CardUnhealthy", "x".repeat(2000));
        Events.Series twice =
                Events.Series.once(Instant.parse("2026-11-20T10:00:00Z")).again(Instant.parse("2026-11-20T10:07:00Z"));
        api.events("gpushare-device-plugin").record(new EventSubject.Pod(new PodRef("u1", "ns", "p")), event, twice);
        assertThat(server.requests())
                .singleElement()
                .asString()
                .startsWith("POST /api/v1/namespaces/ns/events")
                .contains(
                        "\"involvedObject\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\",\"namespace\":\"ns\"")
                .contains("\"reason\":\"CardUnhealthy\"")
                .contains(
                        "\"count\":2", "\"firstTimestamp\":\"2026-11-20T10:00", "\"lastTimestamp\":\"2026-11-20T10:07")
                .contains("\"type\":\"Warning\"")
                .contains("x".repeat(1021) + "…\"", "\"source\":{\"component\":\"gpushare-device-plugin\"}");
    }

    @Test
    void anEventOfANodeIsFoundByItsName() throws KubernetesException {
        api.events("gpushare-device-plugin", "n1")
                .record(
                        new EventSubject.Node("n1"),
                        new PodEvent(true, "CardUnhealthy", "x"),
                        Events.Series.once(Instant.parse("2026-11-20T10:00:00Z")));
        assertThat(server.requests())
                .singleElement()
                .asString()
                .startsWith("POST /api/v1/namespaces/default/events")
                .contains("\"involvedObject\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n1\",\"uid\":\"n1\"}")
                .contains("\"component\":\"gpushare-device-plugin\"", "\"host\":\"n1\"");
    }

    @Test
    void podsOfAllNodesOmitWhatOnlyTheirNodeNeeds() throws InterruptedException {
        BlockingQueue<PodState> received = new LinkedBlockingQueue<>();
        try (Informer pods = api.pods().watch(null, new Informer.Listener<>() {
            @Override
            public void changed(PodState now) {
                received.add(now);
            }

            @Override
            public void gone(PodState last) {}
        })) {
            assertThat(received.poll(20, TimeUnit.SECONDS))
                    .isNotNull()
                    .satisfies(pod -> assertThat(pod.kubelet().started()).isEmpty());
            await().until(pods::synced);
        }
    }

    @Test
    void anEvictionHasTheUidAndFallsBackToTheOlderVersion() throws KubernetesException {
        PodRef pod = new PodRef("u1", "ns", "p");
        api.evictions().evict(pod);
        assertThat(server.requests())
                .hasSize(2)
                .allMatch(request -> request.startsWith("POST /api/v1/namespaces/ns/pods/p/eviction")
                        && request.contains("\"preconditions\":{\"uid\":\"u1\"}"))
                .last()
                .asString()
                .contains("\"apiVersion\":\"policy/v1beta1\"");
        assertThatThrownBy(() -> api.evictions().evict(new PodRef("u2", "ns", "guarded")))
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isEqualTo(429));
        api.evictions().evict(new PodRef("u3", "ns", "gone"));
    }
}
