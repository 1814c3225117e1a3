package io.gpushare.plugin.claims.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.CardId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
        Files.writeString(cdi.resolve("nvidia.yaml"), file("GPU-a", "/dev/nvidia0", "/dev/dri/card0"));
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

    /** The toolkit leaves out what is missing when it writes the file: its first pods started without their card. */
    @Test
    void aCardWithoutItsDeviceFilesIsNotGivenByName() throws IOException {
        for (String without : List.of(
                "kind: nvidia.com/gpu\ndevices:\n- name: GPU-a\n",
                "kind: nvidia.com/gpu\ndevices:\n- {name: GPU-a, containerEdits: {deviceNodes: [x, {path: 1}]}}\n",
                file("GPU-a", "/dev/dri/card0", "/dev/dri/renderD128"))) {
            Files.writeString(cdi.resolve("nvidia.yaml"), without);
            assertThat(namesIt()).isFalse();
        }
        assertThat(problems)
                .hasSize(3)
                .allMatch(problem -> problem.startsWith("Card GPU-a has no device file in " + cdi
                        + "/nvidia.yaml, which" + " was written before the files in /dev/nvidia* were there: "));
    }

    @Test
    void anInstanceHasThoseOfItsCapabilitiesBesideThatOfItsCard() throws IOException {
        CardId instance = new CardId("MIG-a");
        NvidiaCdi names = new NvidiaCdi(List.of(cdi), problems::add);
        Files.writeString(cdi.resolve("nvidia.yaml"), file("MIG-a", "/dev/nvidia0"));
        assertThat(names.names(Set.of(instance))).isFalse();
        Files.writeString(
                cdi.resolve("nvidia.yaml"),
                file("MIG-a", "/dev/nvidia0", "/dev/nvidia-caps/nvidia-cap66", "/dev/nvidia-caps/nvidia-cap67"));
        assertThat(names.names(Set.of(instance))).isTrue();
        assertThat(problems).hasSize(1);
    }

    private static String file(String name, String... paths) {
        return "kind: nvidia.com/gpu\ndevices:\n- name: " + name + "\n  containerEdits:\n    deviceNodes:\n"
                + Stream.of(paths).map(path -> "    - path: " + path + "\n").collect(Collectors.joining());
    }

    private boolean namesIt() {
        return new NvidiaCdi(List.of(cdi), problems::add).names(Set.of(A));
    }
}
