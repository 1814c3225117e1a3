package io.gpushare.plugin.claims.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CdiFilesTest {
    /** It stayed until the next start of the driver. */
    @Test
    void whatAFullDiskLeftOfAFileGoesWithItsClaim(@TempDir Path directory) throws Exception {
        Path next = Files.createFile(directory.resolve("gpushare.io-claim_uid-1.next"));
        Path other = Files.createFile(directory.resolve("gpushare.io-claim_uid-2.next"));
        new CdiFiles(directory).delete("uid-1");
        assertThat(next).doesNotExist();
        assertThat(other).exists();
    }
}
