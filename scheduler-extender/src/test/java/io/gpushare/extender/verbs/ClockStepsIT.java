package io.gpushare.extender.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.TestApiServer.Fault;
import io.gpushare.time.Clocks;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The wall clock steps while a Binding has an unknown outcome: its cards are reserved for their time, not by the clock.
 */
class ClockStepsIT {
    private static final Duration HOUR = Duration.ofHours(1);

    private volatile Instant steady = Instant.parse("2026-11-20T12:00:00Z");
    private volatile Instant wall = steady;

    private TestApiServer api;
    private RunningExtender extender;

    @BeforeEach
    void leaveABindingUnanswered(@TempDir Path folder) throws Exception {
        api = new TestApiServer();
        api.node("n1", TestApiServer.TWO_T4);
        api.pod("p", "uid-p", new JsonObject(Map.of("aliyun.com/gpu-mem", "3")));
        extender = new RunningExtender(api.kubeconfig(folder), 1 << 20, new Clocks(() -> steady, () -> wall)).ready();
        api.always(Fault.LOST_REQUEST);
        assertThat(extender.bind("p", "uid-p", "n1")).contains("no answer from the API server");
        api.always(Fault.NONE);
    }

    @AfterEach
    void stop() throws Exception {
        extender.close();
        api.close();
    }

    @Test
    void aStepForwardForgetsNothingEarly() throws Exception {
        wall = wall.plus(HOUR);
        extender.resolveOldBindings();
        assertThat(used()).isEqualTo(3);

        steady = steady.plusSeconds(76);
        extender.resolveOldBindings();
        assertThat(used()).isZero();
    }

    @Test
    void aStepBackReservesNothingLonger() throws Exception {
        wall = wall.minus(HOUR);
        steady = steady.plusSeconds(76);
        extender.resolveOldBindings();
        assertThat(used()).isZero();
    }

    @Test
    void theAnnotationsOfABoundPodShowTheTimeOfDay() throws Exception {
        wall = wall.plus(HOUR);
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        JsonObject annotations =
                api.bindings().getLast().getJsonObject("metadata").getJsonObject("annotations");
        assertThat(annotations.getString("ALIYUN_COM_GPU_MEM_ASSUME_TIME"))
                .startsWith(String.valueOf(wall.getEpochSecond()));
    }

    private int used() throws Exception {
        return new JsonObject(extender.get("/gpushare-scheduler/inspect/n1").body())
                .getJsonArray("nodes")
                .getJsonObject(0)
                .getInteger("usedGPU");
    }
}
