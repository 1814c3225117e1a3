package io.gpushare.e2e.card;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pack, and its run with the simulated driver, whose figures of memory are those of the card that was seen. */
@Tag("release")
class OnACardIT {
    private static final Path SCRIPTS = Path.of("on-a-card").toAbsolutePath();
    private static final long MOST_BYTES = 64L << 20; // what a tool for files takes at once

    @TempDir
    Path dir;

    @Test
    void thePackFitsAndItsPartsPassWithTheSimulatedDriver() throws Exception {
        Path archive = dir.resolve("on-a-card.tgz");
        run("pack", archive.toString());
        assertThat(archive).satisfies(file -> assertThat(Files.size(file)).isLessThan(MOST_BYTES));

        String output = run("try", archive.toString(), dir.toString(), "--measure=20");
        JsonNode report = new ObjectMapper().readTree(dir.resolve("report.json").toFile());
        Map<String, String> outcomes = new LinkedHashMap<>();
        report.path("parts")
                .forEach(part -> outcomes.put(
                        part.path("part").asText(), part.path("outcome").asText()));
        assertThat(outcomes.keySet())
                .as(output)
                .containsExactlyElementsOf(Part.all().stream().map(Part::name).toList());
        assertThat(outcomes)
                .containsEntry("mps-limits", "passed")
                .containsEntry("claims", "passed")
                .containsEntry("frameworks", "passed")
                .doesNotContainValue("failed");
        assertThat(dir.resolve("report.md"))
                .content()
                .contains(
                        "the card's memory in use grew by: 1038 MiB",
                        "2050 MiB by NVML; filled 1534 error 2 free 1534 total 81079",
                        "the card's memory in use then: 690 MiB",
                        "a program of pod claim-two with {} gets 2048 MiB and no more",
                        "a claim on the whole card is refused: Failed to prepare dynamic resources",
                        "with 25 percent, which sees cores 32",
                        "a container of 4 GiB has GPUSHARE_MEMORY_FRACTION: 0.0441",
                        "JAX under MPS with its default: ended with 134",
                        "JAX under MPS with the variable starts",
                        "torch-expandable under HAMi-core stays within its share",
                        "inference with time-slicing, beside a neighbour: infer p50 1.00",
                        "compute mode DEFAULT, before DEFAULT; 0 MiB in use");
    }

    private String run(String script, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(SCRIPTS.resolve(script).toString()));
        command.addAll(List.of(arguments));
        Path log = dir.resolve(script + ".log");
        int code = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        String output = Files.readString(log);
        assertThat(code).as(output).isZero();
        return output;
    }
}
