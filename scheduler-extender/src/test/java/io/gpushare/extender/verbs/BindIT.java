package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.TestApiServer.Fault;
import io.gpushare.extender.running.WithExtender;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Bind over real HTTP on both sides, with every kind of response of the API server. */
class BindIT extends WithExtender {
    private static final JsonObject THREE = new JsonObject().put("aliyun.com/gpu-mem", "3");
    private static final String OUR_ALLOCATION =
            "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-b\":3}}]}";

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("n1", TestApiServer.TWO_T4);
        cluster.node("n2", TestApiServer.TWO_T4);
        cluster.pod("p", "uid-p", THREE);
    }

    @Test
    void oneBindingCarriesUidNodeAndAnnotations() throws Exception {
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();

        assertThat(api.bindings()).hasSize(1);
        JsonObject binding = api.bindings().getFirst();
        assertThat(binding.getJsonObject("target").getString("name")).isEqualTo("n1");
        JsonObject metadata = binding.getJsonObject("metadata");
        assertThat(metadata.getString("uid")).isEqualTo("uid-p");
        assertThat(metadata.getString("resourceVersion")).isNull();
        assertThat(metadata.getJsonObject("annotations").getString("gpushare.io/allocation"))
                .isEqualTo(
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-a\":3}}]}");
        assertThat(metadata.getJsonObject("annotations").getString("ALIYUN_COM_GPU_MEM_IDX"))
                .isEqualTo("0");
        awaitSeen(1);
        assertThat(used("n1")).isEqualTo(3);
    }

    @Test
    void aRepeatedBindIsASuccessWithoutACall() throws Exception {
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        awaitSeen(1);
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        assertThat(extender.bind("p", "uid-p", "n2")).isEqualTo("pod default/p is already bound to node n1");
        assertThat(api.bindings()).hasSize(1);
    }

    @Test
    void aLostResponseIsResolvedAndIsASuccess() throws Exception {
        api.always(Fault.LOST_RESPONSE);
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        awaitSeen(1);
        assertThat(used("n1")).isEqualTo(3);
    }

    @Test
    void aLostRequestLeavesTheCardsAssumedUntilItIsResolved() throws Exception {
        api.always(Fault.LOST_REQUEST);
        assertThat(extender.bind("p", "uid-p", "n1")).contains("no answer from the API server");
        assertThat(used("n1")).isEqualTo(3);

        api.always(Fault.NONE);
        Instant later = Instant.now().plusSeconds(120);
        extender.binder.resolveUnknown(later, later);
        assertThat(used("n1")).isZero();
        assertThat(extender.bind("p", "uid-p", "n2")).isEmpty();
        assertThat(used("n2")).isEqualTo(3);
    }

    @Test
    void afterAnOutageNothingIsAssumedAndThePodIsBoundOnce() throws Exception {
        api.away(true);
        for (String node : List.of("n1", "n2", "n1")) {
            assertThat(extender.bind("p", "uid-p", node)).contains("no answer from the API server");
        }
        Instant later = Instant.now().plusSeconds(120);
        extender.binder.resolveUnknown(later, later);
        assertThat(used("n1") + used("n2")).as("not resolved yet").isEqualTo(6);
        api.away(false);
        extender.binder.resolveUnknown(later, later);
        assertThat(used("n1") + used("n2")).isZero();
        assertThat(extender.bind("p", "uid-p", "n2")).isEmpty();
        assertThat(api.bindings()).hasSize(1);
        assertThat(used("n1")).isZero();
        assertThat(used("n2")).isEqualTo(3);
    }

    @Test
    void anErrorOfTheApiServerEndsTheReservation() throws Exception {
        api.next(Fault.ERROR);
        assertThat(extender.bind("p", "uid-p", "n1")).contains("500").contains("leader changed");
        assertThat(used("n1")).isZero();
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
    }

    @Test
    void aConflictWithTheSameNodeAndOurAllocationIsASuccess() throws Exception {
        api.next(Fault.HELD);
        CompletableFuture<String> bind = extender.bindLater("p", "uid-p", "n1");
        await().until(() -> api.waiting() == 1);
        api.boundByOther("p", "n1", Map.of("gpushare.io/allocation", OUR_ALLOCATION));
        api.release();
        assertThat(Patience.result(bind)).isEmpty();
        awaitSeen(1);
        assertThat(extender.get("/gpushare-scheduler/inspect/n1").body())
                .contains("\"id\":0,\"totalGPU\":15,\"usedGPU\":0", "\"id\":1,\"totalGPU\":15,\"usedGPU\":3");
    }

    @Test
    void aConflictWithAnotherNodeIsAnErrorAndThatNodeIsCounted() throws Exception {
        api.next(Fault.HELD);
        CompletableFuture<String> bind = extender.bindLater("p", "uid-p", "n1");
        await().until(() -> api.waiting() == 1);
        api.boundByOther("p", "n2", Map.of("gpushare.io/allocation", OUR_ALLOCATION));
        api.release();
        assertThat(Patience.result(bind)).isEqualTo("pod default/p is already bound to node n2");
        awaitSeen(1);
        assertThat(used("n1")).isZero();
        assertThat(used("n2")).isEqualTo(3);
    }

    @Test
    void aConflictWithoutOurAllocationIsAnErrorAndNothingIsCounted() throws Exception {
        api.next(Fault.HELD);
        CompletableFuture<String> bind = extender.bindLater("p", "uid-p", "n1");
        await().until(() -> api.waiting() == 1);
        api.boundByOther("p", "n1", Map.of());
        api.release();
        assertThat(Patience.result(bind)).contains("not by this extender");
        assertThat(used("n1")).isZero();
        await().until(() -> LedgerCounts.of(extender.placer.ledger()).unattributed() == 1);
    }

    @Test
    void aPodThatIsGoneOrWasRecreatedIsAnError() throws Exception {
        assertThat(extender.bind("nope", "uid-x", "n1")).isEqualTo("pod default/nope not found");
        assertThat(extender.bind("p", "uid-old", "n1"))
                .isEqualTo("pod default/p has uid uid-p, not uid-old: another pod has that name now");
        api.next(Fault.HELD);
        CompletableFuture<String> bind = extender.bindLater("p", "uid-p", "n1");
        await().until(() -> api.waiting() == 1);
        api.delete("p");
        api.release();
        assertThat(Patience.result(bind)).isEqualTo("pod default/p not found");
        assertThat(used("n1")).isZero();
    }

    @Test
    void concurrentBindsOfOnePodMakeOneBinding() throws Exception {
        api.next(Fault.HELD);
        List<CompletableFuture<String>> binds = List.of(
                extender.bindLater("p", "uid-p", "n1"),
                extender.bindLater("p", "uid-p", "n1"),
                extender.bindLater("p", "uid-p", "n1"));
        CompletableFuture<String> elsewhere = extender.bindLater("p", "uid-p", "n2");
        await().until(() -> api.waiting() == 1);
        String first = api.bindings().getFirst().getJsonObject("target").getString("name");
        api.release();
        for (CompletableFuture<String> bind : binds) {
            assertThat(Patience.result(bind))
                    .isEqualTo(first.equals("n1") ? "" : "pod default/p is already bound to node n2");
        }
        assertThat(Patience.result(elsewhere))
                .isEqualTo(first.equals("n2") ? "" : "pod default/p is already bound to node n1");
        assertThat(api.bindings()).hasSize(1);
    }

    @Test
    void theLastFreeCardsAreAllocatedOnceAndTheOtherPodGetsTheReason() throws Exception {
        api.pod("q", "uid-q", new JsonObject().put("aliyun.com/gpu-count", "2"));
        api.next(Fault.HELD);
        CompletableFuture<String> bind = extender.bindLater("q", "uid-q", "n1");
        await().until(() -> api.waiting() == 1);
        assertThat(extender.bind("p", "uid-p", "n1")).isEqualTo("Insufficient GPU Memory in one device");
        api.release();
        assertThat(Patience.result(bind)).isEmpty();
    }

    @Test
    void aPodThatEndsOrIsGoneFreesItsCardsAndATerminatingOneDoesNot() throws Exception {
        api.pod("q", "uid-q", THREE);
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        assertThat(extender.bind("q", "uid-q", "n1")).isEmpty();
        awaitSeen(2);
        api.deleting("q");
        api.phase("p", "Succeeded");
        await().until(() -> used("n1") == 3); // events are in order: the one of q came before
        api.delete("q");
        await().until(() -> used("n1") == 0);
    }

    @Test
    void theCardsOfWholeCardPodsAreBoundToASharingPodOnceTheKubeletOffersThem() throws Exception {
        List<Consumer<String>> ends = List.of(pod -> api.phase(pod, "Succeeded"), api::delete);
        for (int i = 0; i < ends.size(); i++) {
            api.pod("w" + i, "uid-w" + i, new JsonObject().put("aliyun.com/gpu-count", "2"));
            api.pod("s" + i, "uid-s" + i, THREE);
            assertThat(extender.bind("w" + i, "uid-w" + i, "n1")).isEmpty();
            awaitSeen(1);
            long ended = System.nanoTime();
            ends.get(i).accept("w" + i);
            await().until(() -> used("n1") == 0);
            assertThat(extender.bind("s" + i, "uid-s" + i, "n1")).isEmpty();
            assertThat(System.nanoTime() - ended)
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(2).toNanos());
            api.delete("s" + i);
            await().until(() -> used("n1") == 0);
        }
    }

    @Test
    void aRestartedExtenderReadsTheLedgerFromTheApi() throws Exception {
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        try (RunningExtender second = new RunningExtender(api.kubeconfig(folder), 1 << 20)) {
            second.ready();
            assertThat(second.get("/gpushare-scheduler/inspect/n1").body()).contains("\"usedGPU\":3");
            assertThat(second.bind("p", "uid-p", "n1")).isEmpty();
        }
        assertThat(api.bindings()).hasSize(1);
    }

    @Test
    void aPodThatRequests0IsBoundWithoutAnAllocation() throws Exception {
        api.pod("zero", "uid-z", new JsonObject().put("aliyun.com/gpu-mem", "0"));
        assertThat(extender.bind("zero", "uid-z", "n1")).isEmpty();
        assertThat(api.object("default/zero").getJsonObject("spec").getString("nodeName"))
                .isEqualTo("n1");
        assertThat(used("n1")).isZero();
    }

    @Test
    void aPodThatNamesNeitherResourceIsRefusedAndUnchanged() throws Exception {
        api.pod("web", "uid-w", new JsonObject().put("cpu", "1"));
        JsonObject before = api.object("default/web");
        assertThat(extender.bind("web", "uid-w", "n1"))
                .isEqualTo("pod default/web names no GPU resource: the extender binds only pods that do; let"
                        + " kube-scheduler bind this pod, or check managedResources in its configuration");
        assertThat(api.bindings()).isEmpty();
        assertThat(api.object("default/web")).isEqualTo(before);
    }

    private void awaitSeen(int pods) {
        await().until(() -> LedgerCounts.of(extender.placer.ledger()).holding(Standing.SEEN) == pods);
    }

    private int used(String node) throws Exception {
        return new JsonObject(
                        extender.get("/gpushare-scheduler/inspect/" + node).body())
                .getJsonArray("nodes")
                .getJsonObject(0)
                .getInteger("usedGPU");
    }
}
