package io.gpushare.histories;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ShortestTest {
    private final Plan plan = Plan.of(3, Plan.Size.USUAL);
    private int tries;

    private static Set<Integer> numbers(Plan plan) {
        return plan.events().stream().map(Plan.Event::number).collect(Collectors.toSet());
    }

    private boolean violated(Plan tried, Set<Integer> needed) {
        tries++;
        return numbers(tried).containsAll(needed);
    }

    @Test
    void onlyTheEventsThatMatterAreLeft() {
        Set<Integer> needed = Set.of(2, 11, 30);
        Plan shortest = new Shortest(tried -> violated(tried, needed), 500).of(plan);
        assertThat(numbers(shortest)).isEqualTo(needed);
        assertThat(shortest.seed()).isEqualTo(plan.seed());
        assertThat(shortest.events())
                .isSortedAccordingTo((one, other) -> one.at().compareTo(other.at()));
    }

    @Test
    void itEndsAfterSoManyTries() {
        Plan shortest = new Shortest(tried -> violated(tried, Set.of(2, 11, 30)), 5).of(plan);
        assertThat(tries).isEqualTo(5);
        assertThat(numbers(shortest)).containsAll(List.of(2, 11, 30));
    }

    @Test
    void thePlanOfASeedIsAlwaysTheSame() {
        assertThat(Plan.of(3, Plan.Size.USUAL).events().toString())
                .isEqualTo(plan.events().toString())
                .isNotEqualTo(Plan.of(4, Plan.Size.USUAL).events().toString());
    }
}
