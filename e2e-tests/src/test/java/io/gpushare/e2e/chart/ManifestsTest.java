package io.gpushare.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chart.Chart.Rendered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** {@code deploy/manifests} is the output of the chart with {@code compatibility.gpushare=true}. */
class ManifestsTest {
    private static final Path MANIFESTS = Chart.FOLDER.resolveSibling("manifests");
    private static final boolean WRITE = Boolean.getBoolean("gpushare.manifests.write");

    @Test
    void theManifestsAreTheOutputOfTheChartForEveryVersion() throws IOException {
        Map<String, String> rendered = new TreeMap<>(Chart.templates("compatibility: {gpushare: true}", "1.36.0"));
        if (WRITE) {
            for (Map.Entry<String, String> file : rendered.entrySet()) {
                Files.writeString(MANIFESTS.resolve(file.getKey()), file.getValue());
            }
        }
        Map<String, String> written = new TreeMap<>();
        try (Stream<Path> files = Files.list(MANIFESTS)) {
            for (Path file : files.toList()) {
                written.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        String how = "edit deploy/chart, and write the manifests with ./mvnw test -pl e2e-tests -am"
                + " -Dtest=ManifestsTest -Dsurefire.failIfNoSpecifiedTests=false -Dgpushare.manifests.write=true";
        assertThat(written.keySet()).as(how).isEqualTo(rendered.keySet());
        written.forEach((name, text) -> assertThat(text).as(how).isEqualTo(rendered.get(name)));
        for (String version : List.of("1.20.0", "1.30.0")) {
            assertThat(Chart.templates("compatibility: {gpushare: true}", version))
                    .isEqualTo(rendered);
        }
    }

    /** One over plain HTTP never succeeds on a port of TLS, and the kubelet ends the container. */
    @Test
    void thePatchForTlsReachesEveryProbe() throws IOException {
        Rendered patch = new Rendered(
                Chart.map(new Yaml().load(Files.readString(MANIFESTS.resolveSibling("tls/extender-patch.yaml")))));
        Set<String> probes =
                probes(Chart.object("compatibility: {gpushare: true}", "Deployment", "gpu-share-scheduler-extender"));
        assertThat(probes).hasSize(3);
        assertThat(probes(patch))
                .isEqualTo(probes)
                .allSatisfy(probe -> assertThat(
                                patch.at("spec", "template", "spec", "containers", "0", probe, "httpGet", "scheme"))
                        .isEqualTo("HTTPS"));
    }

    private static Set<String> probes(Rendered deployment) {
        return Chart.map(deployment.at("spec", "template", "spec", "containers", "0")).keySet().stream()
                .filter(field -> field.endsWith("Probe"))
                .collect(Collectors.toSet());
    }
}
