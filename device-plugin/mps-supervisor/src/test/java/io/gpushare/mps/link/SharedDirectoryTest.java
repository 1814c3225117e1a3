package io.gpushare.mps.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedDirectoryTest {
    @TempDir
    Path dir;

    @Test
    void aTreeWhosePathIsTooLongForTheSystemIsRemoved() throws Exception {
        Path own = Files.createDirectory(dir.resolve("own"));
        String script = "d=$(printf %0100d 0); for i in $(seq 70); do mkdir $d && cd -P $d; done; touch file";
        assertThat(new ProcessBuilder("bash", "-e", "-c", script)
                        .directory(own.toFile())
                        .start()
                        .waitFor())
                .isZero();
        SharedDirectory.remove(own);
        assertThat(own).doesNotExist();
    }

    @Test
    void linksAreRemovedAndNotFollowed() throws Exception {
        Path outside = Files.createDirectory(dir.resolve("outside"));
        Path kept = Files.createFile(outside.resolve("kept"));
        Path own = Files.createDirectories(dir.resolve("own/inner"));
        Files.createSymbolicLink(own.resolve("link"), outside);
        Path link = Files.createSymbolicLink(dir.resolve("link"), outside);
        SharedDirectory.remove(dir.resolve("own"));
        SharedDirectory.remove(link);
        SharedDirectory.remove(dir.resolve("absent"));
        assertThat(dir).isDirectoryNotContaining(file -> !file.equals(outside));
        assertThat(kept).exists();
    }
}
