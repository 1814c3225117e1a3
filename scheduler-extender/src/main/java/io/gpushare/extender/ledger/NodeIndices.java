package io.gpushare.extender.ledger;

import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.policy.NodeCosts;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The nodes that somebody asks about, in that order: as many numbers of the ledger's columns. */
public final class NodeIndices {
    private final NodeColumns columns;
    private final int[] numbers;
    private final int size;

    /**
     * The first of these.
     *
     * @param numbers of those columns; below 0 for nodes that they don't have
     * @param size how many
     */
    public NodeIndices(NodeColumns columns, int[] numbers, int size) {
        this.columns = columns;
        this.numbers = numbers;
        this.size = size;
    }

    /** These nodes of those columns. */
    public NodeIndices(NodeColumns columns, int... numbers) {
        this(columns, numbers, numbers.length);
    }

    /** The nodes of these names. */
    public static NodeIndices of(NodeColumns columns, List<String> names) {
        return new NodeIndices(columns, columns.numbers(names));
    }

    /** How many they are. */
    public int size() {
        return size;
    }

    /** The number of the one at that place; below 0 for a node that the columns don't have. */
    public int number(int place) {
        return numbers[place];
    }

    /** What the numbers are of. */
    public NodeColumns columns() {
        return columns;
    }

    /** What pods cost on them. */
    public NodeCosts costs(Scoring scoring, PodRequest pod) {
        return columns.costs().of(numbers, size, scoring, pod);
    }

    /** Which of them can't take that. */
    public FilterResult filter(DemandSummary ask) {
        return columns.filter(this, ask);
    }

    /** The place of the node of all where the pod costs least; -1 if it fits none, or one that is not among these. */
    public int cheapestOfAll(Scoring scoring, PodRequest pod) {
        int cheapest = columns.costs().cheapest(scoring, pod);
        if (cheapest >= 0) {
            for (int place = 0; place < size; place++) {
                if (numbers[place] == cheapest) {
                    return place;
                }
            }
        }
        return -1;
    }

    /** Where that node is among them: once for each time that it was named. */
    public int[] places(String name) {
        int number = columns.number(name);
        return IntStream.range(0, size)
                .filter(place -> number >= 0 && numbers[place] == number)
                .toArray();
    }

    /** Those at these places. */
    public NodeIndices at(int[] places) {
        return new NodeIndices(
                columns, Arrays.stream(places).map(place -> numbers[place]).toArray());
    }
}
