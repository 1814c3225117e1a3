package io.gpushare.mps.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The simulated programs of MPS, and the directories of a card. */
final class SimulatedPrograms {
    private final Path dir;

    SimulatedPrograms(Path dir) {
        this.dir = dir;
    }

    /** The control program with the directory of that card. */
    ControlProgram of(String card) throws IOException {
        return new ControlProgram(programs().resolve(ControlProgram.NAME), System.getenv(), directories(card));
    }

    /** The pipe directories of that card. */
    PipeDirectories directories(String card) throws IOException {
        return new PipeDirectories(directory(card, "daemon"), directory(card, "pipe"));
    }

    /** The control program in a container that has that card: it finds what containers get. */
    ControlProgram inContainer(String card) throws IOException {
        Path pipe = directories(card).clients();
        return new ControlProgram(
                programs().resolve(ControlProgram.NAME), System.getenv(), new PipeDirectories(pipe, pipe));
    }

    /** A daemon of that card, which is not started. */
    ControlDaemon daemon(String card) throws IOException {
        return new ControlDaemon(of(card), card, directory(card, "log"));
    }

    /** The program that uses a card. */
    Path tenant() {
        return programs().resolve("gpu-eat");
    }

    /** Starts the program as a client of that card, which the file of the cards describes. */
    Process tenant(String card, Map<String, String> more, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(tenant().toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LD_LIBRARY_PATH", programs().toString());
        builder.environment()
                .put("GPUSHARE_SIMULATED_CARDS", dir.resolve("cards").toString());
        builder.environment().put("NVIDIA_VISIBLE_DEVICES", card);
        builder.environment()
                .put(ControlProgram.PIPE_VARIABLE, directory(card, "pipe").toString());
        builder.environment().putAll(more);
        return builder.start();
    }

    /** NVIDIA's, where a property names their folder: some tests need no server, and so no card. */
    private static Path programs() {
        String folder = System.getProperty("gpushare.mps.programs", "");
        return folder.isEmpty()
                ? Path.of(System.getProperty("gpushare.simulated.driver")).resolveSibling("mps")
                : Path.of(folder);
    }

    private Path directory(String card, String name) throws IOException {
        return Files.createDirectories(dir.resolve(card).resolve(name));
    }
}
