package io.gpushare.extender.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FilterAttemptsTest {
    private final FilterAttempts attempts = new FilterAttempts();

    @Test
    void aNodeIsPassedOverAfterThreeAttemptsAndEachOneAfterIt() {
        attempts.named("p", "n1");
        attempts.named("p", "n1");
        assertThat(attempts.passedOver("p")).isEmpty();
        attempts.named("p", "n1");
        assertThat(attempts.passedOver("p")).containsExactly("n1");
        attempts.named("p", "n2");
        assertThat(attempts.passedOver("p")).containsExactlyInAnyOrder("n1", "n2");
        assertThat(attempts.passedOver("q")).isEmpty();
    }

    @Test
    void aBindOrTheEndOfThePodForgetsItsAttempts() {
        exhaust("p");
        attempts.forget("p");
        assertThat(attempts.passedOver("p")).isEmpty();
    }

    @Test
    void aPodThatWasNamedEveryNodeStartsAnew() {
        exhaust("p");
        attempts.named("p", "n2");
        attempts.named("p", "n1");
        assertThat(attempts.passedOver("p")).isEmpty();
    }

    @Test
    void theMemoryIsBounded() {
        exhaust("first");
        for (int pod = 0; pod < FilterAttempts.MOST_PODS; pod++) {
            attempts.named("p" + pod, "n1");
        }
        assertThat(attempts.passedOver("first")).isEmpty();
        exhaust("p");
        for (int node = 2; node <= FilterAttempts.MOST_NODES; node++) {
            attempts.named("p", "n" + node);
        }
        assertThat(attempts.passedOver("p")).hasSize(FilterAttempts.MOST_NODES);
        attempts.named("p", "one more");
        assertThat(attempts.passedOver("p")).isEmpty();
    }

    private void exhaust(String pod) {
        for (int i = 0; i < FilterAttempts.PATIENCE; i++) {
            attempts.named(pod, "n1");
        }
    }
}
