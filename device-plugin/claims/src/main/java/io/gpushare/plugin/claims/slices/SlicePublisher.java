package io.gpushare.plugin.claims.slices;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.kubernetes.ResourceApi;
import io.gpushare.kubernetes.ResourceApi.Slice;
import io.gpushare.kubernetes.wire.SliceJson;
import io.gpushare.model.claims.SliceSpecs;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.node.part.Backoff;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the slices of this node as they should be. A kubelet deletes them when it starts, some time after it registered
 * the driver: so they are compared often for a while after that, and then once a minute. What the API server stores is
 * compared with what was sent: it drops fields of features that are off.
 */
public final class SlicePublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SlicePublisher.class);
    /** Each new slice wakes every pod that waits for a device. */
    private static final Duration GAP = Duration.ofSeconds(1);

    private static final Backoff FIRST = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));
    private static final Duration OFTEN = Duration.ofSeconds(2);
    private static final Duration SELDOM = Duration.ofMinutes(1);
    private static final int OFTEN_TIMES = 30;
    /** Not found, conflict, too many requests. */
    private static final Set<Integer> PASSING = Set.of(404, 409, 429);

    private static final String TAINTS = "\"taints\":";

    private final KubernetesApi api;
    private final SliceSpecs specs;
    private final Consumer<String> warnings;
    private final PeriodicTask task = PeriodicTask.onRequest("slices", GAP, this::step);
    private volatile @Nullable Supplier<NodeCards> cards;
    private volatile int often = OFTEN_TIMES;
    private volatile String problem = "the API server does not have this node's slices yet";
    private Backoff backoff = FIRST;
    /** What was sent last, and what the API server stored of it. */
    private List<String> sent = List.of();

    private List<String> stored = List.of();
    private String reported = "";
    private boolean taints = true;

    /**
     * Publishes nothing before {@link #start} and {@link #changed}.
     *
     * @param warnings receives a sentence when the API server refuses a slice, or did not store all of it
     */
    public SlicePublisher(KubernetesApi api, SliceSpecs specs, Consumer<String> warnings) {
        this.api = api;
        this.specs = specs;
        this.warnings = warnings;
    }

    /**
     * Starts.
     *
     * @param from what the node's cards have left
     */
    public void start(Supplier<NodeCards> from) {
        cards = from;
        task.start();
    }

    /** The cards, or what is left of them, may have changed; returns at once. */
    public void changed() {
        task.runSoon();
    }

    /** The kubelet registered the driver; returns at once. */
    public void registered() {
        often = OFTEN_TIMES;
        task.runSoon();
    }

    /** Why the API server does not have the slices, as a sentence; empty if it does. */
    public Optional<String> problem() {
        return Optional.of(problem).filter(text -> !text.isEmpty());
    }

    private Duration step() {
        try {
            reconcile(Objects.requireNonNull(cards).get());
        } catch (KubernetesException e) {
            if (backoff.equals(FIRST)) {
                LOG.warn("the slices can't be written, retrying: {}", e.getMessage());
            }
            if (refusal(e.status())) {
                refused("The API server refuses this node's ResourceSlices: " + e.getMessage());
            }
            Duration wait = backoff.next();
            backoff = backoff.failed();
            return wait;
        }
        backoff = FIRST;
        problem = "";
        often = Math.max(0, often - 1);
        return often > 0 ? OFTEN : SELDOM;
    }

    /** Whether a repetition will not help: others change slices too, and the server may have too much to do. */
    private static boolean refusal(int status) {
        return status >= 400 && status < 500 && !PASSING.contains(status);
    }

    private void refused(String sentence) {
        if (!sentence.equals(problem)) {
            problem = sentence;
            warnings.accept(sentence);
        }
    }

    private void reconcile(NodeCards now) throws KubernetesException {
        ResourceApi resources = api.resources();
        List<Slice> present = resources.slices(specs.driver(), specs.node()).stream()
                .sorted(Comparator.comparing(Slice::name))
                .toList();
        List<String> wanted =
                specs.of(now, 0, taints).stream().map(SliceJson::canonical).toList();
        List<String> found = present.stream().map(Slice::spec).toList();
        if (found.equals(wanted) || (wanted.equals(sent) && found.equals(stored))) {
            return;
        }
        long generation = present.stream().mapToLong(Slice::generation).max().orElse(0) + 1;
        List<Map<String, Object>> next = specs.of(now, generation, taints);
        List<String> result = next.isEmpty() ? List.of() : write(resources, present, next);
        for (Slice surplus : present.subList(Math.min(next.size(), present.size()), present.size())) {
            resources.delete(surplus.name());
        }
        LOG.info("published {} slices, generation {}", next.size(), generation);
        sent = wanted;
        stored = result;
        if (result.equals(wanted)) {
            reported = "";
            return;
        }
        report(result);
        if (taints && wanted.toString().contains(TAINTS) && !result.toString().contains(TAINTS)) {
            taints = false;
            reconcile(now);
        }
    }

    private List<String> write(ResourceApi resources, List<Slice> present, List<Map<String, Object>> next)
            throws KubernetesException {
        @Nullable NodeState owner = api.nodes().read(specs.node()).orElse(null);
        if (owner == null) {
            throw new KubernetesException(404, "node " + specs.node() + " does not exist", null);
        }
        List<String> result = new ArrayList<>();
        for (int i = 0; i < next.size(); i++) {
            Slice written = i < present.size()
                    ? resources.replace(present.get(i).name(), owner, next.get(i))
                    : resources.create("%s-%s-%02d".formatted(specs.node(), specs.driver(), i), owner, next.get(i));
            result.add(written.spec());
        }
        return result;
    }

    private void report(List<String> result) {
        boolean shares = result.stream().allMatch(spec -> spec.contains("\"allowMultipleAllocations\":true"));
        String sentence = shares
                ? "The API server did not store all of this node's ResourceSlices: see the log of its"
                        + " kube-apiserver for feature gates that are off."
                : "This cluster allocates devices of ResourceSlices only whole: shares of cards need Kubernetes"
                        + " 1.36, or 1.35 with the feature gate DRAConsumableCapacity. (With that gate,"
                        + " kube-scheduler 1.34 gives shares of the first card of a node only.)";
        if (!sentence.equals(reported)) {
            reported = sentence;
            warnings.accept(sentence);
            LOG.warn("sent {}, stored {}", sent, result);
        }
    }

    @Override
    public void close() {
        task.close();
    }
}
