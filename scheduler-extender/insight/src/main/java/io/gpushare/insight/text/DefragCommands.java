package io.gpushare.insight.text;

import io.gpushare.insight.view.DefragPlans.Freed;
import io.gpushare.insight.view.DefragPlans.Moved;
import io.gpushare.insight.view.DefragPlans.OnePlan;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.AnnotationKeys;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The commands that make a plan real: the cards are reserved by the annotation of their node, as kubectl drain cordons
 * a node first, and the pods are evicted one by one.
 */
final class DefragCommands {
    private static final String RUN = "run=by-hand;renewed=";

    private final StringBuilder lines = new StringBuilder();

    private DefragCommands() {}

    static String of(OnePlan plan) {
        DefragCommands commands = new DefragCommands();
        plan.freed().forEach(freed -> commands.free(freed, plan.waiting()));
        return commands.lines.toString();
    }

    private void free(Freed freed, @Nullable PodRef waiting) {
        String cards = freed.cards().stream().map(CardId::uuid).sorted().collect(Collectors.joining(","));
        int renewed = 1;
        for (Moved move : freed.moves()) {
            // Renewed for each pod, because it ends after two minutes.
            hold(freed.node(), renewed++, "cards=" + cards);
            lines.append("echo '{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"namespace\":\"")
                    .append(move.pod().namespace())
                    .append("\",\"name\":\"")
                    .append(move.pod().name())
                    .append("\"},\"deleteOptions\":{\"preconditions\":{\"uid\":\"")
                    .append(move.pod().uid())
                    .append("\"}}}' | kubectl create -f - --raw /api/v1/namespaces/")
                    .append(move.pod().namespace())
                    .append("/pods/")
                    .append(move.pod().name())
                    .append("/eviction\n# wait until the new pod of its ")
                    .append(move.controller())
                    .append(" is placed: kubectl get pods -n ")
                    .append(move.pod().namespace())
                    .append(" -o wide\n");
        }
        if (waiting != null) {
            hold(freed.node(), renewed, "pod=" + waiting.uid());
            lines.append("# wait until pod ").append(waiting).append(" is placed\n");
        }
        lines.append("kubectl annotate node ")
                .append(freed.node())
                .append(" ")
                .append(AnnotationKeys.RESERVATION)
                .append("-\n");
    }

    private void hold(String node, int renewed, String what) {
        lines.append("kubectl annotate node ")
                .append(node)
                .append(" --overwrite '")
                .append(AnnotationKeys.RESERVATION)
                .append("=")
                .append(RUN)
                .append(renewed)
                .append(";")
                .append(what)
                .append("'\n");
    }
}
