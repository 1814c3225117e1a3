package io.gpushare.mps;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * SELinux of the node. The kernel gives what is created in a directory the directory's type; below {@code /run} that is
 * one which containers may not use.
 *
 * @param fileSystem where the kernel's file system of SELinux is, if the node has SELinux
 */
record SeLinux(Path fileSystem) {
    static final Path FILE_SYSTEM = Path.of("/sys/fs/selinux");
    /** The files that all containers may use. */
    static final String LABEL = "system_u:object_r:container_file_t:s0";

    private static final String ATTRIBUTE = "security.selinux";

    /** The call of the C library, by its own name. */
    interface Attributes extends Library {
        int lsetxattr(String path, String name, byte[] value, NativeLong size, int flags) throws LastErrorException;
    }

    /** Labels the directory and what is in it; nothing where the label is empty or the node has no SELinux. */
    void label(Path directory, String label) throws IOException {
        if (label.isEmpty() || !Files.isDirectory(fileSystem)) {
            return;
        }
        Attributes attributes = Native.load("c", Attributes.class);
        byte[] value = (label + "\0").getBytes(StandardCharsets.UTF_8);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                attributes.lsetxattr(file.toString(), ATTRIBUTE, value, new NativeLong(value.length), 0);
            }
        } catch (LastErrorException | UncheckedIOException e) {
            throw new IOException(
                    "it can't get the SELinux label " + label
                            + ", without which containers can't use MPS: --selinux-label=<label>"
                            + " names another one (" + e.getMessage() + ")",
                    e);
        }
    }
}
