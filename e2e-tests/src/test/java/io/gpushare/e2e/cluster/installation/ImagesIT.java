package io.gpushare.e2e.cluster.installation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.e2e.cluster.Command;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The image files of {@code deploy/images/build}, without a cluster. */
@Tag("cluster")
class ImagesIT {
    private static final Duration BUILD = Duration.ofMinutes(10);
    private static final Path IMAGES = SharedCluster.ROOT.resolve("deploy/images");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path first;

    @BeforeAll
    static void build() {
        build(first);
    }

    @Test
    void theSameSourcesGiveTheSameFiles(@TempDir Path second) throws Exception {
        build(second);
        for (String file : files(first)) {
            assertThat(Files.mismatch(first.resolve(file), second.resolve(file)))
                    .as(file)
                    .isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"device-plugin", "scheduler-extender"})
    void theSbomNamesEachJarByItsDigestAndTheRuntimeAndTheCLibrary(String program) throws Exception {
        JsonNode sbom =
                JSON.readTree(first.resolve("gpushare-" + program + ".cdx.json").toFile());
        assertThat(sbom.path("bomFormat").asText()).isEqualTo("CycloneDX");
        assertThat(sbom.at("/metadata/component/name").asText()).isEqualTo(program);
        List<String> digests = sbom.findParents("alg").stream()
                .filter(hash -> hash.path("alg").asText().equals("SHA-256"))
                .map(hash -> hash.path("content").asText())
                .toList();
        try (Stream<Path> jars = Files.list(first.resolve(program).resolve("app/lib"))) {
            List<Path> libraries = jars.filter(
                            jar -> !jar.getFileName().toString().startsWith(program))
                    .toList();
            assertThat(libraries)
                    .isNotEmpty()
                    .allSatisfy(jar -> assertThat(digests).as(jar.toString()).contains(sha256(jar)));
        }
        assertThat(sbom.path("components").findValuesAsText("purl"))
                .anyMatch(purl -> purl.startsWith("pkg:deb/debian/libc6@"))
                .anyMatch(purl -> purl.startsWith("pkg:generic/openjdk@25"))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(strings = {"device-plugin", "scheduler-extender"})
    void labelsSayWhatTheImageIs(String program) throws Exception {
        JsonNode labels = config(first.resolve("gpushare-" + program + ".tar")).at("/config/Labels");
        assertThat(labels.path("org.opencontainers.image.title").asText()).isEqualTo(program);
        assertThat(labels.path("org.opencontainers.image.version").asText()).isEqualTo("1.2.3");
        assertThat(labels.path("org.opencontainers.image.licenses").asText()).isEqualTo("Apache-2.0");
        assertThat(labels.path("org.opencontainers.image.description").asText()).isNotEmpty();
        assertThat(labels.path("org.opencontainers.image.source").asText()).isEqualTo("https://example.com/gpushare");
    }

    private static void build(Path folder) {
        Command.output(
                BUILD,
                List.of(
                        IMAGES.resolve("build").toString(),
                        "-k",
                        "-o",
                        folder.toString(),
                        "-t",
                        "1.2.3",
                        "-l",
                        "org.opencontainers.image.source=https://example.com/gpushare"));
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("gpushare-.*\\.(tar|cdx\\.json)"))
                    .sorted()
                    .toList();
            assertThat(names).hasSize(4);
            return names;
        }
    }

    private static JsonNode config(Path image) throws IOException {
        String manifest = Command.output(BUILD, List.of("tar", "-xOf", image.toString(), "./manifest.json"));
        String config = JSON.readTree(manifest).at("/0/Config").asText();
        return JSON.readTree(Command.output(BUILD, List.of("tar", "-xOf", image.toString(), "./" + config)));
    }

    private static String sha256(Path file) {
        return Command.output(BUILD, List.of("sha256sum", file.toString())).split(" ", 2)[0];
    }
}
