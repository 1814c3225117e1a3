package io.gpushare.extender.leadership;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.Candidacy;
import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.simulated.network.TcpRelay;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both replicas are ready, and the Service, which also selects by the leader's label, sends requests to one. */
class LeaderLabelIT {
    private static final String LABEL = "gpushare.io/leader";
    private static final String LEASE = "extender";
    private static final Map<String, String> OF_DEPLOYMENT = Map.of("app", "gpushare");

    @TempDir
    Path folder;

    private TestApiServer api;

    @BeforeEach
    void start() {
        api = new TestApiServer();
        api.node("n1", TestApiServer.TWO_T4);
        api.extenderPod("first", OF_DEPLOYMENT);
        api.extenderPod("second", OF_DEPLOYMENT);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    @Test
    void bothReplicasAreReadyAndOnlyTheLeaderIsSelected() throws Exception {
        try (RunningExtender first = extender("first").ready();
                RunningExtender second = extender("second")) {
            available(first);
            available(second);
            assertThat(api.selected(LABEL, LEASE)).containsExactly("first");
            assertThat(api.object("kube-system/first")
                            .getJsonObject("metadata")
                            .getJsonObject("annotations")
                            .getString("controller.kubernetes.io/pod-deletion-cost"))
                    .isEqualTo("1");
            assertThat(second.get("/readyz").statusCode()).isEqualTo(503);

            first.closeUnchecked();
            selected("second");
            assertThat(second.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(api.object("kube-system/second")
                            .getJsonObject("metadata")
                            .getJsonObject("labels")
                            .getString("app"))
                    .isEqualTo("gpushare");
        }
    }

    @Test
    void aLeaderThatLostTheApiServerLosesItsLabelToTheNext() throws Exception {
        try (TcpRelay apiOfFirst = TcpRelay.start(() -> OptionalInt.of(api.port()));
                RunningExtender first = extender(api.kubeconfig(folder, apiOfFirst.port()), "first")
                        .ready();
                RunningExtender second = extender("second")) {
            selected("first");
            apiOfFirst.stall(true);
            selected("second");
            await().until(() -> first.get("/readyz/replica").statusCode() == 503);
            apiOfFirst.stall(false);
            available(first);
            assertThat(second.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(api.selected(LABEL, LEASE)).containsExactly("second");
        }
    }

    @Test
    void aDeposedLeaderRemovesItsLabel() throws Exception {
        try (RunningExtender first = extender("first").ready()) {
            selected("first");
            api.depose();
            await().until(() -> api.selected(LABEL, LEASE).isEmpty());
            assertThat(first.get("/readyz").statusCode()).isEqualTo(503);
        }
    }

    @Test
    void aReplicaWithTheLabelOfItsFormerProcessIsReadyOnceItIsRemoved() throws Exception {
        try (RunningExtender first = extender("first").ready()) {
            selected("first");
            api.extenderPod("third", Map.of(LABEL, LEASE));
            try (RunningExtender third = extender("third")) {
                available(third);
                assertThat(api.selected(LABEL, LEASE)).containsExactly("first");
            }
            assertThat(first.get("/readyz").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aLabelThatWasRemovedByHandComesBackAndThatOfAnotherLeaseStays() throws Exception {
        api.extenderPod("other", Map.of(LABEL, "another-lease"));
        try (RunningExtender first = extender("first").ready()) {
            selected("first");
            api.unlabel("first", LABEL);
            selected("first");
            assertThat(first.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(api.selected(LABEL, "another-lease")).containsExactly("other");
        }
    }

    @Test
    void anExtenderThatCannotWriteItsLabelSaysSo() throws Exception {
        try (RunningExtender first = extender("no-such-pod").ready()) {
            await().until(() -> first.get("/readyz/replica").body().contains("no-such-pod"));
            assertThat(first.get("/readyz/replica").statusCode()).isEqualTo(503);
            assertThat(first.get("/readyz/replica").body()).contains(LABEL);
        }
    }

    private static void available(RunningExtender extender) {
        await().until(() -> extender.get("/readyz/replica").statusCode() == 200);
    }

    private void selected(String pod) {
        await(Duration.ofSeconds(40))
                .untilAsserted(() -> assertThat(api.selected(LABEL, LEASE)).containsExactly(pod));
    }

    private RunningExtender extender(String name) throws Exception {
        return extender(api.kubeconfig(folder), name);
    }

    private static RunningExtender extender(Path kubeconfig, String name) throws Exception {
        return new RunningExtender(kubeconfig, 1 << 20, new Candidacy("kube-system", LEASE, name, name));
    }
}
