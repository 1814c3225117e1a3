package io.gpushare.claims.templates;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.claims.templates.TemplateUse.Template;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
