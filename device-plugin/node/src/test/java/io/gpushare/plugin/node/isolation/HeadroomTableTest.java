package io.gpushare.plugin.node.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.MemoryUnit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** How many units each kind of card has. */
class HeadroomTableTest {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", "../.."));

    private static final MemoryUnit FINE = MemoryUnit.ofMib(256);

    static final java.util.List<TestHeadroom> KINDS = TestHeadroom.KINDS;

    /** The table of deploy/docs/reference/support.md. */
    @ParameterizedTest
    @FieldSource("KINDS")
    void theTableOfTheDocumentationIsTrue(TestHeadroom kind) throws IOException {
        String row = "| %s | %,d | %d | %d | %d | %d | %d | %d | %d |"
                .formatted(
                        kind.kind(),
                        kind.mib(),
                        kind.reserved(),
                        kind.units(IsolationMode.NONE, "auto", MemoryUnit.GIB),
                        kind.units(IsolationMode.DRIVER, "auto", MemoryUnit.GIB),
                        kind.units(IsolationMode.MPS, "auto", MemoryUnit.GIB),
                        kind.units(IsolationMode.NONE, "auto", FINE),
                        kind.units(IsolationMode.DRIVER, "auto", FINE),
                        kind.units(IsolationMode.MPS, "auto", FINE));
        assertThat(Files.readString(ROOT.resolve("deploy/docs/reference/support.md")))
                .contains(row);
    }

    @Test
    void gpusharesT4KeepsItsUnitsWithoutIsolation() {
        TestHeadroom t4 = KINDS.getFirst();
        assertThat(t4.units(IsolationMode.NONE, "auto", MemoryUnit.GIB)).isEqualTo(15);
        assertThat(t4.units(IsolationMode.MPS, "none", MemoryUnit.GIB)).isEqualTo(15);
        assertThat(t4.units(IsolationMode.NONE, "448", MemoryUnit.GIB)).isEqualTo(14);
        assertThat(IntStream.of(14, 14))
                .containsExactly(
                        t4.units(IsolationMode.DRIVER, "auto", MemoryUnit.GIB),
                        t4.units(IsolationMode.MPS, "auto", MemoryUnit.GIB));
    }
}
