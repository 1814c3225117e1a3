package io.gpushare.e2e.sandbox.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A copy of the simulated driver's library for one node: it finds its cards in the file {@code cards} beside it. */
public final class SimulatedLibrary {
    public static final String NAME = "libnvidia-ml.so.1";

    private SimulatedLibrary() {}

    /**
     * Copies the library.
     *
     * @param driver the built driver's folder
     * @param folder of the copy; it is created
     */
    public static Path copy(Path driver, Path folder) throws IOException {
        Files.createDirectories(folder);
        return Files.copy(driver.resolve(NAME), folder.resolve(NAME));
    }
}
