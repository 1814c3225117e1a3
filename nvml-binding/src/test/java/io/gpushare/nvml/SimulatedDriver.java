package io.gpushare.nvml;

import com.sun.jna.Library;
import com.sun.jna.Native;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A copy of one of the two builds of the simulated driver, which no other test loads, with a card file that the test
 * writes and changes.
 */
final class SimulatedDriver implements BeforeEachCallback, AfterEachCallback {
    /** Two UUIDs for the cards of a test. */
    static final String UUID_A = "GPU-aaaaaaaa-0000-1111-2222-333333333333";

    static final String UUID_B = "GPU-bbbbbbbb-0000-1111-2222-333333333333";

    static final Path LIBRARY = Path.of(System.getProperty("gpushare.simulated.driver", ""));

    private static final String LIBRARY_NAME = "libnvidia-ml.so.1";

    private final Path original;
    private Path folder = Path.of("");
    /** JNA unloads a library that nobody references, with all that it remembers. */
    private @Nullable Exports loaded;

    private SimulatedDriver(Path original) {
        this.original = original;
    }

    static SimulatedDriver current() {
        return new SimulatedDriver(LIBRARY);
    }

    static SimulatedDriver old() {
        return new SimulatedDriver(LIBRARY.resolveSibling("old/libnvidia-ml.so.1"));
    }

    /** The functions that the library exports in addition to NVML. */
    interface Exports extends Library {
        int simulatedSizeof(String structure);

        String simulatedProblem();
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        folder = Files.createTempDirectory("cards");
        Files.copy(original, file(LIBRARY_NAME));
        loaded = Native.load(file(LIBRARY_NAME).toString(), Exports.class);
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        loaded = null;
        for (String name : List.of("cards", "cards.kept", "cards.mig-minors", "cards.processes", LIBRARY_NAME)) {
            Files.deleteIfExists(file(name));
        }
        Files.delete(folder);
    }

    Exports exports() {
        return Objects.requireNonNull(loaded);
    }

    Path file() {
        return file("cards");
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    /** Replaces the file atomically, as any edit of a file in use should. */
    void write(String... lines) {
        replace("cards", lines);
    }

    /** Replaces the lines of programs that play tenants. */
    void processes(String... lines) {
        replace("cards.processes", lines);
    }

    private void replace(String file, String... lines) {
        try {
            Path next = Files.writeString(file("cards.next"), String.join("\n", lines) + "\n");
            Files.move(next, file(file), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The library itself, below the binding. */
    NvmlLibrary library() {
        return Native.load(file(LIBRARY_NAME).toString(), NvmlLibrary.class);
    }

    Nvml open() throws NvmlException {
        return Nvml.open(file(LIBRARY_NAME).toString());
    }

    /** The facts of all cards, which must all be present. */
    List<CardFacts> facts() throws NvmlException {
        try (Nvml nvml = open()) {
            return nvml.cards().stream()
                    .map(reading -> switch (reading) {
                        case CardReading.Present present -> present.facts();
                        case CardReading.Lost lost -> throw new AssertionError("not there: " + lost);
                    })
                    .toList();
        }
    }
}
