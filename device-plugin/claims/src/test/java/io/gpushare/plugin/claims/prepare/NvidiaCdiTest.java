package io.gpushare.plugin.claims.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.CardId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of others beside NVIDIA's. */
class NvidiaCdiTest {
    private static final CardId A = new CardId("GPU-a");

    @TempDir
    private Path cdi;

    private final List<String> problems = new ArrayList<>();

    @BeforeEach
    void nvidia() throws IOException {
        Files.writeString(cdi.resolve("nvidia.yaml"), "kind: nvidia.com/gpu\ndevices:\n- name: GPU-a\n");
    }

    @Test
    void manyFilesOfAnotherDriverDoNotHideIt() throws IOException {
        for (int file = 0; file < 200; file++) {
            Files.writeString(cdi.resolve("a" + file + ".yaml"), "kind: nic.example.com/claim\ndevices: []\n");
        }
        assertThat(namesIt()).isTrue();
        assertThat(problems)
                .containsExactly(cdi + " has 201 files of other drivers: 64 are read, first those with nvidia in their"
                        + " names.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kind: nvidia.com/gpu\ndevices:\n- name: &a [[*a]]\n",
                "kind: nvidia.com/gpu\nx: !!int abc\n",
                "kind: nvidia.com/gpu\n- :",
                "[nvidia.com/gpu]",
            })
    void whatIsNoFileOfDevicesIsNoneAndEndsNothing(String content) throws IOException {
        Files.writeString(cdi.resolve("other.yaml"), content);
        assertThat(namesIt()).isTrue();
    }

    @Test
    void aFileOfAnotherKindIsNotParsed() throws IOException {
        Files.writeString(cdi.resolve("other.yaml"), "kind: other.com/nic\n- :");
        assertThat(namesIt()).isTrue();
        assertThat(problems).isEmpty();
    }

    private boolean namesIt() {
        return new NvidiaCdi(List.of(cdi), problems::add).names(Set.of(A));
    }
}
