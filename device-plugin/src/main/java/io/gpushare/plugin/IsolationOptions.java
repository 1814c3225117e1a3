package io.gpushare.plugin;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.CardIsolation.CoreCap;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.options.SecondsConverter;
import io.gpushare.plugin.node.isolation.IsolationMode;
import io.gpushare.plugin.node.isolation.IsolationPolicy;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.ReservedMemory;
import io.gpushare.plugin.node.isolation.driver.DriverIsolation;
import io.gpushare.plugin.node.isolation.driver.MemoryLimits;
import io.gpushare.plugin.node.isolation.driver.PodCgroups;
import io.gpushare.plugin.node.isolation.hami.HamiCoreDirectory;
import io.gpushare.plugin.node.isolation.hami.HamiCoreIsolation;
import io.gpushare.plugin.node.isolation.hami.HamiCoreLibrary;
import io.gpushare.plugin.node.isolation.mps.MpsIsolation;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of isolation: what holds containers to their share of a card's memory. */
final class IsolationOptions {
    @Option(
            names = "--isolation",
            paramLabel = "<name>",
            description =
                    "What holds containers to their share of a card: none (memory is only counted), driver (memory"
                        + " limits of the driver, 615 and newer), mps (NVIDIA's MPS), hami-core (a library that"
                        + " programs preload), or auto (driver if every card without MIG can have it, otherwise none)."
                        + " A card that can't have it offers no memory. See deploy/docs/operate/isolation.md. [none]")
    private @Nullable IsolationMode mode;

    @Option(
            names = "--isolation-fallback",
            paramLabel = "none",
            description = "With none, cards that can't have the isolation offer memory that is only counted. Without"
                    + " this option they offer none. [not set]")
    private @Nullable IsolationMode fallback;

    @Option(
            names = "--reserved-memory",
            paramLabel = "<amount>",
            defaultValue = "auto",
            description = "What is kept of each card before the rest is cut into units: auto (with --isolation what the"
                    + " driver reserves and the isolation needs, otherwise nothing), none, or a number of MiB. See"
                    + " deploy/docs/operate/isolation.md#what-is-kept-of-a-card. [auto]")
    String reservedMemory = "auto";

    @Option(
            names = "--mps-default-cores",
            paramLabel = "<share>",
            defaultValue = "memory",
            description = "What a container may use of a card's cores under MPS if it requests none: none (all), a"
                    + " percentage, memory (as much as it holds of the memory, at least 10 percent), or"
                    + " memory*<factor>. See deploy/docs/operate/isolation.md#containers-that-request-no-cores."
                    + " [memory]")
    String defaultCores = "memory";

    @Option(
            names = "--mps",
            arity = "0..1",
            paramLabel = "<true|false>",
            defaultValue = "false",
            fallbackValue = "true",
            description = "As in gpushare's manifests: true is --isolation=mps and --isolation-fallback=none. [false]")
    private boolean mps;

    @Option(
            names = "--cgroup-root",
            paramLabel = "<directory>",
            defaultValue = "/sys/fs/cgroup",
            description = "The node's cgroup file system (version 2), in which --isolation=driver finds the pods."
                    + " [/sys/fs/cgroup]")
    Path cgroupRoot = Path.of("");

    @Option(
            names = "--mps-dir",
            paramLabel = "<directory>",
            defaultValue = "/run/gpushare/mps",
            description = "The directory that the plugin shares with the supervisor of MPS. [/run/gpushare/mps]")
    Path mpsDir = Path.of("");

    @Option(
            names = "--mps-over-use-grace",
            paramLabel = "<n>s",
            defaultValue = "10s",
            converter = SecondsConverter.class,
            description = "How long the processes of a container may together exceed its limit under MPS, which limits"
                    + " each by itself; the newest one is terminated then. [10s]")
    private @Nullable Duration overUseGrace = Duration.ofSeconds(10);

    @Option(
            names = "--hami-core-library",
            paramLabel = "<file>",
            defaultValue = "/usr/local/vgpu/libvgpu.so",
            description =
                    "For --isolation=hami-core: the library of HAMi-core on the node, which the plugin reads under"
                            + " the same path. [/usr/local/vgpu/libvgpu.so]")
    private Path hamiCoreLibrary = Path.of("");

    @Option(
            names = "--hami-core-dir",
            paramLabel = "<directory>",
            defaultValue = "/var/lib/gpushare/hami-core",
            description = "For --isolation=hami-core: a directory of the node, in which containers have directories of"
                    + " their own. [/var/lib/gpushare/hami-core]")
    private Path hamiCoreDir = Path.of("");

    List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (mps && mode != null && mode != IsolationMode.MPS) {
            problems.add("--mps=true and --isolation=" + mode + " contradict each other: leave --mps out");
        }
        if (fallback != null && fallback != IsolationMode.NONE) {
            problems.add("--isolation-fallback=" + fallback + " is not possible: cards without isolation can only be"
                    + " counted, write none or leave it out");
        }
        problem("--reserved-memory", reservedMemory, ReservedMemory::parse).ifPresent(problems::add);
        problem("--mps-default-cores", defaultCores, CoreCap::parse).ifPresent(problems::add);
        if (mps || mode == IsolationMode.MPS) {
            new MpsDirectory(mpsDir.toAbsolutePath()).problem().ifPresent(problems::add);
        }
        if (overUseGrace == null) {
            problems.add("--mps-over-use-grace is empty: write seconds, such as 10s, or leave it out");
        }
        return problems;
    }

    IsolationPolicy policy() {
        IsolationMode asked = mode != null ? mode : mps ? IsolationMode.MPS : IsolationMode.NONE;
        return new IsolationPolicy(
                asked, fallback != null || mps, ReservedMemory.parse(reservedMemory), CoreCap.parse(defaultCores));
    }

    private static Optional<String> problem(String option, String value, Consumer<String> parser) {
        try {
            parser.accept(value);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(option + ": " + e.getMessage());
        }
    }

    /** What holds containers to their shares. */
    IsolationProvider provider(
            MpsIsolation.Sources sources, MemoryLimits limits, EventRecorder events, InstantSource clock) {
        return switch (policy().wanted()) {
            // The hardware isolates MIG instances; the plugin has nothing to do for it.
            case NONE, MIG -> new IsolationProvider() {};
            case DRIVER -> new DriverIsolation(limits, new PodCgroups(cgroupRoot.toAbsolutePath()), events);
            case HAMI_CORE ->
                new HamiCoreIsolation(
                        new HamiCoreLibrary(hamiCoreLibrary.toAbsolutePath()),
                        new HamiCoreDirectory(hamiCoreDir.toAbsolutePath()));
            case MPS ->
                new MpsIsolation(
                        new MpsDirectory(mpsDir.toAbsolutePath()),
                        Objects.requireNonNull(overUseGrace),
                        sources,
                        events,
                        clock);
        };
    }
}
