package io.gpushare.e2e.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chaos.check.Invariants.Violation;
import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import io.gpushare.e2e.chaos.check.pod.HeldCards;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryLimitsTest {
    private static final ClusterCards CARDS = ClusterCards.of(List.of("one", "two"), false);
    private static final String CARD = ClusterCards.uuid(0, 0);
    private static final HeldCards TWO_GIB =
            new HeldCards("uid", "a", "main", ContainerRequest.memory(2), Set.of(CARD));
    private static final int LONG = (int) MemoryLimits.ALLOWED.toSeconds() + 1;

    private final MemoryLimits limits = new MemoryLimits();

    @Test
    void theProcessesOfAContainerAreAddedUp() {
        List<MemoryUse.Member> members = List.of(new MemoryUse.Member(7, TWO_GIB), new MemoryUse.Member(8, TWO_GIB));
        List<String> lines = List.of(
                "process pid=7 card=%s memory=1500MiB mps".formatted(CARD),
                "process pid=8 card=%s memory=600MiB mps".formatted(CARD),
                "process pid=9 card=%s memory=30MiB".formatted(CARD),
                "");
        assertThat(MemoryUse.of("one", CARDS, lines, members))
                .singleElement()
                .matches(MemoryUse::excessive)
                .extracting(MemoryUse::mib)
                .isEqualTo(2100L);
        // Each node has PIDs and lines of its own.
        assertThat(MemoryUse.of("two", CARDS, lines, members)).isEmpty();
        assertThat(MemoryUse.of("one", CARDS, lines.subList(0, 1), members)).noneMatch(MemoryUse::excessive);
    }

    @Test
    void anExcessMayNotLast() {
        assertThat(at(0, 2049)).isEmpty();
        assertThat(at(LONG, 2049)).extracting(Violation::rule).containsExactly(MemoryLimits.RULE);
        assertThat(limits.longest()).hasSeconds(LONG);
        assertThat(limits.excesses()).isEqualTo(1);
    }

    @Test
    void anotherExcessBeginsAnew() {
        at(0, 4000);
        at(5, 2048);
        assertThat(at(LONG, 4000)).isEmpty();
        assertThat(limits.excesses()).isEqualTo(2);
    }

    @Test
    void whileThePluginIsFrozenOrStartsItLasts() {
        at(0, 4000);
        limits.plugin("one", 0, Duration.ofSeconds(20));
        assertThat(at(LONG, 4000)).isEmpty();
        limits.plugin("one", 2, Duration.ofSeconds(40));
        assertThat(check(40 + LONG - 2, 4000, Set.of())).isEmpty();
        assertThat(check(40 + LONG, 4000, Set.of())).hasSize(1);
    }

    @Test
    void thePluginDoesNotKnowTheLimitOfAPodWhoseAnnotationWasEdited() {
        at(0, 4000);
        assertThat(check(LONG, 4000, Set.of("uid"))).isEmpty();
    }

    private List<Violation> at(int seconds, long mib) {
        limits.plugin("one", 1, Duration.ofSeconds(seconds));
        return check(seconds, mib, Set.of());
    }

    private List<Violation> check(int seconds, long mib, Set<String> edited) {
        return limits.check(List.of(new MemoryUse(TWO_GIB, "one", mib)), edited, Duration.ofSeconds(seconds));
    }
}
