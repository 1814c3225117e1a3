package io.gpushare.nvml;

import com.sun.jna.Library;
import com.sun.jna.Native;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/** One of the two builds of the simulated driver, with a file of cards that a test writes and changes. */
final class SimulatedDriver implements AutoCloseable {
    static final String LIBRARY = System.getProperty("gpushare.simulated.driver", "");
    static final String OLD_LIBRARY =
            Path.of(LIBRARY).resolveSibling("old/libnvidia-ml.so.1").toString();

    private final String library;
    private final Path file;

    SimulatedDriver(String library, Path folder) {
        this.library = library;
        this.file = folder.resolve("cards");
        exports().simulatedCardsFile(file.toString());
    }

    /** What the library exports beside NVML. */
    interface Exports extends Library {
        int simulatedSizeof(String structure);

        int simulatedCardsFile(@Nullable String file);
    }

    Exports exports() {
        return Native.load(library, Exports.class);
    }

    Path file() {
        return file;
    }

    /** Replaces the file in one step, as an editor of a running machine should. */
    void write(String... lines) {
        try {
            Path next = file.resolveSibling("cards.next");
            Files.writeString(next, String.join("\n", lines) + "\n");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Nvml open() throws NvmlException {
        return Nvml.open(library);
    }

    @Override
    public void close() {
        exports().simulatedCardsFile(null);
    }
}
