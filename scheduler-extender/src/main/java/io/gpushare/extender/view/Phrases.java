package io.gpushare.extender.view;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.model.Demand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Phrases that all texts for users share. */
public final class Phrases {
    private Phrases() {}

    /** For example {@code 8 units of memory on one card}; the size of a unit is the node's and unknown here. */
    public static String of(Demand demand) {
        List<String> parts = new ArrayList<>();
        if (demand.total().units() > 0) {
            String each = count(demand.shareOfEachCard().units(), "unit") + " of memory on ";
            parts.add(each + (demand.split() == 1 ? "one card" : "each of " + demand.split() + " cards"));
        }
        if (demand.total().wholeCards() > 0) {
            parts.add(count(demand.total().wholeCards(), "whole card"));
        }
        String select = demand.selector().any() ? "" : ", selected by " + demand.selector();
        return String.join(" and ", parts) + select;
    }

    /** The reasons with their counts, the most common first. */
    public static List<Map.Entry<Reason, Integer>> mostFirst(Map<Reason, Integer> reasons) {
        return reasons.entrySet().stream()
                .sorted(Map.Entry.<Reason, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(reason -> reason.getKey().label()))
                .toList();
    }

    public static String count(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
