package io.gpushare.simulation;

import io.gpushare.simulation.planning.LowerBound;
import io.gpushare.simulation.planning.MoreNodes.Plan;
import io.gpushare.simulation.planning.PodOrder;
import io.gpushare.simulation.trace.PodClass;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How many nodes are enough, for users.
 *
 * @param model of their cards
 * @param before how many the list has
 * @param best the plan with the fewest nodes
 * @param policy the one that the user named, or the default
 * @param byPolicy what it needs if the pods arrive in the order of the list; empty if no number is enough
 * @param least the number that is proven to be necessary
 * @param cardUnits memory units of the average card
 */
record NodePlan(
        String model,
        int before,
        Plan best,
        String policy,
        Optional<Plan> byPolicy,
        LowerBound least,
        double cardUnits) {
    /** The plan in sentences, one a line. */
    String text() {
        String refused = best.refused().stream()
                .collect(Collectors.groupingBy(pod -> PodClass.of(pod, cardUnits), TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
        StringBuilder text = new StringBuilder(best.nodes() + " nodes with " + model + " are enough with "
                + best.policy() + ", " + best.order() + "; the list has " + before + ". Refused: "
                + (refused.isEmpty() ? "none" : refused));
        if (least.nodes() > 0) {
            text.append(String.format(
                    "%n%s: on %d, %s lack %s.",
                    least.nodes() == best.nodes()
                            ? "Fewer are not enough"
                            : "At least " + least.nodes() + " are needed",
                    least.nodes() - 1,
                    least.who(),
                    least.by()));
        }
        if (byPolicy.isEmpty() || byPolicy.get().nodes() > best.nodes()) {
            text.append(String.format(
                    "%nWith %s, %s: %s.",
                    policy,
                    PodOrder.LISTED,
                    byPolicy.map(plan -> plan.nodes() + " nodes")
                            .orElse("no number is enough, as pods that fit only the other nodes are refused")));
        }
        return text.toString();
    }

    /** The plan as JSON. */
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"nodes\":%d,\"before\":%d,\"policy\":\"%s\",\"order\":\"%s\",\"refused\":%d,\"atLeast\":%d,"
                        + "\"asked\":{\"policy\":\"%s\",\"nodes\":%s}}",
                best.nodes(),
                before,
                best.policy(),
                best.order().key(),
                best.refused().size(),
                least.nodes(),
                policy,
                byPolicy.map(plan -> String.valueOf(plan.nodes())).orElse("null"));
    }
}
