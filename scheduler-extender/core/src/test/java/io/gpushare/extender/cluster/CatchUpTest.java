package io.gpushare.extender.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How often a new leader calls the API server while its ledger lacks pods; time is passed in. */
class CatchUpTest {
    private static final Duration PERIOD = Duration.ofMillis(100);

    /** The API's bound pods, with the number of calls. */
    private static final class Api implements CatchUp.BoundPods {
        private final Map<String, PodState> bound = new HashMap<>();
        private int lists;
        private int reads;
        private boolean away;

        void bind(String name) {
            bound.put(
                    name,
                    PodBuilder.pod(new PodRef("uid-" + name, "ns", name))
                            .on("n1")
                            .build());
        }

        @Override
        public void each(Consumer<PodState> consumer) throws KubernetesException {
            lists++;
            answer();
            bound.values().forEach(consumer);
        }

        @Override
        public Optional<PodState> read(PodRef pod) throws KubernetesException {
            reads++;
            answer();
            return Optional.ofNullable(bound.get(pod.name()));
        }

        private void answer() throws KubernetesException {
            if (away) {
                throw new KubernetesException(0, "no answer", null);
            }
        }
    }

    private final Api api = new Api();
    private final Set<String> known = new HashSet<>();
    private final CatchUp check =
            new CatchUp(api, pod -> known.contains(pod.ref().name()));
    private long now = Long.MAX_VALUE - Duration.ofSeconds(5).toNanos();

    private boolean complete() throws KubernetesException {
        now += PERIOD.toNanos();
        return check.complete(now);
    }

    @Test
    void aCurrentLedgerIsFoundByOneList() throws KubernetesException {
        api.bind("a");
        known.add("a");
        assertThat(complete()).isTrue();
        assertThat(complete()).isTrue();
        assertThat(api.lists).isEqualTo(1);
        assertThat(api.reads).isZero();
    }

    @Test
    void aPodThatTheInformerShowsLaterNeedsNoCall() throws KubernetesException {
        api.bind("a");
        assertThat(complete()).isFalse();
        known.add("a");
        assertThat(complete()).isTrue();
        assertThat(api.lists).isEqualTo(1);
        assertThat(api.reads).isZero();
    }

    @Test
    void aPodThatStaysMissingIsReadLessAndLessOften() throws KubernetesException {
        api.bind("a");
        for (int i = 0; i < Duration.ofMinutes(5).dividedBy(PERIOD); i++) {
            assertThat(complete()).isFalse();
        }
        assertThat(api.lists).isEqualTo(1);
        assertThat(api.reads).isBetween(8, 14);
    }

    @Test
    void aPodThatIsGoneIsMissingNoMore() throws KubernetesException {
        api.bind("a");
        assertThat(complete()).isFalse();
        api.bound.clear();
        for (int i = 0; i < 9; i++) {
            assertThat(complete()).isFalse();
        }
        assertThat(complete()).isTrue();
    }

    @Test
    void manyMissingPodsAreReadInTurn() throws KubernetesException {
        for (int i = 0; i < 120; i++) {
            api.bind("p" + i);
        }
        assertThat(complete()).isFalse();
        api.bound.clear();
        int calls = 0;
        while (!complete()) {
            calls++;
        }
        assertThat(api.reads).isEqualTo(120);
        assertThat(calls).isLessThan(80);
    }

    @Test
    void aFailureIsRepeatedAfterAPauseAndLosesNoPod() throws KubernetesException {
        api.bind("a");
        api.away = true;
        assertThatThrownBy(this::complete).isInstanceOf(KubernetesException.class);
        for (int i = 0; i < 9; i++) {
            assertThat(complete()).isFalse();
        }
        assertThat(api.lists).isEqualTo(1);
        api.away = false;
        assertThat(complete()).isFalse();
        assertThat(api.lists).isEqualTo(2);
        api.away = true;
        assertThatThrownBy(() -> {
                    while (!complete()) {}
                })
                .isInstanceOf(KubernetesException.class);
        api.away = false;
        assertThat(complete()).isFalse();
    }
}
