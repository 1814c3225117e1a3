package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.NativeLibrary;
import com.sun.jna.ptr.IntByReference;
import io.gpushare.simulated.apiserver.store.ApiResource;
import java.io.IOException;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** NVIDIA's GPU Operator pauses a node by its labels while it replaces the driver, and drains it. */
class PausedNodeIT extends WholeProgramWithClaims {
    private static final String LABEL = "nvidia.com/gpu.deploy.client";
    private static final String PAUSED = "paused-for-driver-upgrade";
    private static final int UNINITIALIZED = 1;
    private static final int ROUNDS = 3;

    @Test
    void whileTheNodeIsPausedTheDriverIsClosedNothingIsGivenAndClaimsCanEnd() throws Exception {
        cards(CARD_A, CARD_B);
        serve("--pause-labels=other," + LABEL);
        await().until(() -> offered() == 2);
        for (int round = 0; round < ROUNDS; round++) {
            String ends = "ends-" + round;
            String waits = "waits-" + round;
            claim(ends, result("gpu", B, "3Gi", ends));
            prepare(ends);
            assertThat(driverIsOpen()).isTrue();

            api.label(LABEL, PAUSED);
            await().until(() -> !driverIsOpen());
            await().until(() -> offered() == 0);
            api.awaitEvent("GpuNoCards", LABEL + "=" + PAUSED);
            claim(waits, result("gpu", A, "3Gi", waits));
            assertThat(error(waits)).contains(LABEL + "=" + PAUSED);
            assertThat(unprepare(ends)).isEmpty();
            assertThat(files()).isEmpty();

            api.label(LABEL, "true");
            await().until(() -> offered() == 2);
            prepare(waits);
            assertThat(unprepare(waits)).isEmpty();
        }
    }

    /** A container that starts on a paused node never opens the driver. */
    @Test
    void aPausedNodeIsNotReadAtTheStart() throws Exception {
        cards(CARD_A, CARD_B);
        api.label(LABEL, PAUSED);
        serve("--pause-labels=" + LABEL);
        api.awaitEvent("GpuNoCards", LABEL + "=" + PAUSED);
        assertThat(driverIsOpen()).isFalse();
        assertThat(log()).doesNotContain("is healthy");

        api.label(LABEL, "");
        await().until(() -> names(slice()).size() == 2);
    }

    /** The devices that can be allocated. */
    private long offered() {
        return api.all(ApiResource.RESOURCE_SLICES).stream()
                .flatMap(slice -> StreamSupport.stream(slice.at("/spec/devices").spliterator(), false))
                .filter(device -> device.path("taints").isEmpty())
                .count();
    }

    /** Whether anybody in this process has a session with this test's driver. */
    private boolean driverIsOpen() throws IOException {
        return NativeLibrary.getInstance(driver().toString())
                        .getFunction("nvmlDeviceGetCount_v2")
                        .invokeInt(new Object[] {new IntByReference()})
                != UNINITIALIZED;
    }
}
