package io.gpushare.mps;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SupervisorMainTest {
    @Test
    @Timeout(60)
    void anUncaughtExceptionEndsTheProgramWithAFailure() throws Exception {
        Process failing = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        FailingSupervisor.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(failing.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(failing.waitFor()).as(output).isEqualTo(1);
        assertThat(output).contains("the failure of a test", "stopped");
    }
}
