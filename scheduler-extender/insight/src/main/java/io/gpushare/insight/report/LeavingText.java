package io.gpushare.insight.report;

import io.gpushare.model.node.NodeFacts;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** When pods end that are being deleted, in words, and who has not ended those that are overdue. */
final class LeavingText {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("yyyy-MM-dd", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final Duration A_DAY = Duration.ofDays(1);
    // The kubelet kills the containers at the deadline, and removes the pod seconds later.
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private LeavingText() {}

    static String time(Instant at, Instant now) {
        return (Duration.between(at, now).abs().compareTo(A_DAY) < 0 ? "" : DAY.format(at) + " ") + TIME.format(at);
    }

    /** Whether it should have gone by now. */
    static boolean overdue(@Nullable Instant by, Instant now) {
        return by != null && !by.plus(PATIENCE).isAfter(now);
    }

    /**
     * A sentence about a pod that is being deleted.
     *
     * @param by null if that is unknown
     * @param node where it runs; null for nowhere
     * @param facts those of the node; null if they are unknown
     */
    static String ofPod(@Nullable Instant by, Instant now, @Nullable String node, @Nullable NodeFacts facts) {
        if (by == null) {
            return "It is being deleted.";
        }
        if (!overdue(by, now)) {
            return "It is being deleted, by " + time(by, now) + " at the latest.";
        }
        return "It is being deleted, and overdue since " + time(by, now) + ": "
                + (node == null ? "see the finalizers in its metadata." : culprit(node, facts) + " has not ended it.");
    }

    /** Whose work it is to end the pods of that node. */
    static String culprit(String node, @Nullable NodeFacts facts) {
        return "the kubelet of node " + node + (facts == null || facts.ready() ? "" : ", which is not ready,");
    }
}
