package io.gpushare.kubernetes.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetSpec;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetStatus;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DisruptionBudgetTest {
    private static final Map<String, String> LABELS = Map.of("app", "x");

    @Test
    void labelsAndExpressionsMustAllMatch() {
        V1LabelSelector selector = new V1LabelSelector().putMatchLabelsItem("app", "x");
        assertThat(budget(selector).selects(LABELS)).isTrue();
        selector.addMatchExpressionsItem(
                new V1LabelSelectorRequirement().key("app").operator("NotIn").values(List.of("x")));
        assertThat(budget(selector).selects(LABELS)).isFalse();
    }

    @Test
    void anEmptySelectorSelectsAllPodsInPolicyV1AndNoneBefore() {
        assertThat(budget(new V1LabelSelector()).selects(LABELS)).isTrue();
        assertThat(DisruptionBudget.of(written(new V1LabelSelector()), false).selects(LABELS))
                .isFalse();
        assertThat(budget(null).selects(LABELS)).isFalse();
    }

    @Test
    void aBudgetThatCannotBeReadProtects() {
        V1LabelSelector selector = new V1LabelSelector()
                .addMatchExpressionsItem(
                        new V1LabelSelectorRequirement().key("app").operator("Resembles"));
        assertThat(budget(selector).selects(LABELS)).isTrue();
        V1PodDisruptionBudget empty = new V1PodDisruptionBudget();
        assertThat(DisruptionBudget.of(empty, true).allowed()).isZero();
    }

    private static DisruptionBudget budget(@Nullable V1LabelSelector selector) {
        return DisruptionBudget.of(written(selector), true);
    }

    private static V1PodDisruptionBudget written(@Nullable V1LabelSelector selector) {
        return new V1PodDisruptionBudget()
                .metadata(new V1ObjectMeta().name("b"))
                .spec(new V1PodDisruptionBudgetSpec().selector(selector))
                .status(new V1PodDisruptionBudgetStatus().disruptionsAllowed(1));
    }
}
