package io.gpushare.plugin.claims.offer;

import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.plugin.claims.prepare.NodeClaims;
import io.gpushare.time.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the kubelet's calls for claims, once those of earlier processes are counted, and ends claims for which it
 * makes no more calls.
 */
public final class ClaimCalls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimCalls.class);
    private static final Duration AGAIN = Duration.ofSeconds(3);
    private static final Duration SOON = Duration.ofMillis(200);

    private final NodeClaims claims;
    private final Service kubelet;
    private final BooleanSupplier podsKnown;
    private final PeriodicTask task = PeriodicTask.onRequest("earlier-claims", Duration.ZERO, this::step);
    /** Those of earlier processes that may be gone; null while the calls are not served. */
    private volatile @Nullable List<ResourceClaim> recovered;

    private @Nullable List<ResourceClaim> earlier;
    private String problem = "";
    /** What was logged of each, by UID. */
    private final Map<String, String> logged = new HashMap<>();

    /** Serves the kubelet's calls. */
    @FunctionalInterface
    public interface Service {
        void start() throws IOException;
    }

    /**
     * Serves nothing before {@link #begin}.
     *
     * @param kubelet started once the claims of earlier processes are counted
     * @param podsKnown whether the pods of the node were reported: before, no pod seems to run with a claim
     */
    public ClaimCalls(NodeClaims claims, Service kubelet, BooleanSupplier podsKnown) {
        this.claims = claims;
        this.kubelet = kubelet;
        this.podsKnown = podsKnown;
    }

    /** Serves from now on. */
    public void begin() throws IOException {
        recover();
        task.start().runSoon();
    }

    private void recover() throws IOException {
        List<ResourceClaim> all = earlier == null ? claims.recover() : earlier;
        earlier = all;
        kubelet.start();
        recovered = all;
    }

    /** Serves from now on if earlier claims can be read, and otherwise as soon as they can. */
    public void beginWhenPossible() {
        attempt();
        task.start().runSoon();
    }

    private void attempt() {
        try {
            recover();
        } catch (IOException e) {
            if (!problem.equals(e.toString())) {
                problem = e.toString();
                LOG.warn("calls for claims are not served yet, retrying: {}", problem);
            }
        }
    }

    private Duration step() {
        if (recovered == null) {
            attempt();
        }
        @Nullable List<ResourceClaim> maybeGone = recovered;
        if (maybeGone == null) {
            return AGAIN;
        }
        if (!podsKnown.getAsBoolean()) {
            return SOON;
        }
        claims.endUnprepared();
        // One at a time, while calls are served.
        List<ResourceClaim> left =
                maybeGone.stream().filter(this::mayBeGoneLater).toList();
        recovered = left;
        return AGAIN;
    }

    private boolean mayBeGoneLater(ResourceClaim claim) {
        Optional<String> why = claims.removeIfGone(claim);
        why.filter(now -> !now.equals(logged.put(claim.uid(), now))).ifPresent(LOG::warn);
        return why.isPresent();
    }

    @Override
    public void close() {
        task.close();
    }
}
