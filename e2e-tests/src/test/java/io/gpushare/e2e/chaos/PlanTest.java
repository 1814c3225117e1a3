package io.gpushare.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chaos.Fault.Kind;
import io.gpushare.e2e.chaos.check.ClusterCards;
import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import io.gpushare.e2e.chaos.check.pod.ContainerRequest.Way;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 999_999})
    void aSeedMakesOnePlan(long seed) {
        assertThat(plan(seed)).isEqualTo(plan(seed)).isNotEqualTo(plan(seed + 1));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 999_999})
    void tenMinutesHave300PodsOfBothResourcesAndEveryKindOfFault(long seed) {
        List<PlannedPod> orders = plan(seed).orders();
        assertThat(orders).hasSizeGreaterThanOrEqualTo(300);
        assertThat(orders.stream().map(PlanTest::shape).collect(Collectors.toSet()))
                .contains("units", "cards", "units units", "cards cards", "units cards");
        assertThat(plan(seed).faults().stream().map(Fault::kind)).contains(Kind.values());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 999_999})
    void nothingIsHitTwiceAtOnce(long seed) {
        Map<String, Duration> until = new HashMap<>();
        for (Fault fault : plan(seed).faults()) {
            assertThat(fault.at())
                    .as(fault.toString())
                    .isGreaterThanOrEqualTo(until.getOrDefault(fault.subject(), Duration.ZERO));
            until.put(fault.subject(), fault.end());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 999_999})
    void withoutIsolationEverythingElseIsHit(long seed) {
        Plan without = Plan.of(seed, TEN_MINUTES, ClusterCards.PER_NODE, false, true, List.of());
        assertThat(without.orders()).isEqualTo(plan(seed).orders());
        Set<Kind> others = Arrays.stream(Kind.values())
                .filter(kind -> !Plan.OF_ISOLATION.contains(kind.target))
                .collect(Collectors.toSet());
        assertThat(without.faults().stream().map(Fault::kind).collect(Collectors.toSet()))
                .isEqualTo(others);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 999_999})
    void whereThereAreInstancesPodsTakeEachProfileAndTheFaultsAreTheSame(long seed) {
        List<String> profiles = List.of("1g.5gb", "2g.10gb");
        Plan cut = Plan.of(seed, TEN_MINUTES, ClusterCards.PER_NODE, true, true, profiles);
        assertThat(cut.faults()).isEqualTo(plan(seed).faults());
        assertThat(cut.orders().stream()
                        .flatMap(order -> order.requests().stream())
                        .map(ContainerRequest::profile))
                .containsAll(profiles);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 999_999})
    void aThirdOfThePodsRequestsByClaimsAndNoneThatIsUrgent(long seed) {
        Plan claims = Plan.of(seed, TEN_MINUTES, ClusterCards.PER_NODE, false, true, List.of());
        assertThat(claims.orders().stream().filter(order -> order.way(true) == Way.CLAIMS))
                .hasSize(claims.orders().size() / 3)
                .noneMatch(PlannedPod::urgent);
        assertThat(claims.orders()).noneMatch(order -> order.way(false) == Way.CLAIMS);
        // What serves claims at first is hit by each kind that hits programs of nodes.
        assertThat(claims.faults().stream().filter(fault -> fault.node() == 0).map(Fault::kind))
                .contains(Kind.PLUGIN_KILL, Kind.PLUGIN_FREEZE, Kind.PLUGIN_REPLACE, Kind.PLUGIN_CUT_OFF)
                .contains(Kind.NODE_MOVE, Kind.NODE_MOVE_BRIEF);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 999_999})
    void withoutClaimsThereAreNoFaultsOfTheirs(long seed) {
        Plan without = Plan.of(seed, TEN_MINUTES, ClusterCards.PER_NODE, true, false, List.of());
        assertThat(without.orders()).isEqualTo(plan(seed).orders());
        assertThat(without.faults().stream().map(Fault::kind).collect(Collectors.toSet()))
                .isEqualTo(EnumSet.complementOf(EnumSet.copyOf(Plan.OF_CLAIMS)));
    }

    private static Plan plan(long seed) {
        return Plan.of(seed, TEN_MINUTES, ClusterCards.PER_NODE, true, true, List.of());
    }

    private static String shape(PlannedPod order) {
        return order.requests().stream()
                .map(request -> request.whole() ? "cards" : "units")
                .collect(Collectors.joining(" "));
    }
}
