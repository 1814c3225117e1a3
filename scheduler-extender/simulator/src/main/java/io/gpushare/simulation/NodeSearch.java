package io.gpushare.simulation;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.simulation.planning.LowerBound;
import io.gpushare.simulation.planning.MoreNodes;
import io.gpushare.simulation.planning.MoreNodes.Plan;
import io.gpushare.simulation.trace.BadInputException;
import io.gpushare.simulation.trace.NodeTrace;
import io.gpushare.simulation.trace.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How many nodes with cards of one model a cluster needs for a list of pods: with one policy if they arrive in the
 * order of the list, and at best.
 *
 * @param model of the cards of the nodes in question; the others stay
 * @param mostRefused the number of pods that may be refused
 */
record NodeSearch(String model, int mostRefused) {
    private static final Pattern FIND = Pattern.compile("nodes\\.model=(.+)");
    private static final int MOST_NAMED = 5;
    private static final Pattern FOR = Pattern.compile("refused<?=([0-9]{1,6})");

    /** Reads {@code nodes.model=H100} and {@code refused=0}. */
    static NodeSearch parse(String find, String goal) throws BadInputException {
        Matcher what = FIND.matcher(find);
        if (!what.matches()) {
            throw new BadInputException(
                    "--find " + find + ": write nodes.model= and a model, such as nodes.model=H100");
        }
        Matcher most = FOR.matcher(goal);
        if (!most.matches()) {
            throw new BadInputException("--for " + goal + ": write refused=0, or refused<=5");
        }
        return new NodeSearch(what.group(1), Integer.parseInt(most.group(1)));
    }

    /** Searches with that policy, and then for a plan with fewer nodes. */
    NodePlan run(Workload input, Contestant policy) throws BadInputException {
        NodeTrace cluster = input.nodes();
        List<PodRequest> pods = input.pods();
        MoreNodes search = new MoreNodes(cluster.without(model), cluster.like(model), pods, mostRefused);
        List<PodRequest> unplaceable = search.unplaceable();
        if (unplaceable.size() > mostRefused) {
            throw new BadInputException(unplaceable(unplaceable, cluster));
        }
        LowerBound least = search.lowerBound();
        if (least.impossible()) {
            throw new BadInputException("no number of nodes with " + model + " is enough: " + least.who()
                    + " that fit only the other nodes lack " + least.by() + " there");
        }
        Optional<Plan> byPolicy = search.listed(policy.name(), nodes -> refused(nodes, pods, policy));
        Plan best = search.best(byPolicy.map(Plan::nodes).orElse(search.most() + 1))
                .or(() -> byPolicy)
                .orElseThrow(() -> new BadInputException("even " + search.most() + " nodes with " + model
                        + " refuse more than " + mostRefused + " pods with every policy: the other nodes may lack"
                        + " space for the pods that fit only there"));
        double cardUnits = KnownNode.capacity(cluster.nodes(0)).cardUnits();
        return new NodePlan(model, cluster.count(model), best, policy.name(), byPolicy, least, cardUnits);
    }

    private static List<PodRequest> refused(List<KnownNode> nodes, List<PodRequest> pods, Contestant policy) {
        Placer placer = policy.placer(nodes, KnownNode.capacity(nodes), 0, pods);
        return pods.stream().filter(pod -> placer.place(pod).isEmpty()).toList();
    }

    /** The models that pods name and no node has. */
    static Set<String> unknownModels(Workload input) {
        Set<String> unknown = new TreeSet<>();
        input.pods().forEach(pod -> unknown.addAll(pod.models()));
        unknown.removeAll(input.nodes().models());
        return unknown;
    }

    /** Names the pods that fit no node, by what they request. */
    private String unplaceable(List<PodRequest> pods, NodeTrace cluster) {
        Map<PodRequest, Long> equal =
                pods.stream().collect(Collectors.groupingBy(pod -> pod, LinkedHashMap::new, Collectors.counting()));
        return pods.size() + " pods fit no node with " + model + " and no other node, even an empty one: "
                + equal.entrySet().stream()
                        .limit(MOST_NAMED)
                        .map(each -> each.getValue() + " with " + describe(each.getKey()))
                        .collect(Collectors.joining("; "))
                + (equal.size() > MOST_NAMED ? "; and others" : "") + ". The nodes have cards of "
                + String.join(", ", cluster.models());
    }

    private static String describe(PodRequest pod) {
        return "cpu_milli " + pod.cpuMilli() + ", memory_mib " + pod.memoryMib() + ", units " + pod.units() + ", cards "
                + pod.cards()
                + (pod.models().isEmpty() ? "" : ", models " + String.join("|", new TreeSet<>(pod.models())));
    }
}
