package io.gpushare.mps.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MpsDirectoryTest {
    @Test
    void severalThreadsMayLookForASupervisorAtOnce(@TempDir Path dir) throws Exception {
        MpsDirectory directory = new MpsDirectory(dir);
        Files.createFile(directory.lock());
        Callable<Boolean> often = () -> {
            boolean supervised = false;
            for (int i = 0; i < 2000; i++) {
                supervised |= directory.supervised();
            }
            return supervised;
        };
        List<Boolean> seen = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (Future<Boolean> each : threads.invokeAll(List.of(often, often))) {
                seen.add(each.get());
            }
        }
        assertThat(seen).containsExactly(false, false);
    }
}
