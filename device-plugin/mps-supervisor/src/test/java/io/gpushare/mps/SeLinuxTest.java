package io.gpushare.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The labels that are written. Root can write them on a machine without SELinux too; what they permit is not tested.
 */
class SeLinuxTest {
    @TempDir
    private Path folder;

    private Path directory;

    /** Reads what the label is written to. */
    interface Attributes extends Library {
        NativeLong lgetxattr(String path, String name, byte[] value, NativeLong size);
    }

    @BeforeEach
    void directories() throws IOException {
        directory = folder.resolve("mps");
        Files.createDirectories(directory.resolve("GPU-a/daemon"));
        Files.createFile(directory.resolve("lock"));
        Files.createSymbolicLink(directory.resolve("GPU-a/outside"), folder);
    }

    private static String label(Path file) {
        byte[] value = new byte[256];
        long length = Native.load("c", Attributes.class)
                .lgetxattr(file.toString(), "security.selinux", value, new NativeLong(value.length))
                .longValue();
        return length < 0 ? "none" : new String(value, 0, (int) length, StandardCharsets.UTF_8);
    }

    @Test
    void theDirectoryAndAllThatIsInItGetTheLabelAndWhatALinkNamesDoesNot() throws IOException {
        new SeLinux(folder).label(directory, SeLinux.LABEL);
        for (String name : new String[] {"", "lock", "GPU-a", "GPU-a/daemon", "GPU-a/outside"}) {
            assertThat(label(directory.resolve(name))).as(name).isEqualTo("system_u:object_r:container_file_t:s0\0");
        }
        assertThat(label(folder)).isEqualTo("none");
    }

    @Test
    void nothingIsWrittenWithoutSeLinuxOrWithAnEmptyLabel() throws IOException {
        new SeLinux(folder.resolve("absent")).label(directory, SeLinux.LABEL);
        new SeLinux(folder).label(directory, "");
        assertThat(label(directory)).isEqualTo("none");
    }

    @Test
    void aLabelThatIsRefusedIsASentence() {
        String tooLong = "x".repeat(70_000);
        assertThatThrownBy(() -> new SeLinux(folder).label(directory, tooLong))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("--selinux-label=<label> names another one");
    }
}
