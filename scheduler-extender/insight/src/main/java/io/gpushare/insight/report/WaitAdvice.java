package io.gpushare.insight.report;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What to tell pods that have waited for a while: why no node takes them, and what helps, in the words of the
 * explanation. A pod gets its advice once, and again when what helps has changed, at most every ten minutes. Not
 * thread-safe.
 */
public final class WaitAdvice {
    private static final Duration BEFORE_ADVICE = Duration.ofSeconds(20);
    private static final Duration REMINDER = Duration.ofMinutes(10);
    private static final int GROUPS = 2;
    private static final int MOST_PODS = 500;
    private static final int DEMANDS_PER_ROUND = 16;
    private static final int NOTES_PER_ROUND = 20;

    private final Supplier<ClusterState> states;
    private final InstantSource clock;
    private final Map<String, Known> known = new HashMap<>(); // by uid

    /**
     * A waiting pod.
     *
     * @param advice the last that the pod got; empty for none
     * @param at when, or since when it waits
     */
    private record Known(List<String> advice, Instant at) {
        boolean due(Instant now) {
            return !now.isBefore(at.plus(advice.isEmpty() ? BEFORE_ADVICE : REMINDER));
        }
    }

    /** What to tell a pod, in sentences. */
    public record Note(PodRef pod, String text) {}

    /** @param clock the time of day, by which pods that are being deleted are overdue */
    public WaitAdvice(Supplier<ClusterState> states, InstantSource clock) {
        this.states = states;
        this.clock = clock;
    }

    /** The pods to tell now. */
    public List<Note> due(Instant now) {
        ClusterState state = states.get();
        List<WaitingPod> pods = state.waitingPods();
        pods = pods.subList(0, Math.min(MOST_PODS, pods.size()));
        known.keySet().retainAll(pods.stream().map(pod -> pod.ref().uid()).collect(Collectors.toSet()));
        Map<List<Object>, Explanation.Judged> judged = new HashMap<>();
        List<Note> notes = new ArrayList<>();
        for (WaitingPod pod : pods) {
            Known last = known.computeIfAbsent(pod.ref().uid(), any -> new Known(List.of(), now));
            if (pod.demand() instanceof PodDemand.Valid valid && last.due(now) && notes.size() < NOTES_PER_ROUND) {
                Optional<PodEntry> entry = state.pod(pod.ref().uid());
                @Nullable
                PodController controller = entry.map(PodEntry::controller).orElse(null);
                @Nullable String group = entry.map(PodEntry::group).orElse(null);
                // Pods of one Deployment or group share their advice, which names its other pods.
                List<Object> same = List.of(
                        valid.onNode(),
                        controller == null || controller.deployment().isEmpty() ? "" : controller.uid(),
                        group == null ? "" : pod.ref().namespace() + "/" + group);
                if (!judged.containsKey(same) && judged.size() == DEMANDS_PER_ROUND) {
                    continue;
                }
                Explanation.Judged result = judged.computeIfAbsent(
                        same,
                        any -> Explainer.refusals(
                                state, new Subject(pod.ref(), controller, group, valid, clock.instant())));
                List<String> advice = result.advice();
                known.put(pod.ref().uid(), new Known(advice, now));
                if (!advice.isEmpty() && !advice.equals(last.advice())) {
                    notes.add(new Note(pod.ref(), text(result, advice)));
                }
            }
        }
        return notes;
    }

    private static String text(Explanation.Judged judged, List<String> advice) {
        int feasible = judged.feasible();
        if (feasible > 0) {
            return "By its cards this pod alone fits on " + feasible + (feasible == 1 ? " node. " : " nodes. ")
                    + String.join(" ", advice);
        }
        String groups = judged.refused().stream()
                .limit(GROUPS)
                .map(group -> group.nodes()
                        + (group.nodes() == 1 ? " node" : " nodes")
                        + (group.model().isEmpty()
                                ? ": " + group.reason().sentence()
                                : " with " + group.model() + ": " + group.detail()))
                .collect(Collectors.joining("; "));
        int others = judged.refused().stream()
                .skip(GROUPS)
                .mapToInt(RefusedNodes::nodes)
                .sum();
        String more = others == 0 ? "" : "; and " + others + " more";
        return "No node can take this pod now. " + groups + more + ". " + String.join(" ", advice);
    }
}
