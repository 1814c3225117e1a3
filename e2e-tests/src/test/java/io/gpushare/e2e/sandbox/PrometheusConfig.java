package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.yaml.snakeyaml.Yaml;

/**
 * The configuration of deploy/monitoring for a Prometheus that scrapes the sandbox. Only the intervals and the
 * discovery of pods differ; relabelling stays, and alerts fire without their delays.
 */
final class PrometheusConfig {
    private static final Path MONITORING =
            Path.of(System.getProperty("gpushare.root", "..")).resolve("deploy/monitoring");

    private PrometheusConfig() {}

    /** Writes and validates the documented configuration with the sandbox's programs instead of discovered pods. */
    static void write(SandboxCluster sandbox, Path folder) throws Exception {
        Map<String, Object> configuration;
        try (InputStream text = Files.newInputStream(MONITORING.resolve("prometheus.yaml"))) {
            configuration = new Yaml().load(text);
        }
        configuration.put("global", Map.of("scrape_interval", "1s", "evaluation_interval", "1s"));
        @SuppressWarnings("unchecked")
        List<Map<String, Object>> jobs =
                (List<Map<String, Object>>) Objects.requireNonNull(configuration.get("scrape_configs"));
        for (Map<String, Object> job : jobs) {
            assertThat(job.remove("kubernetes_sd_configs")).isNotNull();
            boolean plugin = "gpushare-device-plugin".equals(job.get("job_name"));
            List<Object> targets = new ArrayList<>();
            sandbox.metrics().forEach((name, uri) -> {
                if (plugin != name.equals("extender")) {
                    targets.add(target(uri, plugin ? "metrics" : "http", name));
                    targets.add(target(uri, "another-port", name));
                }
            });
            job.put("static_configs", targets);
        }
        Files.writeString(folder.resolve("prometheus.yaml"), new Yaml().dump(configuration));
        String rules = Files.readString(MONITORING.resolve("rules.yaml"));
        Files.writeString(folder.resolve("rules.yaml"), rules.replaceAll("(?m)^ *for: .*\n", ""));
        Prometheus.promtool(folder, Path.of("/dev/null"), "check", "config", "prometheus.yaml");
    }

    private static Map<String, Object> target(URI uri, String port, String name) {
        Map<String, String> found = new LinkedHashMap<>();
        found.put("__meta_kubernetes_pod_container_port_name", port);
        found.put("__meta_kubernetes_pod_name", name);
        found.put("__meta_kubernetes_pod_node_name", name);
        return Map.of("targets", List.of(uri.getAuthority()), "labels", found);
    }
}
