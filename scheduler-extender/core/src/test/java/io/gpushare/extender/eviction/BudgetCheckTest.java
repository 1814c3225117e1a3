package io.gpushare.extender.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.eviction.DisruptionBudget;
import io.gpushare.kubernetes.eviction.PodDetails;
import io.gpushare.model.PodRef;
import io.gpushare.model.node.LabelRequirement;
import io.gpushare.model.node.NodeRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BudgetCheckTest {
    @Test
    void eachEvictionTakesOneFromItsBudget() {
        List<PodDetails> pods = List.of(pod("a", "x"), pod("b", "x"), pod("c", "y"));
        assertThat(BudgetCheck.forbidden(pods, Map.of("ns", List.of(budget("x", 1), budget("y", 1)))))
                .containsExactly("uid-b");
        assertThat(BudgetCheck.forbidden(pods, Map.of("ns", List.of(budget("x", 2), budget("y", 0)))))
                .containsExactly("uid-c");
    }

    @Test
    void aPodWithTwoBudgetsCannotBeEvicted() {
        assertThat(BudgetCheck.forbidden(List.of(pod("a", "x")), Map.of("ns", List.of(budget("x", 5), budget("x", 6)))))
                .containsExactly("uid-a");
    }

    @Test
    void thePodsOfANamespaceWhoseBudgetsAreUnknownAreSpared() {
        assertThat(BudgetCheck.forbidden(List.of(pod("a", "x")), Map.of())).containsExactly("uid-a");
        assertThat(BudgetCheck.forbidden(List.of(pod("a", "x")), Map.of("ns", List.of())))
                .isEmpty();
    }

    private static DisruptionBudget budget(String app, int allowed) {
        return new DisruptionBudget("budget", List.of(new LabelRequirement("app", "In", Set.of(app))), allowed);
    }

    private static PodDetails pod(String name, String app) {
        return new PodDetails(
                new PodRef("uid-" + name, "ns", name),
                "n1",
                false,
                false,
                0,
                Map.of("app", app),
                Map.of(),
                List.of(),
                new PodDetails.Preemption(true, false, Duration.ofSeconds(30)),
                new PodDetails.Requirements(new NodeRules(Map.of(), null, List.of()), null));
    }
}
