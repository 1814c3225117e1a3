package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Containers get their cards by the names in the file of NVIDIA's toolkit, where there is one. */
class NvidiaCdiIT extends WholeProgramWithClaims {
    @BeforeEach
    void cards() throws IOException {
        cards(CARD_A, CARD_B);
        Files.createDirectories(cdi());
        Files.createDirectories(dir.resolve("etc"));
    }

    /** As {@code nvidia-ctk cdi generate} writes it, but for most edits. */
    private static String yaml(String... names) {
        return """
            ---
            cdiVersion: 0.5.0
            containerEdits:
              deviceNodes:
              - path: /dev/nvidiactl
              env:
              - NVIDIA_VISIBLE_DEVICES=void
              hooks:
              - args: [nvidia-cdi-hook, update-ldcache]
                hookName: createContainer
                path: /usr/bin/nvidia-cdi-hook
            devices:
            %s
            kind: nvidia.com/gpu
            """.formatted(Stream.of(names).map(name -> """
                - containerEdits:
                    deviceNodes:
                    - path: /dev/nvidia0
                  name: %s\
                """.formatted(name)).collect(Collectors.joining("\n")));
    }

    private List<String> given(String claim) {
        return List.copyOf(prepare(claim).getDevices(0).getCdiDeviceIdsList());
    }

    private List<String> reported() {
        return api.events().stream()
                .filter(event -> event.contains("GpuCdiFile"))
                .toList();
    }

    /** Under plain runc such a pod ran without a card, and without an error. */
    @Test
    void aCardIsGivenByItsNameWhereNvidiasFileHasItAndElseByTheVariable() throws Exception {
        serve();
        slice();
        claim("variable", result("gpu", A, "3Gi", "s1"));
        assertThat(given("variable")).containsExactly("gpushare.io/claim=uid-variable_gpu");
        assertThat(environment("variable")).contains("NVIDIA_VISIBLE_DEVICES=" + A);

        Files.writeString(cdi().resolve("nvidia.yaml"), yaml("\"0\"", A, "\"1\"", B, "all"));
        claim("name", result("gpu", A, "3Gi", "s2"), result("gpu", B, "3Gi", "s3"));
        assertThat(given("name"))
                .containsExactly("nvidia.com/gpu=" + A, "nvidia.com/gpu=" + B, "gpushare.io/claim=uid-name_gpu");
        assertThat(environment("name")).contains("NVIDIA_VISIBLE_DEVICES=void", "GPUSHARE_MEMORY_MIB=3072");
        assertThat(given("variable")).as("its container starts again").startsWith("nvidia.com/gpu=" + A);

        Files.delete(cdi().resolve("nvidia.yaml"));
        Files.writeString(
                dir.resolve("etc/nvidia.json"),
                "{\"cdiVersion\": \"0.5.0\", \"kind\": \"nvidia.com/gpu\", \"devices\": [{\"name\": \"" + B
                        + "\", \"containerEdits\": {\"deviceNodes\": [{\"path\": \"/dev/nvidia1\"}]}}]}");
        claim("static", result("gpu", B, "3Gi", "s4"));
        assertThat(given("static")).startsWith("nvidia.com/gpu=" + B);
        assertThat(reported()).isEmpty();
    }

    @Test
    void whatTheFileLacksAndOneThatCantBeReadAreSaidOnce() throws Exception {
        Path file = Files.writeString(cdi().resolve("nvidia.yaml"), yaml("\"0\"", "\"1\"", "all"));
        serve();
        slice();
        for (int i = 0; i < 3; i++) {
            claim("by-index" + i, result("gpu", A, "1Gi", "s" + i));
            assertThat(given("by-index" + i)).containsExactly("gpushare.io/claim=uid-by-index" + i + "_gpu");
        }
        await().until(() -> reported().size() == 1);
        assertThat(reported().getFirst())
                .contains("Card " + A + " has no device of its UUID in " + file, "--device-name-strategy=uuid");

        Files.writeString(file, "kind: nvidia.com/gpu\ndevices: [");
        Files.writeString(cdi().resolve("large.json"), " ".repeat((1 << 18) + 1));
        Files.writeString(cdi().resolve("other.yaml"), "kind: example.com/nic");
        for (int i = 3; i < 6; i++) {
            claim("malformed" + i, result("gpu", A, "1Gi", "s" + i));
            prepare("malformed" + i);
            assertThat(environment("malformed" + i)).contains("NVIDIA_VISIBLE_DEVICES=" + A);
        }
        await().until(() -> reported().size() == 3);
        assertThat(reported().get(1) + reported().get(2))
                .contains(file + " can't be read, and counts as absent", "large.json", "it has more than 262144 bytes");
    }

    @Test
    void theOptionDecidesWhereItIsGiven() throws Exception {
        Files.writeString(cdi().resolve("nvidia.yaml"), yaml(A));
        serve("--device-list-strategy=envvar");
        slice();
        claim("variable", result("gpu", A, "3Gi", "s1"));
        assertThat(given("variable")).containsExactly("gpushare.io/claim=uid-variable_gpu");
    }

    private static String container(String name, String... claims) {
        return "{\"name\": \"%s\", \"resources\": {\"claims\": [%s]}}"
                .formatted(
                        name,
                        Stream.of(claims)
                                .map(claim -> "{\"name\": \"" + claim + "\"}")
                                .collect(Collectors.joining(", ")));
    }

    /** It was refused for ever with advice that it could not follow: each container has a claim, as it should. */
    @Test
    void anInitContainerMayUseAllWholeCardsOfItsPod() throws Exception {
        Files.writeString(cdi().resolve("nvidia.yaml"), yaml(A, B));
        serve();
        slice();
        claim("one", result("r0", A, "15Gi", "s1"));
        claim("two", result("r0", B, "15Gi", "s2"));
        pod("one", container("preflight", "gpu", "more"), container("x", "gpu") + ", " + container("y", "more"));
        assertThat(given("one")).containsExactly("nvidia.com/gpu=" + A, "gpushare.io/claim=uid-one_r0");
        assertThat(given("two")).containsExactly("nvidia.com/gpu=" + B, "gpushare.io/claim=uid-two_r0");
        assertThat(environment("one")).containsExactly("NVIDIA_VISIBLE_DEVICES=void");
        unprepare("one");
        unprepare("two");

        claim("both", result("r0", A, "15Gi", "s3"), result("r1", B, "15Gi", "s4"));
        pod("both", container("preflight", "gpu"), container("x"));
        assertThat(prepare("both").getDevicesCount()).isEqualTo(2);
        unprepare("both");

        claim("equal", result("r0", A, "3Gi", "s6"), result("r1", B, "3Gi", "s7"));
        pod("equal", container("preflight", "gpu"), container("x"));
        assertThat(error("equal"))
                .startsWith("claim default/equal: container 'preflight' of pod default/equal uses several requests with"
                        + " cards");

        claim("part", result("r0", A, "3Gi", "s5"));
        pod("part", container("preflight", "gpu", "more"), container("x", "gpu") + ", " + container("y", "more"));
        assertThat(error("part"))
                .startsWith("claim default/part: container 'preflight' of pod default/part uses claim default/two as"
                        + " well, and the variables of one replace those of the other");
    }
}
