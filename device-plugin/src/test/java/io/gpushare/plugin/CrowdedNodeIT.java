package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.kubelet.CrowdedNode;
import io.gpushare.simulated.program.StartedProgram;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** As many containers as a kubelet admits by default, with the longest names; the heap is the image's. */
class CrowdedNodeIT extends WholeProgram {
    private static final int SCRAPES = 16;
    private static final String SERIES = "gpushare_container_memory_allocated_bytes{";

    @Test
    void manyScrapesAtOnceOfAllContainersAreServedOrRefused() throws Exception {
        CrowdedNode node = new CrowdedNode("n1");
        cards(node.cards().toArray(String[]::new));
        node.pods().forEach(api::put);
        kubelet.podResources(node.podResources());
        StartedProgram program = runProcess(METRICS, "--memory-unit=256MiB");
        await(Duration.ofMinutes(2))
                .pollInterval(Duration.ofSeconds(1))
                .ignoreExceptions()
                .until(() -> series(scrape()) == CrowdedNode.CONTAINERS);

        List<Callable<String>> scrapes = new ArrayList<>();
        for (int i = 0; i < SCRAPES; i++) {
            scrapes.add(this::scrape);
        }
        AtomicInteger served = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            await(Duration.ofMinutes(2)).until(() -> {
                for (Future<String> each : threads.invokeAll(scrapes)) {
                    served.addAndGet(complete(each) ? 1 : 0);
                }
                return served.get() >= SCRAPES;
            });
        }
        assertThat(program.isAlive()).isTrue();
        // The last callers may still be served.
        await().ignoreExceptions().until(() -> series(scrape()) == CrowdedNode.CONTAINERS);
    }

    /** More callers than the program serves at a time are refused; a page is never cut. */
    private static boolean complete(Future<String> scrape) throws InterruptedException {
        try {
            assertThat(series(scrape.get())).isEqualTo(CrowdedNode.CONTAINERS);
            return true;
        } catch (ExecutionException e) {
            return false;
        }
    }

    private static long series(String page) {
        return page.lines().filter(line -> line.startsWith(SERIES)).count();
    }

    private String scrape() throws Exception {
        try (InputStream page = URI.create(metricsUrl()).toURL().openStream()) {
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
