package io.gpushare.e2e.load.budget;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The budgets that apply to one run, and those that it missed. */
public final class Budgets {
    private final Map<Budget, Double> limits = new EnumMap<>(Budget.class);
    private final List<String> missed = new ArrayList<>();

    /** @param limits limits that replace those of the budgets, and apply to clusters of any size */
    public Budgets(Map<Budget, Double> limits) {
        this.limits.putAll(limits);
    }

    /** Compares a measured value with its budget and prints the result. */
    public void check(Budget budget, int nodes, double measured) {
        if (nodes != budget.nodes() && !limits.containsKey(budget)) {
            System.out.printf(
                    Locale.ROOT,
                    "  no budget at %,d nodes, but at %,d: %s (%s here)%n",
                    nodes,
                    budget.nodes(),
                    budget.figure(),
                    budget.measured(measured));
            return;
        }
        double limit = limits.getOrDefault(budget, budget.limit());
        budget.missed(measured, limit)
                .ifPresentOrElse(
                        sentence -> {
                            missed.add(sentence);
                            System.out.printf(Locale.ROOT, "  BUDGET MISSED: %s%n", sentence);
                        },
                        () -> System.out.printf(
                                Locale.ROOT,
                                "  budget kept: %s: %s, %s%n",
                                budget.figure(),
                                budget.measured(measured),
                                budget.allowed(limit)));
    }

    /** A sentence for each check that missed its budget. */
    public List<String> missed() {
        return List.copyOf(missed);
    }
}
