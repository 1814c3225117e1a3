package io.gpushare.e2e.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs kubectl as the administrator of a cluster. */
public final class Kubectl implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<String> program;
    private @Nullable ApiServer api;

    /** @param program the command of kubectl for this cluster, without kubectl's own arguments */
    Kubectl(List<String> program) {
        this.program = List.copyOf(program);
    }

    public String run(String... arguments) {
        return run(LIMIT, arguments);
    }

    /** Runs kubectl with its own time limit. */
    public String run(Duration limit, String... arguments) {
        return Command.output(limit, command(arguments));
    }

    /**
     * What {@code kubectl … -o json} prints. Scenarios poll by it: what they get is read from the API server itself
     * where that is possible, because each start of kubectl takes half a second of a processor.
     */
    public JsonNode json(String... arguments) {
        return GetPath.of(this::preferredVersion, arguments).map(this::read).orElseGet(() -> printed(arguments));
    }

    private String preferredVersion(String group) {
        return read("/apis/" + group).at("/preferredVersion/version").textValue();
    }

    private JsonNode read(String path) {
        try {
            ApiServer.Response response = api().get(path);
            if (!response.succeeded()) {
                throw new Command.Failed("GET " + path + ": " + response.code() + " "
                        + response.body().path("message").asText());
            }
            return response.body();
        } catch (IOException e) {
            throw new Command.Failed("GET " + path + ": " + e);
        }
    }

    private synchronized ApiServer api() {
        if (api == null) {
            api = ApiServer.of(this);
        }
        return api;
    }

    private JsonNode printed(String... arguments) {
        List<String> command = command(arguments);
        command.add("-o");
        command.add("json");
        try {
            return JSON.readTree(Command.output(LIMIT, command));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("kubectl printed no JSON for " + String.join(" ", arguments), e);
        }
    }

    /** Runs lines of bash that call kubectl, with that working folder, and prints them and their output. */
    public void script(Duration limit, Path folder, String lines) {
        String kubectl = program.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Command.show(
                limit,
                List.of(
                        "bash",
                        "-euo",
                        "pipefail",
                        "-c",
                        "kubectl() { " + kubectl + " \"$@\"; }; cd \"$0\"; printf '%s\\n' \"$1\"; eval \"$1\" 2>&1",
                        folder.toString(),
                        lines));
    }

    public void apply(String manifests) {
        Command.output(LIMIT, manifests, command("apply", "-f", "-"));
    }

    /** Starts to record when pods are bound and deleted. */
    public PodWatch watchPods() {
        return PodWatch.start(program);
    }

    @Override
    public synchronized void close() {
        if (api != null) {
            api.close();
        }
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(arguments));
        return command;
    }
}
