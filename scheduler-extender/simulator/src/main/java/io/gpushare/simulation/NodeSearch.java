package io.gpushare.simulation;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.SmallestCount;
import io.gpushare.simulation.trace.BadInputException;
import io.gpushare.simulation.trace.GpuWork;
import io.gpushare.simulation.trace.NodeTrace;
import io.gpushare.simulation.trace.PodClass;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How many nodes with cards of one model a cluster needs for a list of pods, each of which arrives once, in order.
 *
 * @param model of the cards of the nodes in question; the others stay
 * @param mostRefused the number of pods that may be refused
 */
public record NodeSearch(String model, int mostRefused) {
    private static final int MAX_NODES = 8192;
    private static final Pattern FIND = Pattern.compile("nodes\\.model=(.+)");
    private static final Pattern FOR = Pattern.compile("refused<?=([0-9]{1,6})");

    /**
     * The smallest number found by doubling and halving.
     *
     * @param before how many the list has
     * @param refused the refused pods of that cluster by class
     */
    public record Found(int nodes, int before, Map<PodClass, Integer> refused) {
        public Found {
            refused = Map.copyOf(refused);
        }
    }

    /** Reads {@code nodes.model=H100} and {@code refused=0}. */
    public static NodeSearch parse(String find, String goal) throws BadInputException {
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

    /** Searches with that policy. */
    public Found run(NodeTrace cluster, List<PodRequest> pods, Contestant policy) throws BadInputException {
        Map<Integer, Map<PodClass, Integer>> refused = new HashMap<>();
        int[] last = {0};
        OptionalInt found = SmallestCount.<BadInputException>find(MAX_NODES, count -> {
            Map<PodClass, Integer> there = refused(cluster, count, pods, policy);
            refused.put(count, there);
            last[0] = sum(there);
            return last[0] <= mostRefused;
        });
        int nodes = found.orElseThrow(() -> new BadInputException("even " + MAX_NODES + " nodes with " + model
                + " refuse " + last[0] + " pods: some may fit no such node"));
        return new Found(nodes, cluster.count(model), Objects.requireNonNull(refused.get(nodes)));
    }

    private static int sum(Map<PodClass, Integer> refused) {
        return refused.values().stream().mapToInt(Integer::intValue).sum();
    }

    private Map<PodClass, Integer> refused(NodeTrace cluster, int count, List<PodRequest> pods, Contestant policy)
            throws BadInputException {
        List<FreeNode> nodes = cluster.withNodes(model, count).nodes(0);
        ClusterCapacity capacity = ClusterCapacity.of(nodes);
        if (capacity.units() == 0) {
            return Map.of(PodClass.WHOLE_CARDS, pods.size());
        }
        return new Replay(GpuWork.of(capacity), () -> 0)
                .run(pods, policy.placer(nodes, capacity, 0, pods))
                .refusedByClass();
    }

    /** The answer in a sentence. */
    public String describe(Found found, String policy) {
        String refused = found.refused().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "%d nodes with %s are enough with %s; the list has %d. Refused: %s",
                found.nodes(),
                model,
                policy,
                found.before(),
                refused.isEmpty() ? "none" : refused);
    }

    /** The answer as JSON. */
    public String json(Found found, String policy) {
        return String.format(
                Locale.ROOT,
                "{\"nodes\":%d,\"before\":%d,\"policy\":\"%s\",\"refused\":%d}",
                found.nodes(),
                found.before(),
                policy,
                sum(found.refused()));
    }
}
