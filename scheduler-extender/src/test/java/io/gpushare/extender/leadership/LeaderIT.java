package io.gpushare.extender.leadership;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.Candidacy;
import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.TestApiServer.Fault;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two extenders and one Lease, over real HTTP. */
class LeaderIT {
    @TempDir
    Path folder;

    private TestApiServer api;

    @BeforeEach
    void start() throws Exception {
        api = new TestApiServer();
        api.node("n1", TestApiServer.TWO_T4);
        api.pod("p", "uid-p", new JsonObject().put("aliyun.com/gpu-mem", "3"));
    }

    @AfterEach
    void stop() {
        api.close();
    }

    @Test
    void onlyTheLeaderAnswersAndItHandsOverWhenItEnds() throws Exception {
        try (RunningExtender first = extender("first");
                RunningExtender second = waiting("second")) {
            assertThat(api.leader()).startsWith("first");
            assertThat(second.get("/healthz").statusCode()).isEqualTo(200);
            assertThat(second.get("/readyz").statusCode()).isEqualTo(503);
            assertThat(second.get("/readyz").body()).contains("not the leader");
            assertThat(second.bind("p", "uid-p", "n1")).contains("not the leader");
            String filter =
                    second.post("filter", "{\"Pod\":{},\"NodeNames\":[\"n1\"]}").body();
            assertThat(new JsonObject(filter).getString("Error")).contains("not the leader");
            assertThat(api.bindings()).isEmpty();
            assertThat(second.get("/metrics").body())
                    .contains("gpushare_extender_leader 0.0", "gpushare_extender_ready 0.0")
                    .doesNotContain("gpushare_cluster_");
            assertThat(first.get("/metrics").body())
                    .contains("gpushare_extender_leader 1.0", "gpushare_extender_ready 1.0", "gpushare_cluster_");

            first.resign();
            assertThat(first.bind("p", "uid-p", "n1")).contains("is shutting down");
            first.closeUnchecked();
            await().until(() -> second.get("/readyz").statusCode() == 200);
            assertThat(api.leader()).startsWith("second");
            assertThat(second.bind("p", "uid-p", "n1")).isEmpty();
        }
    }

    @Test
    void aBindInFlightIsFinishedBeforeAnotherLeads() throws Exception {
        try (RunningExtender first = extender("first");
                RunningExtender second = waiting("second")) {
            api.next(Fault.HELD);
            CompletableFuture<String> bind = first.bindLater("p", "uid-p", "n1");
            await().until(() -> api.waiting() == 1);
            CompletableFuture<Void> end = CompletableFuture.runAsync(first::closeUnchecked);
            await().until(() -> !first.leadership.unready().isEmpty());
            assertThat(second.get("/readyz").statusCode()).isEqualTo(503);
            assertThat(api.leader()).startsWith("first");
            api.release();
            assertThat(Patience.result(bind)).isEmpty();
            Patience.result(end);
            await().until(() -> second.get("/readyz").statusCode() == 200);
            assertThat(second.get("/gpushare-scheduler/inspect/n1").body()).contains("\"usedGPU\":3");
        }
    }

    @Test
    void aLeaderThatCannotRenewStopsAnsweringAndBindsNothing() throws Exception {
        try (RunningExtender first = extender("first")) {
            api.leaseCut(true);
            // An extender that does not lead any more closes its connections, this one's too.
            await().ignoreExceptions().until(() -> first.get("/readyz").statusCode() == 503);
            assertThat(first.bind("p", "uid-p", "n1")).contains("not the leader");
            assertThat(api.bindings()).isEmpty();
            api.leaseCut(false);
            await().until(() -> first.get("/readyz").statusCode() == 200);
            assertThat(first.bind("p", "uid-p", "n1")).isEmpty();
        }
    }

    @Test
    void aNewLeaderListsTheBoundPodsOnceAndReadsThoseThatItMisses() throws Exception {
        try (RunningExtender first = extender("first");
                RunningExtender second = waiting("second")) {
            await().until(() -> second.ledger.podEntry("uid-p").isPresent());
            api.muteWatches(true);
            assertThat(first.bind("p", "uid-p", "n1")).isEmpty();
            int before = api.listsOfBoundPods();
            first.closeUnchecked();
            await().until(() -> api.leader().startsWith("second"));
            // What is missing is read by itself after a second.
            int reads = api.readsOf("p");
            await().until(() -> api.readsOf("p") > reads);
            assertThat(second.get("/readyz").body()).contains("has not read the cluster");
            assertThat(api.listsOfBoundPods() - before).isEqualTo(1);
            api.delete("p");
            await().until(() -> second.get("/readyz").statusCode() == 200);
        }
    }

    /** One that leads. */
    private RunningExtender extender(String name) throws Exception {
        return waiting(name).ready();
    }

    private RunningExtender waiting(String name) throws Exception {
        return new RunningExtender(
                api.kubeconfig(folder), 1 << 20, new Candidacy("kube-system", "extender", name, null));
    }
}
