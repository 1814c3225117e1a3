package io.gpushare.extender.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.KubernetesException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The label by steps, with a clock that the test moves. */
class LeaderLabelTest {
    private final Labels labels = new Labels();
    private final LeaderLabel label = new LeaderLabel(labels, "me");
    private long nanos = -5;

    /** The labelled pods in memory; calls may fail. */
    private static final class Labels implements LeaderLabel.Labelled {
        private final Set<String> pods = new TreeSet<>();
        private int calls;
        private boolean failing;

        @Override
        public Set<String> pods() throws KubernetesException {
            call();
            return Set.copyOf(pods);
        }

        @Override
        public void write(String pod, boolean leads) throws KubernetesException {
            call();
            if (leads) {
                pods.add(pod);
            } else {
                pods.remove(pod);
            }
        }

        private void call() throws KubernetesException {
            calls++;
            if (failing) {
                throw new KubernetesException(0, "no response", null);
            }
        }
    }

    @Test
    void aStandbyRemovesWhatItsFormerProcessLeftAndThenMakesNoCalls() {
        labels.pods.add("me");
        assertThat(label.problem(false))
                .hasValueSatisfying(why -> assertThat(why).contains("is not removed yet"));
        stepFor(60, false);
        assertThat(labels.pods).isEmpty();
        assertThat(labels.calls).isEqualTo(1);
        assertThat(label.problem(false)).isEmpty();
    }

    @Test
    void theLeaderIsTheOnlyLabelledPodAndChecksThatRarely() {
        labels.pods.add("former");
        step(true);
        assertThat(labels.pods).containsExactly("me");
        labels.pods.add("frozen");
        labels.pods.remove("me");
        labels.calls = 0;
        stepFor(60, true);
        assertThat(labels.pods).containsExactly("me");
        assertThat(labels.calls).isLessThan(10);
        step(false);
        assertThat(labels.pods).isEmpty();
    }

    @Test
    void aFailedCallIsRepeatedEverySecondAndTheProblemSaysWhy() {
        labels.failing = true;
        stepFor(10, true);
        assertThat(labels.calls).isBetween(10, 11);
        assertThat(label.problem(true))
                .contains("the label gpushare.io/leader of pod me is not written yet: no response");
        labels.failing = false;
        stepFor(1, true);
        assertThat(label.problem(true)).isEmpty();
    }

    /** A deposed leader whose write may or may not have arrived writes again. */
    @Test
    void afterAFailureTheLabelIsWrittenAgainWhateverArrived() {
        step(false);
        labels.failing = true;
        step(true);
        labels.failing = false;
        labels.pods.add("me");
        stepFor(2, false);
        assertThat(labels.pods).isEmpty();
    }

    private void step(boolean serves) {
        label.step(serves, nanos);
        nanos += TimeUnit.MILLISECONDS.toNanos(100);
    }

    private void stepFor(int seconds, boolean serves) {
        for (int i = 0; i < 10 * seconds; i++) {
            step(serves);
        }
    }
}
