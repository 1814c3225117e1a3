package io.gpushare.plugin.claims.slices;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.ResourceApi;
import io.gpushare.kubernetes.ResourceApi.SlicePlace;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports slices of others in the pool of this node. kube-scheduler counts a device by driver, pool and name, so a
 * claim on such a slice holds this node's card, whichever node the slice names. A policy of the chart keeps the device
 * plugins from it; other accounts may write slices too.
 */
public final class PoolGuard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PoolGuard.class);
    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration LEAST = Duration.ofMinutes(1);
    /** No selector finds them, so each node reads all slices: together the nodes read so many a second at most. */
    private static final Duration EACH_SLICE = Duration.ofSeconds(3);

    private static final int MOST_NAMES = 3;

    private final ResourceApi resources;
    private final String driver;
    private final String node;
    private final Consumer<String> warnings;
    private final PeriodicTask task = new PeriodicTask("pool-guard", FIRST, Duration.ZERO, this::look);
    private String reported = "";
    private boolean failing;

    /** @param warnings receives a sentence when there is one */
    public PoolGuard(ResourceApi resources, String driver, String node, Consumer<String> warnings) {
        this.resources = resources;
        this.driver = driver;
        this.node = node;
        this.warnings = warnings;
    }

    public PoolGuard start() {
        task.start();
        return this;
    }

    private Duration look() {
        AtomicInteger slices = new AtomicInteger();
        List<SlicePlace> foreign = new ArrayList<>();
        try {
            resources.eachSlice(driver, slice -> {
                slices.incrementAndGet();
                if (slice.pool().equals(node) && !slice.node().equals(node)) {
                    foreign.add(slice);
                }
            });
            report(foreign);
            failing = false;
        } catch (KubernetesException e) {
            if (!failing) {
                LOG.warn("it can't be seen whether others have slices in the pool of this node: {}", e.getMessage());
            }
            failing = true;
        }
        Duration all = EACH_SLICE.multipliedBy(slices.get());
        return all.compareTo(LEAST) < 0 ? LEAST : all;
    }

    private void report(List<SlicePlace> foreign) {
        String names = foreign.stream()
                .limit(MOST_NAMES)
                .map(slice -> slice.name() + (slice.node().isEmpty() ? "" : " of node " + slice.node()))
                .collect(Collectors.joining(", "));
        if (!names.equals(reported) && !names.isEmpty()) {
            String sentence = "The pool of this node has ResourceSlices that are not its own (" + names
                    + "): claims on their devices hold cards of this node. Find out who wrote them, and delete them.";
            LOG.warn("{}", sentence);
            warnings.accept(sentence);
        }
        reported = names;
    }

    @Override
    public void close() {
        task.close();
    }
}
