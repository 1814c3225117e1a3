package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A separate instance of a real Prometheus, from Debian's package. */
public final class Prometheus implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("Listening on\"? .*127\\.0\\.0\\.1:([0-9]+)");

    private final Process process;
    private final ApiClient http;

    /** One series of a query result; its value may be NaN. */
    public record Sample(JsonNode labels, double value) {}

    private Prometheus(Process process, ApiClient http) {
        this.process = process;
        this.http = http;
    }

    /** Fails with the name of the package if a program is missing. */
    public static void requireInstalled() {
        List<Path> path = Arrays.stream(System.getenv("PATH").split(":", -1))
                .map(Path::of)
                .toList();
        for (String program : List.of("prometheus", "promtool")) {
            if (path.stream().noneMatch(folder -> Files.isExecutable(folder.resolve(program)))) {
                throw new AssertionError(program + " is not installed: install Debian's package prometheus");
            }
        }
    }

    /** Runs {@code promtool} with that input and returns its output; throws if it fails. */
    public static String promtool(Path folder, Path input, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("promtool", ".txt");
        Process check = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        int code = Patience.exitCode(check);
        String text = Files.readString(output);
        Files.delete(output);
        if (code != 0) {
            throw new AssertionError(String.join(" ", command) + " ends with " + code + ":\n" + text);
        }
        return text;
    }

    /** Starts Prometheus in the folder of its configuration. */
    public static Prometheus start(Path folder) throws IOException {
        Path log = folder.resolve("prometheus.log");
        Process process = new ProcessBuilder(
                        "prometheus",
                        "--config.file=prometheus.yaml",
                        "--storage.tsdb.path=data",
                        // Its log names the port.
                        "--log.level=info",
                        "--web.listen-address=127.0.0.1:0")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        String port =
                Await.until(Duration.ofSeconds(30), "Prometheus listens", () -> port(log), found -> !found.isEmpty());
        Prometheus prometheus = new Prometheus(process, new ApiClient(URI.create("http://127.0.0.1:" + port)));
        Await.until(Duration.ofSeconds(30), "Prometheus is ready", prometheus::ready, ready -> ready);
        return prometheus;
    }

    private static String port(Path log) {
        try {
            Matcher listening = LISTENING.matcher(Files.readString(log));
            return listening.find() ? listening.group(1) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean ready() {
        try {
            return http.get("/-/ready").succeeded();
        } catch (IOException _) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private ObjectNode get(String path) {
        try {
            ApiClient.Answer answer = http.get("/api/v1/" + path);
            if (!answer.document().path("status").asText().equals("success")) {
                throw new AssertionError(path + ": " + answer.document());
            }
            return answer.document();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(path, e);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** The current result of the expression; throws if it is invalid. */
    public List<Sample> query(String expression) {
        List<Sample> samples = new ArrayList<>();
        for (JsonNode result :
                get("query?query=" + encoded(expression)).path("data").path("result")) {
            samples.add(new Sample(
                    result.path("metric"),
                    Double.parseDouble(result.path("value").get(1).asText())));
        }
        return samples;
    }

    /** The values of the label in the series of the selector. */
    public List<String> values(String label, String selector) {
        List<String> values = new ArrayList<>();
        get("label/" + label + "/values?match[]=".replace("[]", "%5B%5D") + encoded(selector))
                .path("data")
                .forEach(value -> values.add(value.asText()));
        return values;
    }

    public List<JsonNode> rules() {
        List<JsonNode> rules = new ArrayList<>();
        get("rules")
                .path("data")
                .path("groups")
                .forEach(group -> group.path("rules").forEach(rules::add));
        return rules;
    }

    /** The addresses of the targets that are up, sorted. */
    public List<String> reached() {
        List<String> reached = new ArrayList<>();
        for (JsonNode target : get("targets?state=active").path("data").path("activeTargets")) {
            if (target.path("health").asText().equals("up")) {
                reached.add(target.path("scrapeUrl").asText());
            }
        }
        reached.sort(Comparator.naturalOrder());
        return reached;
    }

    /** The names of the firing alerts. */
    public Set<String> firing() {
        Set<String> names = new TreeSet<>();
        for (JsonNode alert : get("alerts").path("data").path("alerts")) {
            if (alert.path("state").asText().equals("firing")) {
                names.add(alert.path("labels").path("alertname").asText());
            }
        }
        return names;
    }

    @Override
    public void close() {
        http.close();
        process.destroy();
        try {
            if (!process.waitFor(Patience.of(Patience.USUAL))) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
