package io.gpushare.e2e.load.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BudgetTest {
    private static final Path BENCHMARKS =
            Path.of(System.getProperty("gpushare.root")).resolve("BENCHMARKS.md");
    private static final double LITTLE = 0.001;

    private final Budgets budgets = new Budgets(Map.of());

    @ParameterizedTest
    @EnumSource
    void aValueAtTheBudgetIsAccepted(Budget budget) {
        budgets.check(budget, budget.nodes(), budget.limit());
        assertThat(budgets.missed()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aValueThatMissesTheBudgetIsRefused(Budget budget) {
        double worse = budget == Budget.RATE ? budget.limit() - LITTLE : budget.limit() + LITTLE;
        double better = budget == Budget.RATE ? budget.limit() + LITTLE : budget.limit() - LITTLE;
        budgets.check(budget, budget.nodes(), better);
        assertThat(budgets.missed()).isEmpty();
        budgets.check(budget, budget.nodes(), worse);
        assertThat(budgets.missed()).singleElement().asString().startsWith(budget.figure() + ": ");
    }

    @ParameterizedTest
    @EnumSource
    void aRatioThatIsNoNumberIsRefused(Budget budget) {
        budgets.check(budget, budget.nodes(), Double.NaN);
        assertThat(budgets.missed()).hasSize(1);
    }

    @Test
    void theSentenceSaysByHowMuch() {
        budgets.check(Budget.RATE, 1_000, 0.48);
        budgets.check(Budget.MEMORY, 5_000, 1_287);
        assertThat(budgets.missed())
                .containsExactly(
                        Budget.RATE.figure() + ": 0.48 misses the budget of at least 0.6 by 20 %",
                        Budget.MEMORY.figure() + ": 1,287 MiB misses the budget of at most 1,170 MiB by 10 %");
    }

    @Test
    void aBudgetAppliesOnlyToItsNumberOfNodes() {
        budgets.check(Budget.MEMORY, 100, 5_000);
        assertThat(budgets.missed()).isEmpty();
    }

    @Test
    void anotherLimitAppliesToAnyNumberOfNodes() {
        Budgets changed = new Budgets(Map.of(Budget.RATE, 2.0));
        changed.check(Budget.RATE, 1_000, 2);
        changed.check(Budget.RATE, 10, 2);
        assertThat(changed.missed()).isEmpty();
        changed.check(Budget.RATE, 1_000, 1.99);
        changed.check(Budget.RATE, 10, 1.99);
        assertThat(changed.missed()).hasSize(2);
    }

    @Test
    void everyRowOfTheTableIsABudgetWithItsLimit() throws IOException {
        assertThat(Files.readAllLines(BENCHMARKS).stream()
                        .dropWhile(line -> !line.startsWith("| budget | limit |"))
                        .skip(2)
                        .takeWhile(line -> line.startsWith("|"))
                        .map(line -> line.split(" *\\| *", -1))
                        .map(cells -> cells[1] + ": " + cells[2]))
                .containsExactlyElementsOf(Stream.of(Budget.values())
                        .map(budget -> budget.figure() + ": " + budget.allowed(budget.limit()))
                        .toList());
    }
}
