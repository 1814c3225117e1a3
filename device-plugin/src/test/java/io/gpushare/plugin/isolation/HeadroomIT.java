package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.isolation.IsolationMode;
import io.gpushare.plugin.node.isolation.TestHeadroom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * On every kind of card, for sets of shares that fill it, a program in each share can use its limit while all others
 * do, beside what the driver reserves, the contexts and the server of MPS.
 */
class HeadroomIT {
    private static final Logger LOG = LoggerFactory.getLogger(HeadroomIT.class);
    private static final String UUID = "GPU-8f6d0c3e-0000-4000-8000-000000000001";
    private static final List<MemoryUnit> UNITS = List.of(MemoryUnit.GIB, MemoryUnit.ofMib(256));
    private static final long SEED = 43;
    private static final int SETS = 3;
    /** Beyond them the plugin warns; MPS serves 48. */
    private static final int MOST_CLIENTS = 40;

    /** MiB that a context takes of a limit of MPS, and of one of the driver. */
    private static final Map<IsolationMode, Integer> CONTEXT =
            Map.of(IsolationMode.MPS, 514, IsolationMode.DRIVER, 518);

    private static final long LEAST = 768;
    /** Hundreds of programs start one after the other, each within some milliseconds. */
    private static final Duration SOON = Duration.ofMillis(2);

    private static final String CGROUP = "/sys/fs/cgroup/kubepods/pod";

    @TempDir
    Path dir;

    @Test
    void everyShareOfAFullCardCanBeUsed() throws Exception {
        Random random = new Random(SEED);
        int sets = 0;
        int programs = 0;
        for (TestHeadroom kind : TestHeadroom.KINDS) {
            for (IsolationMode mode : CONTEXT.keySet()) {
                for (int set = 0; set < SETS; set++) {
                    MemoryUnit unit = UNITS.get(set % UNITS.size());
                    List<Long> shares = shares(kind.units(mode, "auto", unit), unit, random);
                    assertThat(use(kind.kind(), shares, mode))
                            .as("%s, %s, MiB %s", kind.kind(), mode, shares)
                            .containsExactlyElementsOf(shares.stream()
                                    .map(share -> "ok " + (share - Objects.requireNonNull(CONTEXT.get(mode))))
                                    .toList());
                    sets++;
                    programs += shares.size();
                }
            }
        }
        LOG.info("headroom: seed {}, {} sets of shares, {} programs", SEED, sets, programs);
    }

    /** What the headroom is for. */
    @Test
    void withoutItTheLastProgramRunsOutOfMemoryBeforeItsLimit() throws Exception {
        TestHeadroom t4 = TestHeadroom.KINDS.getFirst();
        assertThat(t4.units(IsolationMode.MPS, "none", MemoryUnit.GIB)).isEqualTo(15);
        assertThat(use("T4", List.of(8192L, 7168L), IsolationMode.MPS)).containsExactly("ok 7678", "error 2");
    }

    /** Shares in MiB that fill the units, each large enough for a context. */
    private static List<Long> shares(int units, MemoryUnit unit, Random random) {
        int least = (int) Math.ceilDiv(LEAST, unit.size().mib());
        List<Long> shares = new ArrayList<>();
        int left = units;
        int most = Math.max(least + 1, units / (1 + random.nextInt(MOST_CLIENTS)));
        while (left >= 2 * least && shares.size() < MOST_CLIENTS - 1) {
            int share = Math.min(left - least, least + random.nextInt(most));
            shares.add(share * unit.size().mib());
            left -= share;
        }
        shares.add(left * unit.size().mib());
        return shares;
    }

    /** What programs print that all take what their shares leave beside their contexts. */
    private List<String> use(String kind, List<Long> shares, IsolationMode mode) throws Exception {
        Path place = Files.createTempDirectory(dir, "set");
        Files.writeString(place.resolve("cards"), "card kind=" + kind + " context=on uuid=" + UUID + "\n");
        List<Tenant> tenants = new ArrayList<>();
        try {
            if (mode == IsolationMode.MPS) {
                control(place, "-d");
                control(place, "start_server -uid 0");
            } else {
                limit(place, shares);
            }
            List<String> printed = new ArrayList<>();
            for (int i = 0; i < shares.size(); i++) {
                Tenant tenant = Tenant.start(
                        place,
                        environment(place, shares.get(i), i, mode),
                        0,
                        String.valueOf(shares.get(i) - Objects.requireNonNull(CONTEXT.get(mode))));
                tenants.add(tenant);
                await().pollDelay(Duration.ZERO)
                        .pollInterval(SOON)
                        .until(() -> !tenant.lines().isEmpty());
                printed.add(tenant.lines().getFirst());
            }
            return printed;
        } finally {
            tenants.forEach(Tenant::close);
            if (mode == IsolationMode.MPS) {
                control(place, "quit");
            }
        }
    }

    private static Map<String, String> environment(Path place, long share, int number, IsolationMode mode) {
        Map<String, String> environment = new HashMap<>(Map.of("NVIDIA_VISIBLE_DEVICES", UUID));
        if (mode == IsolationMode.MPS) {
            environment.put("CUDA_MPS_PIPE_DIRECTORY", place.toString());
            environment.put("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=" + share + "M");
        } else {
            environment.put("CUDA_MPS_PIPE_DIRECTORY", place.resolve("none").toString());
            environment.put("GPUSHARE_SIMULATED_CGROUP", CGROUP + number);
        }
        return environment;
    }

    /** The limits of the driver, one for the cgroup of each program. */
    private static void limit(Path place, List<Long> shares) throws IOException {
        StringBuilder limits = new StringBuilder();
        for (int i = 0; i < shares.size(); i++) {
            long bytes = shares.get(i) << 20;
            limits.append("limit %s %d %d %s%d%n".formatted(UUID, bytes, bytes, CGROUP, i));
        }
        Files.writeString(place.resolve("cards.kept"), limits);
    }

    /** Starts the control daemon, or gives it a command. */
    private static void control(Path place, String command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(
                List.of(Tenant.programs().resolve("nvidia-cuda-mps-control").toString()));
        boolean starts = command.startsWith("-");
        if (starts) {
            line.add(command);
        }
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(place.resolve("control.out").toFile());
        builder.environment()
                .putAll(Map.of(
                        "CUDA_VISIBLE_DEVICES", UUID,
                        "CUDA_MPS_PIPE_DIRECTORY", place.toString(),
                        "CUDA_MPS_LOG_DIRECTORY", place.toString(),
                        "GPUSHARE_SIMULATED_CARDS", place.resolve("cards").toString()));
        Process process = builder.start();
        try (var input = process.outputWriter()) {
            input.write(starts ? "" : command + "\n");
        }
        assertThat(process.waitFor()).as(command).isZero();
    }
}
