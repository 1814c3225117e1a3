package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.apiserver.FaultRule;
import io.gpushare.simulated.apiserver.Outcome;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A claim has ended, and a process of its pod outlives it on its card. */
class StillComputingClaimsIT extends WholeProgramWithClaims {
    private static final String UID = "00000000-1111-4222-8333-444444444444";

    private Path proc;

    @BeforeEach
    void proc() throws IOException {
        cards(CARD_A, CARD_B);
        proc = dir.resolve("proc");
        Files.createDirectories(proc.resolve("101"));
        Files.writeString(proc.resolve("101/cgroup"), "0::/kubepods/pod" + UID + "/" + "a".repeat(64) + "\n");
    }

    private StartedProgram plugin() throws IOException {
        return serve("--proc-dir=" + proc);
    }

    private void stuck() throws IOException {
        await().until(() -> names(slice()).size() == 2);
        claim("stuck", result("gpu", A));
        prepare("stuck");
        cards(CARD_A, CARD_B, "process pid=101 card=0 memory=4GiB utilisation=10");
        assertThat(unprepare("stuck")).isEmpty();
        api.remove(ApiResource.RESOURCE_CLAIMS, "default", "stuck");
    }

    @Test
    void theNextClaimDoesNotGetTheCardUntilTheProcessIsGone() throws Exception {
        plugin();
        stuck();
        claim("next", result("gpu", A));
        assertThat(error("next")).contains("its cards are in use (ended pod of UID " + UID + ")");
        await().until(() -> names(slice()).equals(List.of(name(B))));
        claim("other", result("gpu", B));
        prepare("other");

        cards(CARD_A, CARD_B);
        await().until(() -> names(slice()).size() == 2);
        prepare("next");
    }

    /**
     * Nobody can kill its container, so the kubelet does not unprepare its claim, which went with it from the API:
     * kube-scheduler gave the card to the next pod, which waited for it beside a free one.
     */
    @Test
    void theCardOfAClaimWhosePodIsDeletedIsNotOfferedUntilTheKubeletUnpreparesIt() throws Exception {
        plugin();
        await().until(() -> names(slice()).size() == 2);
        claim("killed", result("gpu", A));
        pod("killed", "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}");
        prepare("killed");
        assertThat(names(slice())).hasSize(2);

        api.remove(ApiResource.PODS, "default", "killed");
        await().until(() -> names(slice()).equals(List.of(name(B))));
        claim("next", result("gpu", A));
        assertThat(error("next")).contains("its cards are in use (claim default/killed of a deleted pod)");

        assertThat(unprepare("killed")).isEmpty();
        await().until(() -> names(slice()).size() == 2);
        prepare("next");
    }

    /** The next claim got the card, because nobody was known to have ended. */
    @Test
    void afterARestartTheNextClaimWaitsUntilThePodsOfTheNodeAreKnown() throws Exception {
        StartedProgram first = plugin();
        stuck();
        kill(first);
        FaultRule lists = api.listsOfPods();
        // The first list says who has resources, and a later one begins the watch.
        lists.next(Outcome.Plain.SERVED);
        lists.always(Outcome.Plain.HELD);
        plugin();
        claim("next", result("gpu", A));
        assertThat(error("next")).contains("the pods of its node are not known yet");
        lists.always(Outcome.Plain.SERVED);
        lists.release();
        await().untilAsserted(() -> assertThat(error("next")).contains("ended pod of UID " + UID));
        await().until(() -> names(slice()).equals(List.of(name(B))));
    }
}
