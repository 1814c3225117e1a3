package io.gpushare.model.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "8, 8",
        "007, 7",
        "1500m, 1.5",
        "2k, 2000",
        "64Gi, 68719476736",
        "1E, 1000000000000000000",
        "1E3, 1000",
        "1e-3, 0.001",
        "1.5Gi, 1610612736",
        "12., 12",
        "+3, 3",
        "3n, 0.000000003",
        "18446744074783293440, 18446744074783293440",
        "999999999999999999Ei, 1152921504606846974847078495393153024",
    })
    void theExactNumber(String written, BigDecimal number) {
        assertThat(Quantity.parse(written))
                .hasValueSatisfying(read -> assertThat(read).isEqualByComparingTo(number));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "m", "Gi", "1gi", "1 Gi", "1i", "e3", "٣", "0x1"})
    void anythingElseIsEmpty(String written) {
        assertThat(Quantity.parse(written)).isEmpty();
    }

    /** A sign only changes the path that parses it. */
    @Property
    void bothPathsParseTheSame(@ForAll("quantities") String text) {
        List<BigDecimal> signed = Quantity.parse("+" + text).stream().toList();
        assertThat(Quantity.parse(text).stream().toList())
                .usingElementComparator(BigDecimal::compareTo)
                .isEqualTo(signed);
    }

    @Provide
    Arbitrary<String> quantities() {
        return Combinators.combine(
                        Arbitraries.strings().numeric().ofMaxLength(20),
                        Arbitraries.of(
                                "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
                                ".5", "e3", "E-2", "K", "i", " "))
                .as(String::concat);
    }
}
