package io.gpushare.extender.ledger;

import io.gpushare.model.Allocation;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.ReservationCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is kept on a node for a pod that is not bound yet: the amounts of its demand, on certain cards or on any,
 * against pods of the same or a lower priority; or certain cards against all pods.
 *
 * @param pod the uid of the pod; empty for certain cards
 * @param run who moves pods, for those by a node's annotation; else empty
 * @param cards the reserved cards; empty for the amounts of the pod's demand
 * @param allocation the amounts on their cards; null for any cards where they fit
 * @param leaving the uids of the pods that leave the cards for it
 * @param mark changes when whoever made it renews it
 * @param until when it ends, by the extender's steady clock; null while nobody has set a limit
 */
public record Reservation(
        Source source,
        String pod,
        String run,
        String node,
        Set<CardId> cards,
        @Nullable Allocation allocation,
        Set<String> leaving,
        String mark,
        @Nullable Instant until) {
    /** Who made it, the strongest first: of several for one pod the first counts. */
    public enum Source {
        /** This extender evicts pods for the pod. It ends when the pod is bound or gone, or when its time is over. */
        EVICTION(null),
        /** The pod's status says that an extender evicted pods for it. Its leader, or the next one, takes it back. */
        STATUS(Duration.ofMinutes(2)),
        /**
         * Filter named only this node, and kube-scheduler prepares the bind. It ends with the bind, the next filter,
         * the end of the pod or a failed attempt that its status shows.
         */
        FILTER(null),
        /** kube-scheduler nominated the pod to the node, and takes that back. */
        NOMINATION(null),
        /**
         * The node's annotation says so: pods are being moved.
         */
        DEFRAGMENTATION(Duration.ofMinutes(2));

        private final @Nullable Duration limit;

        Source(@Nullable Duration limit) {
            this.limit = limit;
        }

        /** Whether pods were evicted for the pod, by this extender or one that led before. */
        public boolean evicted() {
            return this == EVICTION || this == STATUS;
        }
    }

    public Reservation {
        cards = Set.copyOf(cards);
        leaving = Set.copyOf(leaving);
    }

    /** A reservation of what the pod requests, as the API shows it. */
    static Reservation shown(Source source, String pod, String node) {
        return new Reservation(source, pod, "", node, Set.of(), null, Set.of(), "", null);
    }

    /** What the node's annotation says; null if it has none. */
    static @Nullable Reservation annotated(String node, ReservationCodec annotation) {
        return annotation.written().isEmpty()
                ? null
                : new Reservation(
                        Source.DEFRAGMENTATION,
                        annotation.pod(),
                        annotation.run(),
                        node,
                        annotation.cards(),
                        null,
                        Set.of(),
                        annotation.written(),
                        null);
    }

    /** This extender evicts these pods for the pod until then. */
    public static Reservation eviction(String pod, String node, Set<String> leaving, Instant until) {
        return new Reservation(Source.EVICTION, pod, "", node, Set.of(), null, leaving, "", until);
    }

    /** Filter named the node for the pod, which is to be bound to these cards by then. */
    static Reservation filter(String pod, String node, Allocation allocation, Instant until) {
        return new Reservation(Source.FILTER, pod, "", node, Set.of(), allocation, Set.of(), "", until);
    }

    /** Whether it is what the other one was when it was made. */
    boolean sameAs(Reservation other) {
        return source == other.source && pod.equals(other.pod) && node.equals(other.node) && mark.equals(other.mark);
    }

    /** Whether its time is over. */
    boolean over(Instant now) {
        return until != null && !now.isBefore(until);
    }

    /** The same with its limit from now on, if its source has one and it has none yet. */
    Reservation limited(Instant now) {
        return until == null && source.limit != null
                ? new Reservation(source, pod, run, node, cards, allocation, leaving, mark, now.plus(source.limit))
                : this;
    }

    /** The same, which reserves nothing any more; it is kept until its mark changes. */
    Reservation ended() {
        return new Reservation(source, "", run, node, Set.of(), null, Set.of(), mark, Instant.MAX);
    }

    /** Whether it has {@link #ended}. */
    boolean empty() {
        return pod.isEmpty() && cards.isEmpty();
    }
}
