package io.gpushare.plugin.node.isolation.hami;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The library of HAMi-core on the node. A build with other switches than those of the project's own script limits
 * nothing, silently: it hides the calls that it replaces, and a program finds those of the driver. So the library
 * counts only if it exports them, and names the variables that it is given.
 */
public final class HamiCoreLibrary {
    /**
     * What programs must find in the library in place of the driver's: its own look-up, the calls that allocate and
     * compute, and what reports the memory, which is there with {@code HOOK_MEMINFO_ENABLE} only.
     */
    private static final List<String> CALLS = List.of(
            "dlsym", "cuInit", "cuGetProcAddress", "cuMemAlloc_v2", "cuMemCreate", "cuMemGetInfo_v2", "cuLaunchKernel");

    private static final List<String> VARIABLES =
            List.of("CUDA_DEVICE_MEMORY_LIMIT", "CUDA_DEVICE_SM_LIMIT", "CUDA_DEVICE_MEMORY_SHARED_CACHE");
    /** HAMi's library has less than one MiB, with debugging information; it is read as a whole. */
    private static final long LARGEST = 8L << 20;

    private record Version(
            long size, long modified, @Nullable Object file) {}

    private final Path file;
    private @Nullable Version checked;
    private Optional<String> problem = Optional.empty();

    public HamiCoreLibrary(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /** Why it can't hold containers to their shares, as a sentence; empty if nothing speaks against it. */
    synchronized Optional<String> missing() {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            Version version = new Version(now.size(), now.lastModifiedTime().toMillis(), now.fileKey());
            if (!version.equals(checked)) {
                problem = now.isRegularFile() && now.size() <= LARGEST
                        ? check(Files.readAllBytes(file))
                        : Optional.of(file + " is not the library of HAMi-core");
                checked = version;
            }
            return problem;
        } catch (NoSuchFileException e) {
            return Optional.of("the library of HAMi-core, " + file
                    + ", is missing: copy it there, set --hami-core-library, and mount its directory into the device"
                    + " plugin");
        } catch (IOException e) {
            return Optional.of("the library of HAMi-core can't be read: " + e);
        }
    }

    private Optional<String> check(byte[] content) {
        Set<String> exported;
        try {
            exported = SharedLibrary.exports(ByteBuffer.wrap(content), System.getProperty("os.arch"));
        } catch (IllegalArgumentException e) {
            return Optional.of(file + " is not the library of HAMi-core: " + e.getMessage());
        }
        List<String> hidden =
                CALLS.stream().filter(call -> !exported.contains(call)).toList();
        if (!hidden.isEmpty()) {
            return Optional.of(file + " limits nothing: it does not export " + String.join(", ", hidden)
                    + "; build HAMi-core by its own build.sh, or take the library from HAMi's image");
        }
        String text = new String(content, StandardCharsets.ISO_8859_1);
        return VARIABLES.stream()
                .filter(variable -> !text.contains(variable))
                .findFirst()
                .map(variable -> file + " is not the library of HAMi-core: it does not read " + variable);
    }
}
