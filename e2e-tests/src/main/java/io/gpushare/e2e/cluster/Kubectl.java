package io.gpushare.e2e.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runs kubectl as the administrator of a cluster. */
public final class Kubectl {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<String> program;

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

    /** Runs {@code kubectl … -o json} and parses the output. */
    public JsonNode json(String... arguments) {
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

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(arguments));
        return command;
    }
}
