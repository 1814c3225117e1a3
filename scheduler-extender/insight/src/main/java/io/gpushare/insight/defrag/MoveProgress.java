package io.gpushare.insight.defrag;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.PodEntry;
import java.util.List;
import java.util.Optional;

/** How far a move is: its controller has as many placed pods as before. */
public final class MoveProgress {
    private MoveProgress() {}

    /** The number of the controller's pods that are placed and do not terminate. */
    public static int placed(ClusterState state, String controller) {
        return (int) state.controlledBy(controller).stream()
                .filter(MoveProgress::placed)
                .count();
    }

    private static boolean placed(PodEntry pod) {
        return pod.node() != null && !pod.priority().terminating();
    }

    /**
     * What the move waits for, in words; empty when it is done.
     *
     * @param uid of the evicted pod
     * @param before how many of the controller's pods were placed before
     */
    public static Optional<String> waitsFor(ClusterState state, String uid, String controller, int before) {
        Optional<PodEntry> evicted = state.pod(uid);
        if (evicted.isPresent()) {
            return Optional.of("pod " + evicted.get().ref() + " ends");
        }
        if (placed(state, controller) >= before) {
            return Optional.empty();
        }
        List<PodEntry> waiting = state.controlledBy(controller).stream()
                .filter(pod -> pod.node() == null)
                .toList();
        return Optional.of(
                waiting.isEmpty()
                        ? "its controller creates a new pod"
                        : "pod " + waiting.getFirst().ref() + " is placed");
    }
}
