package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.node.sockets.DomainSockets;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the kubelet's checkpoint, which is in the directory of the plugins' sockets. The kubelet replaces it
 * atomically.
 */
public final class CheckpointReader {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointReader.class);

    private final ResourceNames names;
    private final Path file;
    private String problem = "";
    private Optional<Registered> registered = Optional.empty();

    /** The healthy devices of each resource, in a file that was identified so. */
    private record Registered(Object file, Map<String, Set<String>> devices) {}

    public CheckpointReader(Path pluginDir, ResourceNames names) {
        this.names = names;
        this.file = pluginDir.resolve("kubelet_internal_checkpoint");
    }

    /**
     * The checkpoint as it is now; empty if it can't be read, which is logged once for each cause. Without the file the
     * kubelet has recorded nothing.
     */
    public Optional<KubeletCheckpoint> read() {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            KubeletCheckpoint checkpoint = CheckpointParser.parse(in, names);
            problem = "";
            return Optional.of(checkpoint);
        } catch (NoSuchFileException e) {
            return Optional.of(KubeletCheckpoint.EMPTY);
        } catch (IOException e) {
            if (!e.toString().equals(problem)) {
                problem = e.toString();
                LOG.warn(
                        "the kubelet's checkpoint can't be read, so a pod whose annotation and devices differ holds the"
                                + " cards of both: {}",
                        problem);
            }
            return Optional.empty();
        }
    }

    /**
     * The healthy devices of each resource in the last list that the kubelet received, of whichever plugin; the same
     * object as long as the checkpoint is the same. Empty if there is none, or if it can't be read.
     */
    Optional<Map<String, Set<String>>> registered() {
        try {
            Optional<Object> present = DomainSockets.identity(file);
            if (!present.equals(registered.map(Registered::file))) {
                registered = Optional.empty();
                if (present.isPresent()) {
                    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                        registered = Optional.of(new Registered(present.get(), CheckpointParser.registered(in)));
                    }
                }
            }
        } catch (IOException e) {
            // The other reader of the checkpoint says so.
            registered = Optional.empty();
        }
        return registered.map(Registered::devices);
    }
}
