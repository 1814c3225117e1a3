package io.gpushare.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.nvml.library.LibraryFit;
import io.gpushare.nvml.library.NvmlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A library of the driver that is not the loaded driver's, and when that ends a program. */
class LibraryFitTest {
    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    private final LibraryFit fit = new LibraryFit();
    private Instant now = Instant.EPOCH;

    private boolean outdated(String answer) {
        driver.write(answer);
        now = now.plus(Duration.ofSeconds(2));
        try (Nvml session = driver.open()) {
            session.cards();
            fit.responded();
            return false;
        } catch (NvmlException e) {
            return fit.outdated(e, now);
        }
    }

    @Test
    void aLibraryThatFittedIsOutdatedWhenItDoesNotTwiceInARow() {
        assertThat(outdated("card kind=T4")).isFalse();
        assertThat(outdated("driver fails=nvmlInit_v2:18")).isFalse();
        assertThat(outdated("card kind=T4")).isFalse();
        assertThat(outdated("driver fails=nvmlInit_v2:18")).isFalse();
        assertThat(outdated("driver fails=nvmlDeviceGetCount_v2:18")).isTrue();
    }

    @Test
    void soIsOneThatLoadedBeforeTheDriverDid() {
        assertThat(outdated("driver fails=nvmlInit_v2:9")).isFalse();
        assertThat(outdated("driver fails=nvmlInit_v2:18")).isFalse();
        assertThat(outdated("driver fails=nvmlInit_v2:18")).isTrue();
    }

    @Test
    void oneThatNeverFittedIsOutdatedAfterTenMinutes() {
        for (int scan = 0; scan < 300; scan++) {
            assertThat(outdated("driver fails=nvmlInit_v2:18"))
                    .as("scan " + scan)
                    .isFalse();
        }
        assertThat(outdated("driver fails=nvmlInit_v2:18")).isTrue();
    }

    /** The library of a driver's package has the version in its name. */
    @Test
    void theSimulatedLibraryFitsTheDriverThatItsFileNames(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("libnvidia-ml.so.570.1.2");
        Files.copy(SimulatedDriver.LIBRARY, file);
        Path link = Files.createSymbolicLink(folder.resolve("libnvidia-ml.so.1"), file);
        // As long as a session is open, the library stays loaded: a program that restarts gets the file's successor.
        try (Nvml _ = opened(link, "570.1.2")) {
            Files.delete(file);
            assertThat(opens(link, "580.95.05")).contains("Driver/library version mismatch (NVML code 18)");
            assertThat(opens(link, "570.1.2")).isEqualTo("570.1.2");
        }
    }

    private static Nvml opened(Path library, String version) throws IOException, NvmlException {
        Files.writeString(library.resolveSibling("cards"), "driver version=" + version + "\n");
        return Nvml.open(library.toString());
    }

    private static String opens(Path library, String version) throws IOException {
        try (Nvml session = opened(library, version)) {
            return session.driver().version().orElseThrow();
        } catch (NvmlException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
