package io.gpushare.model.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.selector.CardCondition;
import io.gpushare.model.selector.CardFact;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.selector.FactValue;
import io.gpushare.model.selector.SelectorSyntaxException;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelectorCodecTest {
    private static final Inventory.Driver DRIVER = new Inventory.Driver("550.54.15", "12.4");
    private static final Card A100 = new Card(
                    new CardId("GPU-a100"),
                    0,
                    0,
                    "NVIDIA A100-SXM4-80GB",
                    Memory.ofMib(81_920),
                    new Card.Details(new ComputeCapability(8, 0), true, 1, false))
            .withIsolation(CardIsolation.of(Isolation.DRIVER));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "memory >= 24Gi",
                "memory = 80Gi",
                "memory == 81920Mi",
                "memory>85G",
                "compute >= 8.0, model in (A100, H100)",
                "compute = 8",
                "MODEL = a100",
                "model = NVIDIA A100-SXM4-80GB",
                "model = nvidia-a100-sxm4-80gb",
                "model = A100 SXM4",
                "model = A-100",
                "model = a100sxm4",
                "model = A100_SXM4-80GB",
                "model = nvidiaa100",
                "model != A10",
                "model not in (A10, H100, SXM, A100X)",
                "model like A10",
                "model like (0-SXM, H100)",
                "model not like H",
                "ecc = true,mig=false",
                "uuid in (GPU-b, gpu-A100)",
                "cuda >= 12.4, cuda < 12.10, driver >= 550.54, driver = 550.54.15",
                "numa = 1, numa in (0, 1)",
                "isolation = driver",
                "isolation in (mps, Driver), isolation != none",
            })
    void theA100Is(String selector) {
        assertThat(SelectorCodec.parse(selector).matches(A100, DRIVER)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "memory > 80Gi",
                "memory != 80Gi",
                "compute > 8.0",
                "compute >= 8.6, model = A100",
                "model = A10",
                "model = 100-SXM4",
                "model = A-10",
                "model = A100SXM",
                "model = 0SXM4",
                "model = SXM4 A100",
                "model not in (H100, A100)",
                "model not like (H100, a100)",
                "model like GPU",
                "ecc != true",
                "mig = true",
                "uuid != GPU-a100",
                "cuda > 12.4",
                "driver < 550.54",
                "numa < 1",
                "isolation = mps",
                "isolation != driver",
            })
    void theA100IsNot(String selector) {
        assertThat(SelectorCodec.parse(selector).matches(A100, DRIVER)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"compute >= 0", "ecc = false", "ecc != true", "numa != 7", "cuda != 1", "driver > 0"})
    void anUnknownFactMatchesNoCondition(String selector) {
        Card silent = Card.of("GPU-x", 0, Memory.ofGib(16));
        assertThat(SelectorCodec.parse(selector).matches(silent, null)).isFalse();
    }

    @Test
    void migIsOffOnACardThatCannotHaveIt() {
        Card silent = Card.of("GPU-x", 0, Memory.ofGib(16));
        assertThat(SelectorCodec.parse("mig = off").matches(silent, null)).isTrue();
        assertThat(SelectorCodec.parse("mig = on").matches(silent, null)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "memroy >= 24Gi            | 1  | write a fact of cards: model, memory, compute",
                "memory 24Gi               | 8  | after 'memory' write =, !=, <, <=, >, >=, in or not in",
                "memory >= 24              | 11 | write an amount of memory",
                "memory >= 24Gi compute>=8 | 11 | write an amount of memory",
                "memory >= 24Gi,           | 16 | write a fact of cards",
                "isolation = hami          | 13 | write none, driver, mps or mig",
                "isolation > none          | 11 | after 'isolation' write =, !=, in or not in",
                "ecc > true                | 5  | after 'ecc' write = or !=",
                "ecc = yes                 | 7  | write true or false",
                "model >= A100             | 7  | after 'model' write =, !=, in, not in, like or not like",
                "model in (A100, H100      | 21 | write a comma or ')' after a value",
                "model in ()               | 11 | write a card's model",
                "model not A100            | 7  | after 'model' write",
                "model = A100 = H100       | 14 | write a comma before the next condition",
                "model in A100, H100       | 16 | write several values in parentheses: model in (A100, …)",
                "model = A100, H100        | 15 | write several values in parentheses: model in (A100, …)",
                "model = A100, size = 1    | 15 | write a fact of cards",
                "A100 or model = H100      | 1  | write a fact of cards",
                "model = A100 or model = B | 9  | there is no 'or' and no 'and': write values of which one",
                "memory>=24G and numa = 1  | 9  | there is no 'or' and no 'and'",
                "\"model in (A100 | H100)\"  | 11 | there is no 'or' and no 'and'",
                "uuid = 0                  | 8  | write a card's UUID",
                "compute >= 8.x            | 12 | write a compute capability such as 8.0",
                "numa = -1                 | 8  | write the number of a NUMA node",
                "driver > 1.2.3.4.5        | 10 | write a driver version",
            })
    void anErrorHasItsPositionAndNamesWhatIsValidThere(String selector, int position, String complaint) {
        assertThatThrownBy(() -> SelectorCodec.parse(selector))
                .isInstanceOf(SelectorSyntaxException.class)
                .hasMessageStartingWith("at character " + position + " (")
                .hasMessageContaining(complaint)
                .extracting(e -> ((SelectorSyntaxException) e).position())
                .isEqualTo(position);
    }

    @Test
    void lengthAndCountsAreBounded() {
        assertThatThrownBy(() -> SelectorCodec.parse(" ".repeat(5000))).hasMessageContaining("4096 characters");
        assertThatThrownBy(() -> SelectorCodec.parse("numa=0" + ",numa=0".repeat(32)))
                .hasMessageContaining("32 conditions");
        assertThatThrownBy(() -> SelectorCodec.parse("numa in (0" + ",0".repeat(128) + ")"))
                .hasMessageContaining("128 values");
        assertThatThrownBy(() -> SelectorCodec.parse("x\n\u0007é" + "y".repeat(999)))
                .hasMessageMatching("[ -~…]{1,300}");
    }

    @Test
    void aPodWithoutSuchAnnotationsHasNoSelector() {
        assertThat(SelectorCodec.decode(Map.of("other", "x"))).isEqualTo(new Decoded.Absent<>());
    }

    @Test
    void hamisAnnotationsBecomeConditionsOfTheSameSelector() {
        CardSelector all = decoded(Map.of(
                "gpushare.io/select", "memory >= 24Gi",
                "nvidia.com/use-gputype", "Tesla V100-PCIE-32GB, NVIDIA-A10",
                "nvidia.com/nouse-gputype", "4090,",
                "nvidia.com/use-gpuuuid", "GPU-1,GPU-2",
                "nvidia.com/nouse-gpuuuid", "GPU-3"));
        assertThat(all)
                .hasToString("memory >= 24Gi, model like (Tesla V100-PCIE-32GB, NVIDIA-A10), model not like 4090,"
                        + " uuid in (GPU-1, GPU-2), uuid != GPU-3");
        assertThat(decoded(Map.of("nvidia.com/use-gputype", "a10")).matches(A100, DRIVER))
                .as("a part of the name is enough")
                .isTrue();
        assertThat(decoded(Map.of("nvidia.com/use-gputype", "NVIDIA-NVIDIA A100"))
                        .matches(A100, DRIVER))
                .as("HAMi registers cards under NVIDIA-<product name>")
                .isTrue();
        assertThat(decoded(Map.of("nvidia.com/nouse-gputype", "H100,a100")).matches(A100, DRIVER))
                .isFalse();
        assertThat(decoded(Map.of("nvidia.com/nouse-gputype", " ,"))).isEqualTo(CardSelector.ANY);
        assertThat(decoded(Map.of("nvidia.com/use-gpuindexes", "0,1", "nvidia.com/nouse-gpuindexes", "3")))
                .hasToString("index in (0, 1), index != 3");
        assertThat(SelectorCodec.decode(Map.of("nvidia.com/use-gpuuuid", "GPU-1, 7")))
                .isEqualTo(new Decoded.Malformed<>("annotation nvidia.com/use-gpuuuid: at character 8 ('7'): write a"
                        + " card's UUID as nvidia-smi -L shows it, GPU-… or MIG-…"));
    }

    @Property
    void theTextFormParsesToTheSameSelector(@ForAll("selectors") CardSelector selector) {
        assertThat(SelectorCodec.parse(selector.toString())).isEqualTo(selector);
    }

    @Property
    void anyTextIsParsedOrRejectedWithItsPosition(@ForAll("texts") String text) {
        try {
            CardSelector read = SelectorCodec.parse(text);
            Statistics.collect("parsed");
            assertThat(SelectorCodec.parse(read.toString())).isEqualTo(read);
        } catch (SelectorSyntaxException e) {
            Statistics.collect("rejected");
            assertThat(e.position()).isBetween(1, text.length() + 1);
        }
        Statistics.coverage(coverage -> {
            coverage.check("parsed").count(count -> count > 0);
            coverage.check("rejected").count(count -> count > 0);
        });
    }

    private static CardSelector decoded(Map<String, String> annotations) {
        return SelectorCodec.decode(annotations).valid().orElseThrow();
    }

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> pieces = Arbitraries.of(
                "memory",
                "model",
                "ecc",
                "uuid",
                "numa",
                "in",
                "not",
                "like",
                ">=",
                "<",
                "=",
                "!=",
                "(",
                ")",
                ",",
                "24Gi",
                "1G",
                "A100",
                "8.0",
                "true",
                "GPU-1",
                " ",
                "999999Ti",
                "0");
        return Arbitraries.oneOf(
                Arbitraries.strings().ofMaxLength(40),
                pieces.list().ofMaxSize(20).map(all -> String.join(" ", all)));
    }

    @Provide
    Arbitrary<CardSelector> selectors() {
        return Arbitraries.of(CardFact.values())
                .flatMap(SelectorCodecTest::conditions)
                .list()
                .ofMaxSize(6)
                .map(CardSelector::new);
    }

    private static Arbitrary<CardCondition> conditions(CardFact fact) {
        return Combinators.combine(
                        Arbitraries.of(tests(fact)),
                        values(fact).list().ofMinSize(1).ofMaxSize(4))
                .as((test, values) -> new CardCondition(fact, test, test.ordering() ? values.subList(0, 1) : values));
    }

    private static List<CardCondition.Test> tests(CardFact fact) {
        return switch (fact) {
            case MODEL ->
                List.of(
                        CardCondition.Test.IN,
                        CardCondition.Test.NOT_IN,
                        CardCondition.Test.LIKE,
                        CardCondition.Test.NOT_LIKE);
            case UUID, PARENT, PROFILE, ECC, MIG, ISOLATION ->
                List.of(CardCondition.Test.IN, CardCondition.Test.NOT_IN);
            case MEMORY, COMPUTE, CUDA, DRIVER, NUMA, INDEX ->
                List.of(
                        CardCondition.Test.IN,
                        CardCondition.Test.NOT_IN,
                        CardCondition.Test.LESS,
                        CardCondition.Test.AT_MOST,
                        CardCondition.Test.MORE,
                        CardCondition.Test.AT_LEAST);
        };
    }

    private static Arbitrary<FactValue> values(CardFact fact) {
        Arbitrary<Integer> numbers = Arbitraries.integers().between(0, 999);
        return switch (fact) {
            case MODEL ->
                Arbitraries.of("A100", "Tesla T4", "RTX 4090", "x.y_z/+-1").map(FactValue.Model::new);
            case MEMORY ->
                Combinators.combine(
                                Arbitraries.integers().between(0, 999_999),
                                Arbitraries.of("Mi", "Gi", "Ti", "M", "G", "T"))
                        .as(SelectorCodecTest::amount);
            case COMPUTE, CUDA, DRIVER ->
                numbers.list().ofMinSize(1).ofMaxSize(4).map(FactValue.Version::new);
            case ECC, MIG -> Arbitraries.of(true, false).map(FactValue.Flag::new);
            case NUMA, INDEX -> numbers.map(FactValue.Whole::new);
            case PROFILE ->
                Arbitraries.of("1g.10gb", "3g.40gb+me", "1c.3g.40gb").map(FactValue.Profile::new);
            case UUID, PARENT -> numbers.map(number -> new FactValue.Identity(new CardId("GPU-" + number)));
            case ISOLATION -> Arbitraries.of(Isolation.values()).map(FactValue.Enforced::new);
        };
    }

    private static FactValue amount(int count, String unit) {
        FactValue.@Nullable Amount amount = FactValue.Amount.of(count, unit);
        if (amount == null) {
            throw new AssertionError(unit);
        }
        return amount;
    }
}
