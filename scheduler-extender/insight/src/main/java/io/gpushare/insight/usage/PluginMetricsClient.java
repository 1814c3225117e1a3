package io.gpushare.insight.usage;

import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.waste.CardUsage;
import io.gpushare.time.Machine;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches usage from the plugins of requested nodes and caches it for the period at which a plugin measures. A plugin
 * that does not respond delays a request by the deadline at most and is not asked again for a while.
 */
public final class PluginMetricsClient implements CardUsage {
    private static final Logger LOG = LoggerFactory.getLogger(PluginMetricsClient.class);
    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(30);
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final int CONCURRENT = 32;
    private static final int LARGEST = 4 << 20;
    private static final int LARGEST_CACHE = 10_000;

    private final InstantSource clock;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Semaphore calls = new Semaphore(CONCURRENT);
    private final Map<String, Cached> cache = new ConcurrentHashMap<>();
    private final Map<String, Future<?>> fetches = new ConcurrentHashMap<>();

    /** A plugin's usage, empty for a failed fetch. */
    private record Cached(Optional<NodeUse> usage, Instant until) {}

    public PluginMetricsClient(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Map<String, NodeUse> of(List<NodeView> nodes) {
        Instant now = clock.instant();
        if (cache.size() > LARGEST_CACHE) {
            cache.clear();
        }
        List<Future<?>> pending = new ArrayList<>();
        for (NodeView node : nodes) {
            @Nullable String metrics = node.metrics();
            if (metrics != null && !fresh(cache.get(metrics), now)) {
                pending.add(fetches.computeIfAbsent(metrics, any -> threads.submit(() -> refresh(metrics))));
            }
        }
        await(pending);
        Map<String, NodeUse> usage = new HashMap<>();
        for (NodeView node : nodes) {
            @Nullable Cached cached = node.metrics() == null ? null : cache.get(node.metrics());
            if (cached != null && fresh(cached, now)) {
                cached.usage().ifPresent(reported -> usage.put(node.name(), reported));
            }
        }
        return usage;
    }

    /** The same, and keeps nothing of nodes that reported for this call only. */
    Map<String, NodeUse> once(List<NodeView> nodes) {
        Instant now = clock.instant();
        List<String> added = nodes.stream()
                .flatMap(node -> Stream.ofNullable(node.metrics()))
                .filter(metrics -> !fresh(cache.get(metrics), now))
                .toList();
        Map<String, NodeUse> usage = of(nodes);
        added.forEach(metrics ->
                cache.computeIfPresent(metrics, (any, cached) -> cached.usage().isPresent() ? null : cached));
        return usage;
    }

    private static boolean fresh(@Nullable Cached cached, Instant now) {
        return cached != null && now.isBefore(cached.until());
    }

    /** Waits for all fetches, but not longer than the deadline. */
    private static void await(List<Future<?>> pending) {
        long end = Machine.here().nanos() + DEADLINE.toNanos();
        try {
            for (Future<?> one : pending) {
                await(one, end);
            }
        } catch (TimeoutException e) {
            LOG.debug("some plugins did not report usage in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Another plugin's answer does not depend on what became of this one's. */
    private static void await(Future<?> one, long end) throws InterruptedException, TimeoutException {
        try {
            one.get(Math.max(0, end - Machine.here().nanos()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            LOG.error("internal error while fetching a plugin's usage metrics", e);
        }
    }

    /** Fetches once for all requests of that time. */
    private void refresh(String metrics) {
        try {
            calls.acquire();
            try {
                NodeUse usage = PluginMetricsParser.read(fetch(URI.create("http://" + metrics + "/metrics")));
                cache.put(
                        metrics, new Cached(Optional.of(usage), clock.instant().plus(FRESH)));
            } catch (IOException | IllegalArgumentException e) {
                LOG.debug("the plugin at {} reports no usage: {}", metrics, e.toString());
                cache.put(metrics, new Cached(Optional.empty(), clock.instant().plus(AFTER_FAILURE)));
            } finally {
                calls.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            fetches.remove(metrics);
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
            String text = new String(body.readNBytes(LARGEST), StandardCharsets.UTF_8);
            // Of a longer page the last line may be a part of a number.
            return body.read() < 0 ? text : text.substring(0, text.lastIndexOf('\n') + 1);
        } finally {
            connection.disconnect();
        }
    }
}
