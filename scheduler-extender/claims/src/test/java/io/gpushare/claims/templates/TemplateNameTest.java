package io.gpushare.claims.templates;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.claims.templates.TemplateName.Request;
import io.gpushare.model.request.PodAnnotations;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A name is its content, in both directions, and everything else is no name of ours. */
class TemplateNameTest {
    // The API server's form of a name.
    private static final String SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

    @Property
    void aNameIsReadAsWhatItWasWrittenFrom(@ForAll("contents") TemplateName content) {
        assertThat(content.toString()).matches(SUBDOMAIN).hasSizeLessThanOrEqualTo(253);
        assertThat(TemplateName.parse(content.toString())).contains(content);
    }

    @Property
    void whatIsReadIsWrittenAsItWas(@ForAll("texts") String text) {
        TemplateName.parse(text).ifPresent(name -> {
            assertThat(name.toString()).isEqualTo(text).matches(SUBDOMAIN);
            assertThat(name.requests()).hasSizeBetween(1, 16);
            assertThat(name.requests().stream().mapToInt(Request::cards).sum()).isBetween(1, 32);
        });
    }

    @Example
    void theseAreNames() {
        assertThat(TemplateName.parse("gpushare.2x-3000mi-30c"))
                .contains(new TemplateName(false, List.of(new Request(2, 3000, 30)), Map.of()));
        assertThat(TemplateName.parse("gpushare-one.1x-3072mi.1x.1x-1024mi.s-modelzea100zcmemoryzgze24g-s"))
                .contains(new TemplateName(
                        true,
                        List.of(new Request(1, 3072, 0), new Request(1, 0, 0), new Request(1, 1024, 0)),
                        Map.of("gpushare.io/select", "model=a100,memory>=24g")));
    }

    @Example
    void theseAreNone() {
        for (String text : List.of(
                "",
                "gpushare",
                "gpushare.",
                "gpushare.0x",
                "gpushare.01x",
                "gpushare.33x",
                "gpushare.20x.20x",
                "gpushare.1x-0mi",
                "gpushare.1x-100000000mi",
                "gpushare.1x-30c",
                "gpushare.1x-10mi-101c",
                "gpushare-one.1x-3072mi",
                "gpushare-one.2x-3072mi.1x-1024mi",
                "gpushare.t-a100-t",
                "gpushare.t-a100-t.1x",
                "gpushare.1x.t-a-t.t-b-t",
                "gpushare.1x.u-a-u.t-b-t",
                "gpushare.1x.x-a-x",
                "gpushare.1x.t-azxb-t",
                "gpushare.1x.t-az-t",
                "mine.1x",
                "gpushare.1x" + ".1x".repeat(16),
                "gpushare.1x.t-" + "a".repeat(240) + "-t")) {
            assertThat(TemplateName.parse(text)).as(text).isEmpty();
        }
    }

    @Example
    void theAnnotationsAreThoseThatSelectCards() {
        assertThat(SelectorText.KEYS.values()).containsExactlyInAnyOrderElementsOf(PodAnnotations.selectors());
    }

    @Example
    void unitsOfMemoryHaveTheirCase() {
        assertThat(SelectorText.written("memory>=24g, memory<80gib, model in (a100,v100 16gb), profile=1g.10gb"))
                .isEqualTo("memory>=24G, memory<80GiB, model in (a100,v100 16GB), profile=1G.10GB");
    }

    @Provide
    Arbitrary<TemplateName> contents() {
        Arbitrary<Request> requests = Combinators.combine(
                        Arbitraries.integers().between(1, 2),
                        Arbitraries.integers().between(1, 99_999_999),
                        Arbitraries.integers().between(0, 100),
                        Arbitraries.of(true, false))
                .as((cards, mib, cores, whole) -> new Request(cards, whole ? 0 : mib, whole ? 0 : cores));
        Arbitrary<String> texts = Arbitraries.strings()
                .withChars("abcxyz0189 .,()=<>!_+/-")
                .ofMinLength(1)
                .ofMaxLength(30);
        Arbitrary<Map<String, String>> selectors = Arbitraries.maps(Arbitraries.of(SelectorText.KEYS.values()), texts)
                .ofMaxSize(2);
        return Combinators.combine(requests.list().ofMinSize(1).ofMaxSize(5), selectors, Arbitraries.of(true, false))
                .as((list, selected, one) -> new TemplateName(one && onOneCard(list), list, selected))
                .filter(name -> name.toString().length() <= 253);
    }

    private static boolean onOneCard(List<Request> requests) {
        List<Request> shares =
                requests.stream().filter(request -> request.mib() > 0).toList();
        return shares.size() > 1 && shares.stream().allMatch(request -> request.cards() == 1);
    }

    /** Names with a few characters changed, and any text of the characters of names. */
    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> changed = Combinators.combine(
                        contents().map(TemplateName::toString),
                        Arbitraries.integers().between(0, 60),
                        Arbitraries.strings().withChars("0123456789xmicz-.t").ofMaxLength(3))
                .as((name, at, put) -> name.substring(0, Math.min(at, name.length()))
                        + put
                        + name.substring(Math.min(at + put.length(), name.length())));
        Arbitrary<String> any = Arbitraries.strings()
                .withChars("0123456789xmiczstun-.")
                .ofMaxLength(40)
                .map(end -> "gpushare." + end);
        return Arbitraries.oneOf(changed, any);
    }
}
