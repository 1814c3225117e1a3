package io.gpushare.plugin.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.pod.TestPods;
import io.gpushare.plugin.node.usage.OverUse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OverUseGuardTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Duration GRACE = Duration.ofSeconds(6);

    private final List<String> evictions = new ArrayList<>();
    private final Set<String> guarded = new HashSet<>();
    private final List<PodEvent> events = new ArrayList<>();
    private Instant now = TestPods.START;

    @Test
    void noPodIsEvictedBeforeTheGracePeriodIsOver() {
        OverUseGuard guard = guard(Optional.of(GRACE));
        after(Duration.ofMillis(5_999), guard, offender("bad", A, 1));
        assertThat(evictions).isEmpty();

        after(Duration.ofMillis(1), guard, offender("bad", A, 1));
        assertThat(evictions).containsExactly("bad");
        assertThat(events)
                .singleElement()
                .satisfies(event -> assertThat(event.reason()).isEqualTo("GpuMemoryOverUseEvicted"));
    }

    @Test
    void theLargestExcessIsEvictedFirstAndNoOtherPodOfTheCardWhileItMayStillEnd() {
        OverUseGuard guard = guard(Optional.of(GRACE));
        OverUse.Offender[] all = {offender("worse", A, 2), offender("bad", A, 1), offender("other", B, 1)};
        after(GRACE, guard, all);
        assertThat(evictions).containsExactly("worse", "other");

        after(Duration.ofSeconds(59), guard, all);
        assertThat(evictions).containsExactly("worse", "other");
        after(Duration.ofSeconds(1), guard, offender("bad", A, 1));
        assertThat(evictions).containsExactly("worse", "other", "bad");
    }

    @Test
    void aPodThatABudgetProtectsIsRetriedAfterAMinuteAndTheNextOneIsEvictedMeanwhile() {
        OverUseGuard guard = guard(Optional.of(GRACE));
        guarded.add("guarded");
        OverUse.Offender[] all = {offender("guarded", A, 3), offender("worse", A, 2), offender("bad", A, 1)};
        after(GRACE, guard, all);
        after(Duration.ofSeconds(30), guard, all);
        assertThat(evictions).containsExactly("guarded", "worse");
        assertThat(guard.counts())
                .containsEntry(OverUseGuard.Outcome.EVICTED, 1L)
                .containsEntry(OverUseGuard.Outcome.REFUSED, 1L);

        after(Duration.ofSeconds(30), guard, offender("guarded", A, 3), offender("bad", A, 1));
        assertThat(evictions).containsExactly("guarded", "worse", "guarded", "bad");
    }

    @Test
    void withoutAGracePeriodNoPodIsEvicted() {
        after(Duration.ofHours(1), guard(Optional.empty()), offender("bad", A, 1));
        assertThat(evictions).isEmpty();
    }

    private OverUseGuard guard(Optional<Duration> grace) {
        return new OverUseGuard("aliyun.com/gpu-mem", grace, (_, event) -> events.add(event), this::evict, () -> now);
    }

    private void evict(PodRef pod) throws KubernetesException {
        evictions.add(pod.name());
        if (guarded.contains(pod.name())) {
            throw new KubernetesException(429, "evicting: 429 the budget forbids it", null);
        }
    }

    private void after(Duration time, OverUseGuard guard, OverUse.Offender... offenders) {
        now = now.plus(time);
        guard.handle(new OverUse.Found(OverUse.NONE, List.of(), List.of(), List.of(offenders)));
    }

    private static OverUse.Offender offender(String pod, CardId card, long gib) {
        return new OverUse.Offender(TestPods.ref(pod), card, gib << 30, TestPods.START);
    }
}
