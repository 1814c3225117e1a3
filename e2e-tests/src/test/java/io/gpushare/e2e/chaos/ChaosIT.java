package io.gpushare.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chaos.Fault.Kind;
import io.gpushare.e2e.chaos.check.Tally;
import io.gpushare.e2e.chart.Chart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code ./mvnw verify -Pchaos}; {@code -Dgpushare.seed=…} repeats a plan, {@code -Dgpushare.minutes=…} sets a
 * length other than ten minutes, {@code -Dgpushare.isolation=mps} adds isolation and programs that allocate memory,
 * {@code -Dgpushare.mig=true} a card with MIG instances on each node, {@code -Dgpushare.claims=true} a node that serves
 * claims, and pods that request by them.
 */
@Tag("chaos")
class ChaosIT {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root"));
    private static final long USUAL_MINUTES = 10;

    private static String manifests(String values) {
        Map<String, String> rendered = Chart.templates(values, "1." + ClaimsNodes.MINOR + ".0");
        return Stream.of("device-plugin.yaml", "scheduler-extender.yaml", "dra.yaml")
                .map(template -> Objects.requireNonNull(rendered.get(template)))
                .collect(Collectors.joining("---\n"));
    }

    @Test
    void whateverIsKilledNoCardIsOverUsedAndNothingLeaks() throws InterruptedException {
        long seed = Long.getLong("gpushare.seed", new Random().nextInt(1_000_000));
        long minutes = Long.getLong("gpushare.minutes", USUAL_MINUTES);
        boolean isolated = System.getProperty("gpushare.isolation", "none").equals("mps");
        boolean cut = Boolean.getBoolean("gpushare.mig");
        boolean claims = Boolean.getBoolean("gpushare.claims");
        assertThat(Stream.of(isolated, cut, claims).filter(chosen -> chosen))
                .as("-Dgpushare.isolation=mps, -Dgpushare.mig=true and -Dgpushare.claims=true are three runs")
                .hasSizeLessThanOrEqualTo(1);
        Optional<Function<String, String>> chart = claims ? Optional.of(ChaosIT::manifests) : Optional.empty();
        try (ChaosRun run = ChaosRun.prepare(ROOT, seed, Duration.ofMinutes(minutes), isolated, cut, chart)) {
            Tally tally = run.run();
            assertThat(tally.violations()).isEmpty();
            assertThat(tally.of("pods: ran to their end")
                            + tally.of("pods: deleted a moment after they were made, on purpose"))
                    .as("every planned pod ran")
                    .isEqualTo(run.plan().orders().size());
            assertThat(tally.of("pods: made") - tally.of("pods: preempted (created again)"))
                    .as("pods, of which kubelets rejected few")
                    .isLessThan(run.plan().orders().size() * 3L / 2);
            if (isolated) {
                assertThat(tally.of("isolation: programs terminated in containers above their limit"))
                        .as("greedy programs that were stopped")
                        .isPositive();
                assertThat(tally.of("isolation: containers whose memory was compared with their limit"))
                        .isPositive();
            }
            if (claims) {
                assertThat(tally.of("pods by claims: ran to their end")).isPositive();
                assertThat(tally.of("checks: prepared claims compared")).isPositive();
            }
            if (claims && minutes >= USUAL_MINUTES) {
                assertThat(List.of(Kind.PLUGIN_KILL, Kind.PLUGIN_FREEZE, Kind.PLUGIN_REPLACE, Kind.PLUGIN_CUT_OFF))
                        .allSatisfy(kind -> assertThat(tally.of(FaultInjector.OF_DRIVER + kind))
                                .as(kind + " hit the driver of claims")
                                .isPositive());
            }
            if (minutes >= USUAL_MINUTES) {
                assertThat(tally.of("pods: made")).isGreaterThanOrEqualTo(300);
                assertThat(run.plan().faults().stream().map(Fault::kind).distinct())
                        .allSatisfy(kind -> assertThat(tally.of("faults: " + kind))
                                .as(kind + " happened")
                                .isPositive());
                // Almost no container starts and ends between two snapshots.
                assertThat(tally.of("checks: containers compared"))
                        .as("containers whose view was compared with their annotation")
                        .isGreaterThan(tally.of("pods: ran to their end"));
            }
        }
    }
}
