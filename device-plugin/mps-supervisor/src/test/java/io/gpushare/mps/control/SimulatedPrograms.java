package io.gpushare.mps.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The simulated programs of MPS, and the directories of a card. */
final class SimulatedPrograms {
    private final Path dir;

    SimulatedPrograms(Path dir) {
        this.dir = dir;
    }

    /** The control program with the directory of that card. */
    ControlProgram of(String card) throws IOException {
        Path programs = Path.of(System.getProperty("gpushare.simulated.driver")).resolveSibling("mps");
        return new ControlProgram(programs.resolve(ControlProgram.NAME), directory(card, "pipe"));
    }

    /** A daemon of that card, which is not started. */
    ControlDaemon daemon(String card) throws IOException {
        return new ControlDaemon(of(card), card, directory(card, "log"));
    }

    private Path directory(String card, String name) throws IOException {
        return Files.createDirectories(dir.resolve(card).resolve(name));
    }
}
