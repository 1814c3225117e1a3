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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One of the two builds of the simulated driver, with a card file that a test writes and changes. */
final class SimulatedDriver implements BeforeEachCallback, AfterEachCallback {
    /** Two UUIDs for the cards of a test. */
    static final String UUID_A = "GPU-aaaaaaaa-0000-1111-2222-333333333333";

    static final String UUID_B = "GPU-bbbbbbbb-0000-1111-2222-333333333333";

    static final Path LIBRARY = Path.of(System.getProperty("gpushare.simulated.driver", ""));

    private final Path library;
    private Path folder = Path.of("");

    private SimulatedDriver(Path library) {
        this.library = library;
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

        int simulatedCardsFile(@Nullable String file);

        String simulatedProblem();
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        folder = Files.createTempDirectory("cards");
        exports().simulatedCardsFile(file().toString());
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        exports().simulatedCardsFile(null);
        Files.deleteIfExists(file());
        Files.deleteIfExists(folder.resolve("cards.kept"));
        Files.deleteIfExists(folder.resolve("cards.mig-minors"));
        Files.deleteIfExists(folder.resolve("cards.processes"));
        Files.delete(folder);
    }

    Exports exports() {
        return exports(library);
    }

    static Exports exports(Path library) {
        return Native.load(library.toString(), Exports.class);
    }

    Path file() {
        return folder.resolve("cards");
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
            Path next = folder.resolve("cards.next");
            Files.writeString(next, String.join("\n", lines) + "\n");
            Files.move(next, folder.resolve(file), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The library itself, below the binding. */
    NvmlLibrary library() {
        return Native.load(library.toString(), NvmlLibrary.class);
    }

    Nvml open() throws NvmlException {
        return Nvml.open(library.toString());
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
