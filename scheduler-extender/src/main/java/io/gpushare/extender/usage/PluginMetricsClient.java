package io.gpushare.extender.usage;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.view.MemoryUsage;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the plugins of the nodes that somebody looks at, and remembers their answers for as long as a plugin itself takes to
 * look again. A plugin that does not answer costs nobody more than the deadline, and is left alone for a while.
 */
public final class PluginMetricsClient implements MemoryUsage {
    private static final Logger LOG = LoggerFactory.getLogger(PluginMetricsClient.class);
    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(30);
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final int AT_ONCE = 32;
    private static final int LARGEST = 4 << 20;
    private static final int REMEMBERED = 10_000;

    private final InstantSource clock;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Semaphore calls = new Semaphore(AT_ONCE);
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Map<String, Future<?>> asked = new ConcurrentHashMap<>();

    /** What a plugin said, or that it did not. */
    private record Answer(Optional<NodeUse> use, Instant until) {}

    public PluginMetricsClient(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Map<String, NodeUse> of(List<NodeView> nodes) {
        Instant now = clock.instant();
        if (answers.size() > REMEMBERED) {
            answers.clear();
        }
        List<Future<?>> asking = new ArrayList<>();
        for (NodeView node : nodes) {
            @Nullable String metrics = node.metrics();
            if (metrics != null && !fresh(answers.get(metrics), now)) {
                asking.add(asked.computeIfAbsent(metrics, any -> threads.submit(() -> ask(metrics))));
            }
        }
        await(asking);
        Map<String, NodeUse> use = new HashMap<>();
        for (NodeView node : nodes) {
            @Nullable Answer answer = node.metrics() == null ? null : answers.get(node.metrics());
            if (answer != null && fresh(answer, now)) {
                answer.use().ifPresent(told -> use.put(node.name(), told));
            }
        }
        return use;
    }

    private static boolean fresh(@Nullable Answer answer, Instant now) {
        return answer != null && now.isBefore(answer.until());
    }

    /** Waits for all of them, and no longer than the deadline. */
    private static void await(List<Future<?>> asking) {
        long end = System.nanoTime() + DEADLINE.toNanos();
        try {
            for (Future<?> one : asking) {
                one.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException e) {
            LOG.debug("some plugins take long to tell what is used");
        } catch (ExecutionException e) {
            LOG.error("asking a plugin what is used failed inside", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** However many look meanwhile, a plugin is asked once. */
    private void ask(String metrics) {
        try {
            calls.acquire();
            try {
                NodeUse use = PluginMetricsParser.read(fetch(URI.create("http://" + metrics + "/metrics")));
                answers.put(
                        metrics, new Answer(Optional.of(use), clock.instant().plus(FRESH)));
            } catch (IOException | IllegalArgumentException e) {
                LOG.debug("the plugin at {} does not tell what is used: {}", metrics, e.toString());
                answers.put(
                        metrics, new Answer(Optional.empty(), clock.instant().plus(AFTER_FAILURE)));
            } finally {
                calls.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            asked.remove(metrics);
        }
    }

    private static String fetch(URI address) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout((int) DEADLINE.toMillis() / 2);
        connection.setReadTimeout((int) DEADLINE.toMillis() / 2);
        connection.setInstanceFollowRedirects(false);
        try (InputStream body = connection.getInputStream()) {
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw new IOException("status " + connection.getResponseCode());
            }
            byte[] text = body.readNBytes(LARGEST);
            return new String(text, StandardCharsets.UTF_8);
        } finally {
            connection.disconnect();
        }
    }
}
