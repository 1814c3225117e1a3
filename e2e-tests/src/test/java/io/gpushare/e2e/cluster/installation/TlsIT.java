package io.gpushare.e2e.cluster.installation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Command;
import io.gpushare.e2e.cluster.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** kube-scheduler calls the extender over TLS. */
class TlsIT extends ClusterScenario {
    @Test
    void overTlsTheSchedulerBindsAndNobodyWithoutItsCertificate() throws IOException {
        shared.reinstallNext();
        Path made = cluster.sharedFolder().resolve("certificates");
        Path tls = ROOT.resolve("deploy/tls");
        Command.output(NODE_STATUS, List.of(tls.resolve("make-certificates").toString(), made.toString()));
        cluster.kubectl()
                .run(
                        "-n",
                        Installation.NAMESPACE,
                        "create",
                        "secret",
                        "generic",
                        "gpushare-schd-extender-tls",
                        "--from-file=tls.crt=" + made.resolve("extender.crt"),
                        "--from-file=tls.key=" + made.resolve("extender.key"),
                        "--from-file=ca.crt=" + made.resolve("ca.crt"));
        String patch = tls.resolve("extender-patch.yaml").toString();
        cluster.kubectl().run("-n", Installation.NAMESPACE, "patch", Installation.EXTENDER, "--patch-file", patch);
        installation.ready(Installation.EXTENDER);
        String bind = "https://127.0.0.1:32766/gpushare-scheduler/bind";
        // With a timeout: a connection to the address of the former leader, whose pod is gone, is not refused.
        List<String> call = List.of(
                "curl",
                "-skm5",
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}",
                "-H",
                "Content-Type:application/json",
                "--data",
                "{}");
        // After a refused connection the scheduler retries a pod only after a minute.
        Await.until(
                Duration.ofMinutes(2),
                "the extender's port answers over TLS",
                () -> onNode(List.of("sh", "-c", String.join(" ", call) + " " + bind + " || true")),
                "401"::equals);
        // kube-scheduler still calls over plain HTTP.
        pods.createMemory("over-tls", 1);
        cluster.configureScheduler(schedulerOverTls(made));
        pods.running("over-tls");
        assertThat(pods.sees("over-tls", "main")).isEqualTo(cardOf("over-tls", "main"));
        assertThat(onNode(call, bind)).isEqualTo("401");
        assertThat(onNode(call, "--cert", made + "/scheduler.crt", "--key", made + "/scheduler.key", bind))
                .isEqualTo("200");
    }

    private static String onNode(List<String> command, String... more) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of(more));
        return cluster.onNode(whole.toArray(String[]::new));
    }

    /** What write-configuration writes where the certificates are not those of the chart, and these certificates. */
    private static Path schedulerOverTls(Path certificates) throws IOException {
        Path folder = installation.scheduler(List.of());
        for (String name : List.of("ca.crt", "scheduler.crt", "scheduler.key")) {
            Files.copy(certificates.resolve(name), folder.resolve(name));
        }
        return folder;
    }
}
