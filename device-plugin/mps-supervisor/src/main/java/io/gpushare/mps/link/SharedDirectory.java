package io.gpushare.mps.link;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.Objects;
import java.util.UUID;

/**
 * A directory in which a container may write, perhaps meanwhile. Nothing in it is found by its path: the container may
 * replace a directory by a link, and nest directories until a path is too long.
 */
public final class SharedDirectory {
    private static final int DEEPEST = 32;
    private static final int MOST = 1_000_000;

    private final Path path;
    private int removed;

    private SharedDirectory(Path path) {
        this.path = path;
    }

    /**
     * Removes all that is in the directory, whose own path no container can change.
     *
     * @throws IOException also if that is more than a million files: what was removed until then is gone
     */
    public static void empty(Path directory) throws IOException {
        SharedDirectory emptied = new SharedDirectory(directory);
        boolean again = true;
        while (again) {
            again = emptied.pass();
        }
    }

    /** Removes the file, or the directory with all that is in it; nothing if there is none. */
    public static void remove(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            empty(path);
        }
        Files.deleteIfExists(path);
    }

    /** Whether deep directories were moved to the top, for the next pass. */
    private boolean pass() throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
            if (!(stream instanceof SecureDirectoryStream<Path> top)) {
                throw new IOException(path + " can't be emptied without following links");
            }
            return empty(top, top, DEEPEST);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private boolean empty(SecureDirectoryStream<Path> directory, SecureDirectoryStream<Path> top, int deepest)
            throws IOException {
        boolean moved = false;
        for (Path each : directory) {
            Path name = Objects.requireNonNull(each.getFileName());
            if (++removed > MOST) {
                throw new IOException(path + " has more than " + MOST + " files");
            }
            try {
                if (!isDirectory(directory, name)) {
                    directory.deleteFile(name);
                } else if (deepest == 0) {
                    directory.move(name, top, Path.of(UUID.randomUUID().toString()));
                    moved = true;
                } else {
                    try (SecureDirectoryStream<Path> inner =
                            directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                        moved |= empty(inner, top, deepest - 1);
                    }
                    directory.deleteDirectory(name);
                }
            } catch (NoSuchFileException e) {
                // The container removed it meanwhile.
            }
        }
        return moved;
    }

    private static boolean isDirectory(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        return directory
                .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .isDirectory();
    }
}
