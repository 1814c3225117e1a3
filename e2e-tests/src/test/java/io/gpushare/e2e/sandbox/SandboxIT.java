package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Runs the sandbox once with the real programs as processes, as {@code deploy/sandbox/run --once} does. */
class SandboxIT {
    @Test
    void sharedAndWholeCardPodsRunWhereTheirAnnotationsSayAndAllComesBack() {
        String root = System.getProperty("gpushare.root", "..");
        int code = new CommandLine(new Sandbox()).execute("--once", "--repository", root);
        assertThat(code).as("the sandbox's exit code; its reasons are above").isZero();
    }
}
