package io.gpushare.plugin;

import io.gpushare.time.Clocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** The program with a wall clock that a test steps: it differs from the machine's by the seconds in a file. */
public final class SteppedPlugin {
    /** The environment variable that names the file, which need not exist. */
    public static final String FILE = "WALL_CLOCK_STEP";

    private SteppedPlugin() {}

    public static void main(String[] args) {
        System.exit(PluginMain.run(args, Clocks.of(SteppedPlugin::wall, System::nanoTime)));
    }

    private static Instant wall() {
        Path file = Path.of(System.getenv().getOrDefault(FILE, ""));
        try {
            return Instant.now().plusSeconds(Files.exists(file) ? Long.parseLong(Files.readString(file)) : 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
