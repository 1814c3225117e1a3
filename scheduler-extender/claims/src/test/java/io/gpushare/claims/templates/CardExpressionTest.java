package io.gpushare.claims.templates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.types.SimpleType;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import io.gpushare.claims.templates.TemplateName.Request;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.claims.SliceSpecs;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.request.SelectorCodec;
import io.gpushare.model.selector.CardSelector;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The selectors of templates choose the cards that the extender chooses by the same annotation. */
class CardExpressionTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String UUID = "GPU-60805828-8ab0-6124-67c4-9baff56d087";
    private static final Cel CEL = CelFactory.plannerCelBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addCompilerLibraries(CelExtensions.strings())
            .addRuntimeLibraries(CelExtensions.strings())
            .addVar("device", SimpleType.DYN)
            .build();

    @Property
    void anExpressionHoldsForTheCardsThatTheSelectorAccepts(
            @ForAll("selectors") String text, @ForAll("cards") Card card) throws Exception {
        CardSelector selector = SelectorCodec.parse(text);
        String small = text.toLowerCase(Locale.ROOT);
        TemplateName name =
                new TemplateName(false, List.of(new Request(1, 1024, 0)), Map.of("gpushare.io/select", small));
        boolean all = true;
        for (String expression : expressions(TemplateSpec.of(name))) {
            all &= (boolean) CEL.createProgram(CEL.compile(expression).getAst())
                    .eval(Map.of("device", Map.of("attributes", Map.of("gpushare.io", attributes(card)))));
        }
        assertThat(all).as("%s on %s", text, card).isEqualTo(selector.matches(card, null));
    }

    /** The attributes as the card's slice has them, without their types. */
    private static Map<String, Object> attributes(Card card) {
        Inventory inventory = new Inventory(MemoryUnit.GIB, null, List.of(card));
        Map<String, Object> slice = new SliceSpecs("gpushare.io", "n1")
                .of(NodeCards.of(inventory), 1)
                .getFirst();
        Map<String, Object> attributes = new HashMap<>();
        JSON.valueToTree(slice).at("/devices/0/attributes").properties().forEach(attribute -> {
            JsonNode value = attribute.getValue().iterator().next();
            attributes.put(
                    attribute.getKey(),
                    value.isBoolean()
                            ? (Object) value.booleanValue()
                            : value.isNumber() ? (Object) value.longValue() : value.asText());
        });
        return attributes;
    }

    private static List<String> expressions(Map<String, Object> spec) {
        return JSON.valueToTree(spec)
                .at("/spec/devices/requests/0/exactly/selectors")
                .valueStream()
                .map(each -> each.at("/cel/expression").asText())
                .toList();
    }

    @Example
    void versionsAreSemantic() {
        assertThat(ofSelect("compute>=8,driver<550.54"))
                .containsExactly(
                        "has(device.attributes['gpushare.io'].cudaComputeCapability) &&"
                                + " (device.attributes['gpushare.io'].cudaComputeCapability.compareTo(semver('8.0.0'))"
                                + " >= 0)",
                        "has(device.attributes['gpushare.io'].driverVersion) &&"
                            + " (device.attributes['gpushare.io'].driverVersion.compareTo(semver('550.54.0')) < 0)");
        assertThatThrownBy(() -> ofSelect("driver=1.2.3.4"))
                .hasMessageContaining("version 1.2.3.4 has more than three numbers");
    }

    @Example
    void aMistakeIsTheSentenceOfItsParser() {
        assertThatThrownBy(() -> ofSelect("model is a100"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("annotation gpushare.io/select: ")
                .hasMessageContaining("write =, !=, in, not in, like or not like");
    }

    private static List<String> ofSelect(String text) {
        return expressions(TemplateSpec.of(
                new TemplateName(false, List.of(new Request(1, 0, 0)), Map.of("gpushare.io/select", text))));
    }

    @Provide
    Arbitrary<String> selectors() {
        Arbitrary<String> conditions = Arbitraries.of(
                "model = A100",
                "model != T4",
                "model in (A100, Tesla T4)",
                "model not in (A-10, V100)",
                "model = A100SXM4",
                "model like A10",
                "model not like nvidia-tesla",
                "memory >= 24G",
                "memory < 24Gi",
                "memory != 16Gi",
                "memory in (16Gi, 80Gi)",
                "ecc = true",
                "ecc != on",
                "mig = on",
                "mig = off",
                "mig != on",
                "profile = 1g.10gb",
                "profile in (1g.10gb+me, 3G.40GB)",
                "profile != 1g.10gb.me",
                "parent = " + UUID + "a",
                "numa = 0",
                "numa != 1",
                "numa >= 1",
                "index in (0, 2)",
                "index <= 1",
                "uuid = " + UUID + "a",
                "uuid != " + UUID + "b",
                "uuid in (" + UUID + "a, MIG-1)",
                "isolation = none",
                "isolation not in (mps, driver)");
        return conditions.list().ofMinSize(1).ofMaxSize(3).map(all -> String.join(", ", all));
    }

    @Provide
    Arbitrary<Card> cards() {
        Arbitrary<String> models = Arbitraries.of(
                "NVIDIA A100-SXM4-80GB", "Tesla T4", "NVIDIA A10", "NVIDIA A10G", "Tesla V100-SXM2-16GB", "A 100");
        Arbitrary<Card.Details> details = Combinators.combine(
                        Arbitraries.of(true, false).injectNull(0.3),
                        Arbitraries.integers().between(0, 2).injectNull(0.3),
                        Arbitraries.of("1g.10gb", "1g.10gb+me", "3g.40gb").injectNull(0.6))
                .as((ecc, numa, profile) -> new Card.Details(
                        null,
                        ecc,
                        numa,
                        profile == null ? null : true,
                        profile == null ? null : new MigInstance(new CardId(UUID + "a"), profile, 0, 0, List.of())));
        return Combinators.combine(
                        models,
                        details,
                        Arbitraries.of(15109L, 16384L, 23028L, 24576L, 81559L, 81920L),
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.of("a", "b", "c"))
                .as((model, more, mib, index, end) -> new Card(
                        new CardId(more.instance() == null ? UUID + end : "MIG-1"),
                        index,
                        index,
                        model,
                        Memory.ofMib(mib),
                        more));
    }
}
