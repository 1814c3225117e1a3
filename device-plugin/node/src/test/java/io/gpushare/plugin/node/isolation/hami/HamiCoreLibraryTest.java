package io.gpushare.plugin.node.isolation.hami;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Libraries of every kind on the node; the stand-ins for HAMi-core's are built with the simulated driver. */
class HamiCoreLibraryTest {
    private static final Path NVML = Path.of(System.getProperty("gpushare.simulated.driver"));
    private static final Path GOOD = NVML.resolveSibling("mps/libvgpu.so");
    private static final Path HIDDEN = NVML.resolveSibling("mps/libvgpu-hidden.so");

    @TempDir
    Path dir;

    @Test
    void aLibraryThatReplacesTheCallsAndReadsTheVariablesIsAccepted() {
        assertThat(new HamiCoreLibrary(GOOD).missing()).isEmpty();
    }

    @Test
    void aBuildThatHidesItsCallsWouldLimitNothing() {
        assertThat(new HamiCoreLibrary(HIDDEN).missing().orElseThrow())
                .isEqualTo(HIDDEN + " limits nothing: it does not export cuInit, cuGetProcAddress, cuMemAlloc_v2,"
                        + " cuMemCreate, cuMemGetInfo_v2, cuLaunchKernel; build HAMi-core by its own build.sh, or take"
                        + " the library from HAMi's image");
    }

    @Test
    void otherFilesAreNamedWithTheReason() throws IOException {
        assertThat(problem(Files.readAllBytes(NVML))).contains("limits nothing: it does not export dlsym");
        assertThat(problem("#!/bin/sh\n".repeat(100).getBytes(StandardCharsets.US_ASCII)))
                .contains("is not the library of HAMi-core: it is no shared library of 64 bits");
        assertThat(problem(new byte[0])).contains("the file is cut");
        assertThat(problem(Files.readAllBytes(Path.of("/bin/sh").toRealPath()))).contains("limits nothing");
        byte[] good = Files.readAllBytes(GOOD);
        byte[] otherMachine = good.clone();
        otherMachine[18] = 40;
        assertThat(problem(otherMachine)).contains("it is for another machine than " + System.getProperty("os.arch"));
        byte[] otherVariable = new String(good, StandardCharsets.ISO_8859_1)
                .replace("CUDA_DEVICE_MEMORY_LIMIT", "CUDA_DEVICE_MEMORY_LIMIX")
                .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(problem(otherVariable)).contains("it does not read CUDA_DEVICE_MEMORY_LIMIT");
        assertThat(new HamiCoreLibrary(dir).missing().orElseThrow()).contains("is not the library of HAMi-core");
    }

    @Test
    void aFileThatIsCutAnywhereIsNoReasonToFail() throws IOException {
        byte[] good = Files.readAllBytes(GOOD);
        for (int length = 0; length < good.length; length += 97) {
            assertThat(new HamiCoreLibrary(Files.write(dir.resolve("cut"), Arrays.copyOf(good, length))).missing())
                    .as("%d bytes", length)
                    .isPresent();
        }
    }

    @Test
    void aLibraryThatComesOrIsReplacedIsCheckedAgain() throws IOException {
        Path file = dir.resolve("libvgpu.so");
        HamiCoreLibrary library = new HamiCoreLibrary(file);
        assertThat(library.missing().orElseThrow())
                .isEqualTo("the library of HAMi-core, " + file
                        + ", is missing: copy it there, set --hami-core-library, and mount its directory into the"
                        + " device plugin");
        Files.copy(HIDDEN, file);
        assertThat(library.missing().orElseThrow()).contains("limits nothing");
        Path next = Files.copy(GOOD, dir.resolve("next"));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        assertThat(library.missing()).isEmpty();
        Files.delete(file);
        assertThat(library.missing()).isPresent();
    }

    private String problem(byte[] content) throws IOException {
        return new HamiCoreLibrary(Files.write(dir.resolve("library"), content))
                .missing()
                .orElseThrow();
    }
}
