package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reloaded driver, cards with NVML errors, and Xids: each is reported once, and only for its card. */
class DriverFaultsIT extends WholeProgram {
    @Test
    void aReloadedDriverWithdrawsAllCardsAndThenOffersThemAgain() throws Exception {
        cards("driver version=570.1", CARD_A, CARD_B);
        run("--health-quiet-time=1s");
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));
        list("p");
        List<String> ids = preferred(MEMORY, 3);
        allocate(MEMORY, ids);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));

        Files.delete(dir.resolve("cards"));
        await().until(() -> kubelet.healthy(MEMORY).isEmpty());
        // The kubelet keeps the devices of running containers, and no new ones are offered.
        assertThat(kubelet.devices(MEMORY).orElseThrow()).hasSize(30);
        assertThat(kubelet.devices(CARDS).orElseThrow()).hasSize(2);
        await().until(() -> api.patches().getLast().contains("the driver does not respond"));

        cards("driver version=580.2", CARD_A, CARD_B);
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().until(() -> api.patches().getLast().contains("580.2"));
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).containsExactly(B));
        cards("driver version=580.2", CARD_A, CARD_B + " xid=79#1");
        await().until(() -> kubelet.healthy(MEMORY).stream().allMatch(id -> id.startsWith(A)));
        assertThat(log()).containsOnlyOnce("until this is resolved: no cards to offer");
    }

    /** NVML's errors "no permission", "in use", "reset required" and "unknown". */
    @ParameterizedTest
    @ValueSource(ints = {4, 19, 16, 999})
    void anErrorOfOneCardDoesNotAffectTheOthers(int error) throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);

        cards(CARD_A + " error=" + error, CARD_B);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).allMatch(id -> id.startsWith(B)));
        assertThat(kubelet.devices(MEMORY).orElseThrow()).hasSize(30);
        api.pod("p", "Pending", Map.of(MEMORY, "3"), "");
        list("p");
        assertThat(allocate(MEMORY, preferred(MEMORY, 3))).containsEntry("NVIDIA_VISIBLE_DEVICES", B);

        cards(CARD_A, CARD_B);
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
    }

    @Test
    void aStepBackOfTheWallClockDoesNotKeepACardUnhealthy() throws Exception {
        cards(CARD_A, CARD_B);
        run("--health-quiet-time=3s");
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        cards(CARD_A, CARD_B + " xid=79#1");
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        stepWallClock(Duration.ofHours(-1));
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
    }

    @Test
    void aLateXidOfALostCardDoesNotAffectTheOthers() throws Exception {
        cards(CARD_A, CARD_B);
        run("--health-quiet-time=1s");
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        cards(CARD_A + " lost", CARD_B);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));
        cards(CARD_A + " lost xid=79#1", CARD_B);
        await().until(() -> log().contains("Xid 79"));
        assertThat(log()).contains("card " + A + ": Xid 79");

        // The next change is the return of the lost card: the other one did not change before it.
        int lists = kubelet.plugin(CARDS).lists().size();
        cards(CARD_A, CARD_B);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        assertThat(kubelet.plugin(CARDS).lists()).hasSize(lists + 1);
    }

    @Test
    void anXidIsOneMessageForEachResourceAndTheRecoveryIsAnother() throws Exception {
        cards(CARD_A, CARD_B);
        run("--health-quiet-time=8s");
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        int memory = kubelet.plugin(MEMORY).lists().size();
        int whole = kubelet.plugin(CARDS).lists().size();

        cards(CARD_A, CARD_B + " xid=79#1,48#1,79#2");
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().until(() -> log().contains("(2 so far)"));
        assertThat(kubelet.plugin(MEMORY).lists()).hasSize(memory + 1);
        assertThat(kubelet.plugin(CARDS).lists()).hasSize(whole + 1);

        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        // The next change is the next message: nothing else came before it.
        cards(CARD_A + " lost", CARD_B);
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().until(() -> kubelet.healthy(CARDS).size() == 1);
        assertThat(kubelet.plugin(MEMORY).lists()).hasSize(memory + 3);
        assertThat(kubelet.plugin(CARDS).lists()).hasSize(whole + 3);
    }
}
