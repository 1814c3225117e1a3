package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Follows the logs of the programs, and of the supervisor of MPS, while they are written, because the kubelet removes
 * the log of a killed container.
 */
final class ProgramLogs {
    private static final String TERMINATED = "isolation: programs terminated in containers above their limit";
    private static final Map<String, String> COUNTED = Map.ofEntries(
            Map.entry("annotated with its cards", "differences found and repaired: the pod had no annotation"),
            Map.entry(
                    "did not name the cards that the containers have",
                    "differences found and repaired: the annotation named other cards"),
            Map.entry(
                    "the kubelet's devices are of another card",
                    "differences reported: annotation and devices name different cards"),
            Map.entry("AllocationHandler: refused: ", "programs: refusals by the plugin"),
            Map.entry("NodeClaims: refused: ", "programs: refusals by the driver of claims"),
            Map.entry(
                    " was given twice: ", "programs: refusals by the driver of claims, of a card that was given twice"),
            Map.entry(": leading as ", "programs: terms of an extender"),
            Map.entry(" - leading as ", "programs: terms of an extender"),
            Map.entry("can't be written on it", "programs: annotations that could not be written at the first attempt"),
            Map.entry(" pods from node ", "preemption by the extender: evictions began"),
            Map.entry("was not bound in time to node", "preemption by the extender: the pod was not bound in time"),
            Map.entry(" is terminated: the container's processes together use", TERMINATED),
            Map.entry(
                    "Programs that computed there have ended or get errors",
                    "isolation: failures of MPS on a card, reported by the plugin"),
            Map.entry(
                    ", for which pods were evicted, is gone",
                    "preemption by the extender: the pod was gone before it was bound"));
    private static final String OTHER_CARDS =
            "differences reported: the kubelet took devices of other cards than the container has, ";
    private static final List<String> FAULTS = List.of(" ERROR ", "OutOfMemory", "StackOverflow", "NullPointer");

    private static final Pattern OTHER_DEVICES =
            Pattern.compile("pod \\S+ \\((\\S+)\\) container (\\S+): the kubelet allocated devices of");
    private static final Pattern EVICTING = Pattern.compile("pod default/(\\S+): evicting \\d+ pods from node ");
    private static final Pattern TERMINATING = Pattern.compile(
            "pod default/(\\S+): Process \\d+ of container '\\S+' is terminated: the container's processes together");
    private static final List<String> REPORTED = List.of(
            "the kubelet allocated devices of",
            "AllocationHandler: refused: ",
            "NodeClaims: refused: ",
            "did not name the cards that the containers have",
            "the kubelet's devices are of another card");

    private final LocalCluster cluster;
    private final List<String> nodes;
    private final RunClock watch;
    private final Tally tally;
    private final Path kept;
    private final Map<Path, Long> read = new HashMap<>();
    private final Supplier<Snapshot> latest;
    // The node of each such container.
    private final Map<String, String> otherDevices = new ConcurrentHashMap<>();
    private final Map<String, Instant> preemptors = new ConcurrentHashMap<>();
    private final Map<String, Instant> terminated = new ConcurrentHashMap<>();

    /**
     * Follows the logs of these nodes.
     *
     * @param kept the file that collects all lines
     * @param latest the newest snapshot of the cluster
     */
    ProgramLogs(
            LocalCluster cluster,
            List<String> nodes,
            Path kept,
            Supplier<Snapshot> latest,
            RunClock watch,
            Tally tally) {
        this.cluster = cluster;
        this.nodes = nodes;
        this.kept = kept;
        this.latest = latest;
        this.watch = watch;
        this.tally = tally;
    }

    /** Reads the new lines of every log. */
    void follow() {
        for (String node : nodes) {
            try (Stream<Path> files = Files.find(
                    cluster.podLogs(node),
                    3,
                    (path, _) -> path.toString().contains("/kube-system_gpu-share-")
                            && path.toString().endsWith(".log"))) {
                files.forEach(file -> follow(node, file));
            } catch (IOException | UncheckedIOException e) {
                tally.count("checks: reads of logs while the kubelet removed some");
            }
        }
    }

    private void follow(String node, Path file) {
        long from = read.getOrDefault(file, 0L);
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, channel.size() - from));
            channel.position(from);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
            String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            int whole = text.lastIndexOf('\n') + 1;
            read.put(file, from + text.substring(0, whole).getBytes(StandardCharsets.UTF_8).length);
            keep(file, text.substring(0, whole));
            text.substring(0, whole).lines().forEach(line -> line(node, file, line));
        } catch (NoSuchFileException e) {
            read.remove(file);
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + file, e);
        }
    }

    /**
     * Whether the plugin has logged that the kubelet's devices are of other cards than the container's.
     *
     * @param container {@code <pod uid>/<container>}
     */
    boolean reportedOtherDevices(String container) {
        return otherDevices.containsKey(container);
    }

    /** The pods for which the extender has evicted others, by name, and when its log last said so. */
    Map<String, Instant> preemptors() {
        return Map.copyOf(preemptors);
    }

    /** The pods of which a program was terminated, by name, and when the plugin's log last said so. */
    Map<String, Instant> terminated() {
        return Map.copyOf(terminated);
    }

    /** Appends the lines to the file of all logs, which keeps them after the kubelet has removed the log. */
    private void keep(Path file, String text) throws IOException {
        Path pod =
                Objects.requireNonNull(Objects.requireNonNull(file.getParent()).getParent());
        String name = String.valueOf(pod.getFileName());
        String lines = text.lines().map(line -> name + " " + line + "\n").collect(Collectors.joining());
        Files.writeString(kept, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Counts such a container apart if an earlier one lives: its devices may be missing because of that one. */
    private void otherDevices(String node, String container) {
        boolean earlier = latest.get().running().stream()
                .anyMatch(use -> node.equals(otherDevices.get(use.uid() + "/" + use.container())));
        otherDevices.put(container, node);
        tally.count(OTHER_CARDS + (earlier ? "while such a container lived" : "and no such container lived"));
    }

    private void line(String node, Path file, String line) {
        Matcher match = OTHER_DEVICES.matcher(line);
        if (match.find()) {
            otherDevices(node, match.group(1) + "/" + match.group(2));
        }
        Matcher evicting = EVICTING.matcher(line);
        if (evicting.find()) {
            preemptors.put(evicting.group(1), Instant.now());
        }
        Matcher terminating = TERMINATING.matcher(line);
        if (terminating.find()) {
            terminated.put(terminating.group(1), Instant.now());
        }
        if (REPORTED.stream().anyMatch(line::contains)) {
            watch.say("a log says: " + Tally.shortened(line.replaceFirst("^.*?(WARN|INFO) *", "")));
        }
        COUNTED.forEach((words, counter) -> {
            if (line.contains(words)) {
                tally.count(counter);
            }
        });
        if (FAULTS.stream().anyMatch(line::contains)) {
            tally.violation("a program logged an error", file.toString(), line);
        }
    }
}
