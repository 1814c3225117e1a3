package io.gpushare.extender.placement;

import io.gpushare.extender.ledger.Assumption;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.LedgerListener;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.extender.policy.scoring.Fragmentation;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.Placement;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses nodes and cards by the policies: it reads the ledger, follows its changes, and lets it reserve what was
 * chosen. Thread-safe.
 */
public final class Placer {
    /** How long a request waits for scorings of changed cards, of which there are few kinds as a rule. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(50);

    private final Policies policies;
    private final Ledger ledger;
    private final Executor beside;
    private final Consumer<Throwable> failures;
    private final AtomicBoolean cardsChanged = new AtomicBoolean();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final AtomicBoolean failing = new AtomicBoolean();
    private final ClusterNodes nodes = new ClusterNodes();

    /** A placer over that ledger, still empty, whose scorings are made by the requests that need them. */
    public Placer(Ledger ledger, Policies policies) {
        this(ledger, policies, Runnable::run, why -> {
            throw new IllegalStateException("no scoring for the cluster's cards", why);
        });
    }

    /**
     * A placer over that ledger, still empty: it follows its changes.
     *
     * @param beside where scorings of changed cards are made, so that none takes longer from a request than it may
     * @param failures told once why none can be made, until one can; the scorings before are used meanwhile
     */
    public Placer(Ledger ledger, Policies policies, Executor beside, Consumer<Throwable> failures) {
        this.policies = policies;
        this.beside = beside;
        this.failures = failures;
        this.ledger = ledger;
        ledger.follow(new Changes());
    }

    /** The ledger that it chooses from. */
    public Ledger ledger() {
        return ledger;
    }

    private final class Changes implements LedgerListener {
        @Override
        public void nodeChanged(String name, @Nullable NodeEntry now) {
            nodes.put(name, now);
        }

        @Override
        public void cardsChanged() {
            cardsChanged.set(true);
        }

        @Override
        public void podArrived(PodDemand.Valid pod) {
            policies.arrived(pod.request());
        }
    }

    /** The nodes by name. */
    public ClusterNodes nodes() {
        return nodes;
    }

    /**
     * The scoring of that policy, or of the default policy for null, for the cluster as it is now. Where that takes
     * long, it is the one before: what any node writes must not hold up the pods of all.
     */
    public Scoring scoring(@Nullable PolicyKind kind) {
        if (cardsChanged.get() && refreshing.compareAndSet(false, true)) {
            try {
                Machine.here().get(CompletableFuture.runAsync(this::refresh, beside), LONGEST_WAIT);
            } catch (TimeoutException _) {
                // It goes on, for later requests.
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                // No thread could be started.
                refreshing.set(false);
                failed(e);
            }
        }
        return policies.scoring(kind);
    }

    /** Makes the scoring of the cluster as it is now, however long it takes; before the first request. */
    public void prepare() {
        refresh();
        policies.scoring(null);
    }

    private void refresh() {
        try {
            // One after the other, so that the latest cards win.
            synchronized (refreshing) {
                if (cardsChanged.getAndSet(false)) {
                    policies.cluster(ClusterCapacity.of(ledger.nodeEntries().values()));
                    failing.set(false);
                }
            }
        } catch (RuntimeException | Error e) {
            failed(e);
        } finally {
            refreshing.set(false);
        }
    }

    /** The next request tries again. */
    private void failed(Throwable why) {
        cardsChanged.set(true);
        if (!failing.getAndSet(true)) {
            failures.accept(why);
        }
    }

    /** Reserves the cards that the pod's policy chooses on that node, in one atomic step: {@link Ledger#assume}. */
    public Assumption assume(PodRef pod, PodDemand.Valid demand, String node, Instant now) {
        Scoring scoring = scoring(demand.policy());
        return ledger.assume(pod, demand, node, entry -> place(entry, demand, scoring), now);
    }

    /** Promises the cards that the pod's policy chooses on that node until then: {@link Ledger#promise}. */
    public void promise(SchedulingPod pod, PodDemand.Valid demand, String node, Instant until) {
        Scoring scoring = scoring(demand.policy());
        ledger.promise(pod, node, entry -> place(entry, demand, scoring), until);
    }

    /** The cards of the node that cost least by that scoring, or why none fit. */
    public static Placement place(NodeEntry entry, PodDemand.Valid demand, Scoring scoring) {
        // Of several cards to share a policy weighs only one: their links decide. Of several containers with cards of
        // their own it weighs the largest.
        List<CardChoice> left =
                demand.demand().sharedCards() > 1 || demand.demand().parts().size() > 1
                        ? List.of()
                        : CardChoice.of(entry, demand.request());
        while (!left.isEmpty()) {
            CardChoice choice = Objects.requireNonNull(scoring.best(left).choice());
            @Nullable CardState shared = choice.shared();
            // The search still decides among cards that are equal to the policy, by their links.
            Predicate<CardState> one = state -> shared != null && CardChoice.alike(shared, state);
            Placement chosen = entry.cards()
                    .place(
                            demand.demand(),
                            one,
                            demand.demand().instances()
                                    ? one
                                    : state -> choice.whole().stream().anyMatch(card -> CardChoice.alike(card, state)));
            if (chosen instanceof Placement.Placed) {
                return chosen;
            }
            // The pod's selector rejects these cards by more than their model, which is all that a policy knows.
            left = left.stream().filter(other -> !other.equals(choice)).toList();
        }
        // A policy has no choice if the node's CPU or memory looks exhausted. kube-scheduler, which chose the node,
        // decides about these.
        return entry.cards().place(demand.demand());
    }

    /**
     * Lets the adaptive policy review what it decides by, if that is due, for the cards as they are now: before the
     * first request the policies know none, and while no pod comes to filter they may know old ones. Not on the path of
     * a request.
     *
     * @return the policy that decides from now on, if it is another one than before
     */
    public Optional<PolicyKind> reviewPolicy() {
        refresh();
        return policies.review(() -> ledger.nodeEntries().entrySet().stream()
                .map(node -> KnownNode.of(node.getKey(), node.getValue().offeredToAll()))
                .filter(node -> !node.entry().cards().open().cards().isEmpty())
                .toList());
    }

    /** What decides for pods that name that policy, or none for null, in words for users. */
    public String policy(@Nullable PolicyKind kind) {
        return policies.describe(kind);
    }

    /** How the free memory of nodes is weighed against what pods request. */
    public Fragmentation fragmentation() {
        return policies.fragmentation();
    }
}
