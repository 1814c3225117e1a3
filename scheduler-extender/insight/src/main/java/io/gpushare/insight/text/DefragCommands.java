package io.gpushare.insight.text;

import io.gpushare.insight.view.DefragPlans.Freed;
import io.gpushare.insight.view.DefragPlans.Moved;
import io.gpushare.insight.view.DefragPlans.OnePlan;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The commands that make a plan real: the cards are reserved by the annotation of their node, as kubectl drain cordons
 * a node first, and the pods are evicted one by one.
 */
final class DefragCommands {
    // Another value each time a command is run: the extender ends a reservation that does not change for two minutes.
    private static final String RUN = "=run=by-hand;renewed=$(date +%s);";

    private final StringBuilder lines = new StringBuilder();

    private DefragCommands() {}

    static String of(OnePlan plan) {
        DefragCommands commands = new DefragCommands();
        Map<String, Set<String>> cards = new TreeMap<>();
        for (Freed freed : plan.freed()) {
            Set<String> ofNode = cards.computeIfAbsent(freed.node(), _ -> new TreeSet<>());
            boolean another = ofNode.isEmpty();
            freed.cards().forEach(card -> ofNode.add(card.uuid()));
            for (Moved move : freed.moves()) {
                commands.hold(freed.node(), another, "cards=" + String.join(",", ofNode));
                commands.evict(move);
                another = false;
            }
        }
        PodRef waiting = plan.waiting();
        if (waiting != null) {
            cards.keySet().forEach(node -> commands.hold(node, false, "pod=" + waiting.uid()));
            commands.lines.append("# wait until pod ").append(waiting).append(" is placed\n");
        }
        // All are held to the end: the successor of a pod that is moved later must not get a card that is free already.
        cards.keySet().forEach(commands::release);
        return commands.lines.toString();
    }

    private void evict(Moved move) {
        PodRef pod = move.pod();
        lines.append("echo '{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"namespace\":\"")
                .append(pod.namespace())
                .append("\",\"name\":\"")
                .append(pod.name())
                .append("\"},\"deleteOptions\":{\"preconditions\":{\"uid\":\"")
                .append(pod.uid())
                .append("\"}}}' | kubectl create -f - --raw /api/v1/namespaces/")
                .append(pod.namespace())
                .append("/pods/")
                .append(pod.name())
                .append("/eviction\n# wait until the new pod of its ")
                .append(move.controller())
                .append(" is placed: kubectl get pods -n ")
                .append(pod.namespace())
                .append(" -o wide\n");
    }

    /** @param first whether the node has no reservation yet: that of somebody else is not replaced */
    private void hold(String node, boolean first, String what) {
        lines.append("kubectl annotate node ")
                .append(node)
                .append(first ? " \"" : " --overwrite \"")
                .append(AnnotationKeys.RESERVATION)
                .append(RUN)
                .append(what)
                .append("\"\n");
    }

    private void release(String node) {
        lines.append("kubectl annotate node ")
                .append(node)
                .append(" ")
                .append(AnnotationKeys.RESERVATION)
                .append("-\n");
    }
}
