package io.gpushare.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A containerd 2 whose runc can't kill chosen containers, as one whose process is stuck in the driver, or that does not
 * apply claims.
 */
public final class FailingRuntime {
    private static final Pattern BINARY = Pattern.compile("BinaryName = \"([^\"]+)\"");

    private static final String SECTION = "[plugins.\"io.containerd.cri.v1.runtime\"]\n";
    private static final String WITHOUT_CDI = SECTION + "  enable_cdi = false\n";

    /** A container that can't be killed. */
    public interface Grip {
        /** The runtime can kill it again. */
        void release();
    }

    private final LocalCluster cluster;
    private final Path chosen;

    public FailingRuntime(LocalCluster cluster) {
        this.cluster = cluster;
        this.chosen = cluster.sharedFolder().resolve("kill-fails");
    }

    /** Gives these nodes' containerd that runc, and restarts it. */
    public void install(List<String> nodes) {
        try {
            Files.createDirectories(chosen);
            for (String node : nodes) {
                install(node);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("containerd can't be given another runc", e);
        }
    }

    private void install(String node) throws IOException {
        Path configuration = configuration(node);
        String before = Files.readString(configuration);
        Matcher binary = BINARY.matcher(before);
        if (!binary.find()) {
            throw new IllegalStateException(configuration + " names no runc");
        }
        Path wrapper = cluster.sharedFolder().resolve("runc-of-" + node);
        Files.writeString(wrapper, """
            #!/bin/sh
            case " $* " in
                *" kill "*) for argument; do [ ! -f "%s/$argument" ] || exit 1; done ;;
            esac
            exec %s "$@"
            """.formatted(chosen, binary.group(1)));
        if (!wrapper.toFile().setExecutable(true)) {
            throw new IOException(wrapper + " can't be made executable");
        }
        Files.writeString(configuration, binary.replaceFirst("BinaryName = \"" + wrapper + "\""));
        cluster.component("restart", "runtime@" + node);
    }

    /** Whether it applies claims (CDI) from its next start on. */
    public void applyClaims(String node, boolean applies) {
        Path configuration = configuration(node);
        try {
            String before = Files.readString(configuration).replace(WITHOUT_CDI, SECTION);
            if (!before.contains(SECTION)) {
                throw new IllegalStateException(configuration + " is not one of containerd 2");
            }
            Files.writeString(configuration, applies ? before : before.replace(SECTION, WITHOUT_CDI));
        } catch (IOException e) {
            throw new UncheckedIOException("containerd can't be configured", e);
        }
    }

    private Path configuration(String node) {
        return cluster.kubeletFolder(node).resolveSibling("config/containerd.toml");
    }

    /**
     * Makes a container one that can't be killed.
     *
     * @param id the container's, as the runtime knows it
     */
    public Grip keep(String id) {
        Path file = chosen.resolve(id);
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the container can't be chosen", e);
        }
        return () -> {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException("the container can't be released", e);
            }
        };
    }
}
