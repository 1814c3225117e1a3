package io.gpushare.kubernetes.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DisruptionBudgetTest {
    private static final Map<String, String> LABELS = Map.of("app", "x");

    @Test
    void labelsAndExpressionsMustAllMatch() throws JsonProcessingException {
        assertThat(budget("{\"matchLabels\":{\"app\":\"x\"}}").selects(LABELS)).isTrue();
        assertThat(budget("""
            {"matchLabels":{"app":"x"},"matchExpressions":[{"key":"app","operator":"NotIn","values":["x"]}]}\
            """).selects(LABELS)).isFalse();
    }

    @Test
    void anEmptySelectorSelectsAllPodsInPolicyV1AndNoneBefore() throws JsonProcessingException {
        assertThat(budget("{}").selects(LABELS)).isTrue();
        assertThat(DisruptionBudget.of(written("{}"), false).selects(LABELS)).isFalse();
        assertThat(budget("null").selects(LABELS)).isFalse();
    }

    @Test
    void aBudgetThatCannotBeReadProtects() throws JsonProcessingException {
        assertThat(budget("{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Resembles\"}]}")
                        .selects(LABELS))
                .isTrue();
        assertThat(budget("{}").allowed()).isOne();
        assertThat(DisruptionBudget.of(new ObjectMapper().readTree("{}"), true).allowed())
                .isZero();
    }

    private static DisruptionBudget budget(String selector) throws JsonProcessingException {
        return DisruptionBudget.of(written(selector), true);
    }

    private static JsonNode written(String selector) throws JsonProcessingException {
        return new ObjectMapper().readTree("""
            {"metadata":{"name":"b"},"spec":{"selector":%s},"status":{"disruptionsAllowed":1}}
            """.formatted(selector));
    }
}
