package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A pod's way to its card, once in each JVM before its first test. It loads the classes: on a busy machine that takes
 * longer than the program waits for a response.
 */
final class WarmUp extends WholeProgram {
    private static boolean done;

    private WarmUp() {}

    static synchronized void once() throws Exception {
        if (!done) {
            done = true;
            WarmUp node = new WarmUp();
            node.dir = Files.createTempDirectory("warm-up");
            node.start();
            try {
                node.admit();
            } catch (Throwable e) {
                System.out.println("the log of the warm-up:\n" + node.log());
                throw e;
            } finally {
                node.end();
                delete(node.dir);
            }
        }
    }

    private void admit() throws Exception {
        cards(CARD_A);
        run(METRICS);
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));
        list("p");
        List<String> devices = preferred(MEMORY, 3);
        await().ignoreExceptions().until(() -> allocate(MEMORY, devices).containsValue(A));
        assertThat(metrics()).isNotEmpty();
    }

    private static void delete(Path folder) throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
