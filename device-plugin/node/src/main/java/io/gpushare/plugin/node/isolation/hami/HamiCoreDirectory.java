package io.gpushare.plugin.node.isolation.hami;

import io.gpushare.model.card.CardId;
import io.gpushare.mps.link.SharedDirectory;
import io.gpushare.plugin.node.isolation.StartingContainer;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the containers of a node get for HAMi-core: {@code containers/<uid>_<container>}, in which the processes of one
 * container account for their memory; {@code locks/<card>}, by which programs start one after the other on a card; and
 * {@code ld.so.preload}. Containers may run as any user, so that everybody can write into their directories.
 */
public final class HamiCoreDirectory {
    private static final Set<PosixFilePermission> EVERYBODY = PosixFilePermissions.fromString("rwxrwxrwx");
    private static final Set<PosixFilePermission> READABLE = PosixFilePermissions.fromString("rw-r--r--");

    private final Path root;

    public HamiCoreDirectory(Path root) {
        this.root = root;
    }

    Path of(StartingContainer container) {
        // The name of a claim's request has a slash where it is one of several alternatives.
        return containers()
                .resolve(container.pod().uid() + "_"
                        + container.allocation().name().replace('/', '.'));
    }

    Path lock(CardId card) {
        return root.resolve("locks").resolve(card.uuid());
    }

    Path preload() {
        return root.resolve("ld.so.preload");
    }

    private Path containers() {
        return root.resolve("containers");
    }

    /**
     * Writes what all containers share, if it is not there.
     *
     * @return why that is not possible, as a sentence
     */
    Optional<String> prepare(String library) {
        String line = library + "\n";
        try {
            Files.createDirectories(containers());
            if (!Files.exists(preload()) || !Files.readString(preload()).equals(line)) {
                Files.setPosixFilePermissions(Files.writeString(preload(), line), READABLE);
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(unwritable(e));
        }
    }

    /**
     * Makes the directories of a container that is about to start: empty, since the processes of its last start are
     * gone. Those of others are made if they are missing, and keep what is in them.
     *
     * @return why that is not possible, as a sentence
     */
    Optional<String> renew(StartingContainer container, List<StartingContainer> others) {
        try {
            SharedDirectory.remove(of(container));
        } catch (IOException e) {
            return Optional.of(unwritable(e));
        }
        return make(Stream.concat(Stream.of(container), others.stream()).toList());
    }

    /**
     * Makes the directories of these containers that are missing.
     *
     * @return why that is not possible, as a sentence
     */
    Optional<String> make(List<StartingContainer> containers) {
        try {
            for (StartingContainer container : containers) {
                open(container);
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(unwritable(e));
        }
    }

    private void open(StartingContainer container) throws IOException {
        open(of(container));
        for (CardId card : container.sharedCards()) {
            open(lock(card));
        }
    }

    private static void open(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, EVERYBODY);
    }

    private String unwritable(IOException e) {
        return "the directory " + root + " can't be written: mount it into the device plugin (" + e + ")";
    }

    /** Removes the directories of all pods but those; throws the first failure after it tried them all. */
    void retain(Set<String> uids) throws IOException {
        @Nullable IOException failure = null;
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(containers())) {
            for (Path directory : directories) {
                String name = String.valueOf(directory.getFileName());
                if (!uids.contains(name.substring(0, Math.max(0, name.indexOf('_'))))) {
                    try {
                        SharedDirectory.remove(directory);
                    } catch (IOException e) {
                        failure = failure == null ? e : failure;
                    }
                }
            }
        } catch (NoSuchFileException e) {
            // No container has had one.
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
