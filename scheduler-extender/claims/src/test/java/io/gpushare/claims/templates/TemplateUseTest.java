package io.gpushare.claims.templates;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.claims.templates.TemplateUse.Template;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which templates are looked at, and when they are unused. */
class TemplateUseTest {
    private static final Instant START = Instant.parse("2026-11-28T10:00:00Z");
    private static final Template SHARE = new Template("team", "gpushare.1x-3072mi");

    private final TemplateUse use = new TemplateUse();

    @Test
    void oneOfManyPodsStandsForItsTemplate() {
        Map<PodRef, List<String>> pods = new HashMap<>();
        for (int i = 0; i < 500; i++) {
            pods.put(new PodRef("u" + i, "team", "p" + i), List.of("gpushare.1x-3072mi", "mine"));
        }
        use.waiting(pods);
        assertThat(use.due(START)).containsOnlyKeys(SHARE);
        use.checked(SHARE, START);
        assertThat(use.due(START.plus(TemplateUse.TRUSTED).minusMillis(1))).isEmpty();
        assertThat(use.due(START.plus(TemplateUse.TRUSTED))).containsOnlyKeys(SHARE);
    }

    @Test
    void aNamespaceHasFourPlacesInARoundAndNewNamesComeFirst() {
        Map<PodRef, List<String>> pods = new HashMap<>();
        for (int i = 1; i <= 20; i++) {
            pods.put(new PodRef("u" + i, "hostile", "p" + i), List.of("gpushare.1x-" + i + "mi"));
        }
        pods.put(new PodRef("u", "team", "p"), List.of(SHARE.name()));
        use.waiting(pods);
        Set<Template> first = use.due(START).keySet();
        assertThat(first).hasSize(5).contains(SHARE);
        first.forEach(each -> use.checked(each, START));
        assertThat(use.due(START.plus(TemplateUse.TRUSTED)))
                .hasSize(5)
                .doesNotContainKeys(first.stream()
                        .filter(each -> each.namespace().equals("hostile"))
                        .toArray(Template[]::new));
    }

    @Test
    void aNamespaceHasABoundedNumberOfNamesAndEachIsLookedAt() {
        Map<PodRef, List<String>> pods = new HashMap<>();
        for (int pod = 0; pod < 50; pod++) {
            int first = pod * 100;
            pods.put(
                    new PodRef("u" + pod, "hostile", "p" + pod),
                    IntStream.range(first, first + 100)
                            .mapToObj(i -> "gpushare.1x-" + (i + 1) + "mi")
                            .toList());
        }
        pods.put(new PodRef("u", "team", "p"), List.of(SHARE.name()));
        Set<Template> looked = new HashSet<>();
        for (int round = 0; round < 100; round++) {
            use.waiting(pods);
            use.due(START).keySet().forEach(each -> {
                looked.add(each);
                use.checked(each, START);
            });
        }
        assertThat(looked).hasSize(TemplateUse.MOST_OF_A_NAMESPACE + 1).contains(SHARE);
    }

    @Test
    void eachPodOfANamespaceGetsAnEventInItsTurn() {
        List<PodRef> pods = IntStream.range(0, 4)
                .mapToObj(i -> new PodRef("u" + i, "team", "p" + i))
                .toList();
        Map<PodRef, Integer> events = new HashMap<>();
        for (Instant now = START;
                now.isBefore(START.plus(TemplateUse.BETWEEN_EVENTS));
                now = now.plus(TemplateUse.TRUSTED)) {
            use.waiting(Map.of());
            for (PodRef pod : pods) {
                for (int name = 0; name < 16; name++) {
                    events.merge(pod, use.reports(pod, now) ? 1 : 0, Integer::sum);
                }
            }
            assertThat(use.reports(new PodRef("other", "else", "p"), now)).isEqualTo(now.equals(START));
        }
        assertThat(events).hasSize(4).allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
        use.waiting(Map.of());
        assertThat(use.reports(pods.getFirst(), START.plus(TemplateUse.BETWEEN_EVENTS)))
                .isTrue();
    }

    @Test
    void oneIsUnusedWhenNoPodHasWaitedForTenMinutes() {
        use.existing(Set.of(SHARE), START);
        Instant end = START.plus(TemplateUse.KEPT);
        assertThat(use.unused(end.minusMillis(1))).isEmpty();
        assertThat(use.unused(end)).containsExactly(SHARE);
        use.waiting(Map.of(new PodRef("u", "team", "p"), List.of(SHARE.name())));
        assertThat(use.unused(end)).isEmpty();
        use.existing(Set.of(SHARE), end);
        use.waiting(Map.of());
        assertThat(use.unused(end.plus(Duration.ofMinutes(9)))).isEmpty();
        use.gone(SHARE);
        assertThat(use.unused(end.plus(TemplateUse.KEPT))).isEmpty();
    }
}
