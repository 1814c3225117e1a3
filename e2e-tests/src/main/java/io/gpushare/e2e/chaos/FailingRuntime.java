package io.gpushare.e2e.chaos;

import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A containerd whose runc can't kill chosen containers, as one whose process is stuck in the driver. */
final class FailingRuntime {
    private static final Pattern BINARY = Pattern.compile("BinaryName = \"([^\"]+)\"");

    /** A container that can't be killed. */
    interface Grip {
        void release();
    }

    private final LocalCluster cluster;
    private final Path chosen;

    FailingRuntime(LocalCluster cluster) {
        this.cluster = cluster;
        this.chosen = cluster.sharedFolder().resolve("kill-fails");
    }

    /** Gives these nodes' containerd that runc, and restarts it. */
    void install(List<String> nodes) {
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
        Path configuration = cluster.kubeletFolder(node).resolveSibling("config/containerd.toml");
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

    /**
     * Makes a container one that can't be killed.
     *
     * @param id the container's, as the runtime knows it
     */
    Grip keep(String id) {
        Path file = chosen.resolve(id);
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException("the container can't be chosen", e);
        }
        return () -> {
            try {
                Files.delete(file);
            } catch (IOException e) {
                throw new UncheckedIOException("the container can't be released", e);
            }
        };
    }
}
