package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.TestApiServer.Fault;
import io.gpushare.extender.running.WithExtender;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Regression tests for the faults of gpushare's extender, over real HTTP; see DESIGN.md for the numbers. */
class GpushareFaultsIT extends WithExtender {
    private static final int BINDS = 500;
    private static final int AT_ONCE = 64;
    private static final JsonObject THREE = new JsonObject().put("aliyun.com/gpu-mem", "3");

    private static final String FIFTEEN_ON_X =
            "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-x\":15}}]}";

    private static final JsonObject FIFTEEN = new JsonObject().put("aliyun.com/gpu-mem", "15");

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("n1", TestApiServer.TWO_T4);
        cluster.pod("p", "uid-p", THREE);
        cluster.pod("q", "uid-q", FIFTEEN);
        cluster.pod("stray", "uid-stray", FIFTEEN);
        cluster.boundByOther("stray", "gone", Map.of("gpushare.io/allocation", FIFTEEN_ON_X));
    }

    @Tag("alone")
    @Test
    void e1FiveHundredBindsSixtyFourAtATimeAreNotThrottled() throws Exception {
        long[] nanos = bindMany(0);
        System.out.printf(
                "%d binds, %d at once, 20 ms for each API call: p50 %.0f ms, p99 %.0f ms%n",
                BINDS, AT_ONCE, nanos[BINDS / 2] / 1e6, nanos[BINDS * 99 / 100] / 1e6);
        assertThat(nanos[BINDS * 99 / 100]).as("kube-scheduler's timeout").isLessThan(TimeUnit.SECONDS.toNanos(5));
    }

    @Test
    void e2WithFivePercentOfResponsesLostEveryPodIsBoundOnceAndKeepsItsCard() throws Exception {
        bindMany(5);
    }

    private long[] bindMany(int losing) throws Exception {
        for (int n = 0; n < 10; n++) {
            api.node("m" + n, eightCards(n));
        }
        for (int i = 0; i < BINDS; i++) {
            api.pod("b" + i, "uid-b" + i, new JsonObject().put("aliyun.com/gpu-mem", "2"));
        }
        await().until(() -> extender.ledger.state().node("m9").isPresent());
        api.delay(20);
        api.losing(losing);
        Semaphore permits = new Semaphore(AT_ONCE);
        long[] nanos = new long[BINDS];
        List<CompletableFuture<String>> binds = new ArrayList<>();
        for (int i = 0; i < BINDS; i++) {
            int pod = i;
            permits.acquire();
            long began = System.nanoTime();
            binds.add(
                    extender.bindLater("b" + pod, "uid-b" + pod, "m" + pod % 10).whenComplete((error, failure) -> {
                        nanos[pod] = System.nanoTime() - began;
                        permits.release();
                    }));
        }
        int retries = 0;
        for (int i = 0; i < BINDS; i++) {
            if (!Patience.result(binds.get(i)).isEmpty()) {
                retries++;
                assertThat(extender.bind("b" + i, "uid-b" + i, "m" + i % 10)).isEmpty();
            }
        }
        await().until(() -> LedgerCounts.of(extender.placer.ledger()).holding(Standing.SEEN) == BINDS + 1);
        Set<String> uids = api.bindings().stream()
                .map(binding -> binding.getJsonObject("metadata").getString("uid"))
                .collect(Collectors.toSet());
        assertThat(uids).hasSize(BINDS);
        assertThat(LedgerCounts.of(extender.placer.ledger()).overcommitted()).isZero();
        for (int i = 0; i < BINDS; i++) {
            assertThat(api.object("default/b" + i).getJsonObject("spec").getString("nodeName"))
                    .isEqualTo("m" + i % 10);
        }
        System.out.printf(
                "%d %% of responses lost: %d pods bound by %d Bindings, %d binds retried%n",
                losing, uids.size(), api.bindings().size(), retries);
        Arrays.sort(nanos);
        return nanos;
    }

    private static String eightCards(int node) {
        return "{\"version\":1,\"unitMiB\":1024,\"cards\":["
                + IntStream.range(0, 8)
                        .mapToObj(i ->
                                "{\"uuid\":\"GPU-%d-%d\",\"index\":%d,\"minor\":%d,\"model\":\"T\",\"memoryMiB\":16384}"
                                        .formatted(node, i, i, i))
                        .collect(Collectors.joining(","))
                + "]}";
    }

    @Test
    void e2ARepeatedBindKeepsTheAnnotation() throws Exception {
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        String before = allocation("p");
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        assertThat(allocation("p")).isEqualTo(before);
        assertThat(api.bindings()).hasSize(1);
    }

    @Test
    void e6ATerminatingPodKeepsItsMemoryUntilItIsGone() throws Exception {
        assertThat(extender.bind("q", "uid-q", "n1")).isEmpty();
        api.deleting("q");
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        assertThat(allocation("p")).doesNotContain(cardOf("q"));
        api.delete("q");
        await().until(() ->
                extender.get("/gpushare-scheduler/inspect/n1").body().contains("\"usedGPU\":3"));
    }

    @Test
    void e7cInspectReturnsAllNodesThoughOneLostAUsedCard() throws Exception {
        api.node("n2", TestApiServer.TWO_T4);
        await().until(() -> extender.ledger.state().node("n2").isPresent());
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        api.node("n1", "{\"version\":1,\"unitMiB\":1024,\"cards\":[]}");
        await().until(() ->
                extender.get("/gpushare-scheduler/inspect/n1").body().contains("\"totalGPU\":0"));
        assertThat(extender.get("/gpushare-scheduler/inspect").body()).contains("\"n1\"", "\"n2\"");
    }

    @Test
    void e8APodOnAMissingNodeDoesNotPreventTheStart() throws Exception {
        assertThat(api.object("default/stray").getJsonObject("spec").getString("nodeName"))
                .isEqualTo("gone");
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
    }

    @Test
    void e10APodThatNoLongerFitsGetsTheReasonAndIsPlacedElsewhere() throws Exception {
        api.node("n2", TestApiServer.TWO_T4);
        await().until(() -> extender.ledger.state().node("n2").isPresent());
        api.pod("both", "uid-both", new JsonObject().put("aliyun.com/gpu-count", "2"));
        assertThat(extender.bind("both", "uid-both", "n1")).isEmpty();
        assertThat(extender.bind("p", "uid-p", "n1")).isEqualTo("Insufficient GPU Memory in one device");
        assertThat(extender.bind("p", "uid-p", "n2")).isEmpty();
    }

    @Test
    void e12FilterDoesNotWaitForABindOfTheSameNode() throws Exception {
        api.next(Fault.HELD);
        CompletableFuture<String> bind = extender.bindLater("p", "uid-p", "n1");
        await().until(() -> api.waiting() == 1);
        String filter = "{\"Pod\":{\"metadata\":{\"name\":\"q\",\"namespace\":\"default\",\"uid\":\"uid-q\"},\"spec\":"
                + TestApiServer.spec(new JsonObject().put("aliyun.com/gpu-mem", "15"))
                        .encode()
                + "},\"NodeNames\":[\"n1\"]}";
        assertThat(extender.post("filter", filter).body()).contains("\"NodeNames\":[\"n1\"]");
        assertThat(bind).isNotDone();
        api.release();
        assertThat(Patience.result(bind)).isEmpty();
    }

    @Test
    void e13AnExtenderThatShutsDownServesNothingFromAnOldLedger() throws Exception {
        extender.resign();
        assertThat(extender.get("/readyz").statusCode()).isEqualTo(503);
        assertThat(extender.bind("p", "uid-p", "n1")).contains("is shutting down");
        assertThat(api.bindings()).isEmpty();
    }

    @Test
    void e14ErrorsRevealNothingOfThePodAndThereIsNoDebugPath() throws Exception {
        String body = "{\"Pod\":{\"metadata\":{\"name\":\"q\"},\"spec\":{\"containers\":[{\"name\":\"main\",\"env\":"
                + "[{\"name\":\"PASSWORD\",\"value\":\"hunter2\"}],\"resources\":{\"limits\":{\"aliyun.com/gpu-mem\":"
                + "\"x\"}}}]}},\"NodeNames\":[\"n1\"]}";
        assertThat(extender.post("filter", body).body())
                .contains("is not a quantity")
                .doesNotContain("hunter2");
        assertThat(extender.post("filter", body.substring(0, body.length() - 5)).body())
                .doesNotContain("hunter2");
        assertThat(extender.get("/debug/pprof/").statusCode()).isEqualTo(404);
    }

    @Test
    void e14AForgedAnnotationIsReportedAsAnEventOnItsPod() throws Exception {
        api.boundByOther("p", "n1", Map.of("gpushare.io/allocation", FIFTEEN_ON_X));
        await().until(() -> !api.events().isEmpty());
        JsonObject event = api.events().getFirst();
        assertThat(event.getJsonObject("involvedObject").getString("uid")).isEqualTo("uid-p");
        assertThat(event.getString("type")).isEqualTo("Warning");
        assertThat(event.getString("message")).contains("not what its containers request");
        assertThat(extender.get("/metrics").body()).contains("gpushare_extender_annotations_disbelieved_total 1.0");
    }

    @Test
    void e19OnlyNodesTheirLeasesPodsAndTheVersionAreRead() throws Exception {
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        assertThat(new HashSet<>(api.requestedPaths()))
                .isSubsetOf(
                        "/api/v1/nodes",
                        "/apis/coordination.k8s.io/v1/namespaces/gpushare-node-lease/leases",
                        "/api/v1/pods",
                        "/version/",
                        "/version",
                        "/api/v1/namespaces/default/pods/p",
                        "/api/v1/namespaces/default/pods/p/binding");
    }

    @Test
    void e20AnErrorIsOneJsonResponse() throws Exception {
        for (String verb : List.of("filter", "bind")) {
            String body = extender.post(verb, "{nonsense").body();
            assertThat(new JsonObject(body).getString("Error")).isNotEmpty();
        }
        assertThat(new JsonObject(extender.post("prioritize", "{nonsense").body()))
                .isNotEmpty();
        assertThat(extender.get("/version").body()).isEqualTo("0.0.0-test\n");
    }

    private String allocation(String pod) {
        return api.object("default/" + pod)
                .getJsonObject("metadata")
                .getJsonObject("annotations")
                .getString("gpushare.io/allocation");
    }

    private String cardOf(String pod) {
        return allocation(pod).contains("GPU-a") ? "GPU-a" : "GPU-b";
    }
}
