package io.gpushare.plugin.claims.prepare;

import io.gpushare.model.card.CardId;
import io.gpushare.model.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The names of cards in the file that NVIDIA's container toolkit keeps for container runtimes, of the kind
 * {@code nvidia.com/gpu}. {@code nvidia-ctk cdi generate} writes a device for each card by its index and by its UUID,
 * or as {@code --device-name-strategy} says, in older versions by the index alone, and one of all cards. It leaves out
 * device files that are missing at that moment, without an error: such a device is not its card.
 *
 * @see <a href="https://github.com/cncf-tags/container-device-interface/blob/main/SPEC.md">the format of the files</a>
 */
public final class NvidiaCdi {
    private static final String KIND = "nvidia.com/gpu";
    /** A file of eight cards has some 50 KiB. */
    private static final int LARGEST = 1 << 18;

    private static final int MOST_FILES = 64;
    private static final String DISPLAYS = "/dev/dri/";
    /** Without one of these a container sees the card of its instance, and can't use it. */
    private static final String CAPABILITIES = "/dev/nvidia-caps/";

    private static final String VARIABLE =
            ": containers with claims on it get NVIDIA_VISIBLE_DEVICES, which NVIDIA's runtime alone reads. Write the"
                    + " file";

    private final List<Path> directories;
    private final Consumer<String> problems;
    private Found found = new Found(List.of(), List.of());
    private final Set<String> reported = new HashSet<>();

    /**
     * A file of NVIDIA's cards.
     *
     * @param devices by name, whether it has the device files of its card
     */
    private record Spec(Path file, Map<String, Boolean> devices) {
        boolean gives(CardId card) {
            return devices.getOrDefault(card.uuid(), false);
        }
    }

    /**
     * What is in the directories.
     *
     * @param problems of files that can't be read
     */
    private record Found(List<Spec> specs, List<String> problems) {}

    /**
     * Files that may come and go.
     *
     * @param directories those in which the container runtime finds files
     * @param problems receives a sentence when a file can't be read, or lacks a card
     */
    public NvidiaCdi(List<Path> directories, Consumer<String> problems) {
        this.directories = List.copyOf(directories);
        this.problems = problems;
    }

    /** Whether the runtime can give all these cards to a container by their UUIDs; it may be asked at any time. */
    synchronized boolean names(Set<CardId> cards) {
        List<String> unread = new ArrayList<>();
        List<Spec> specs = directories.stream()
                .flatMap(directory -> files(directory, unread).stream())
                .flatMap(file -> read(file, unread).stream())
                .toList();
        Found now = new Found(specs, unread);
        if (!now.equals(found)) {
            found = now;
            reported.clear();
        }
        unread.forEach(this::report);
        Optional<CardId> missing = cards.stream()
                .filter(card -> specs.stream().noneMatch(spec -> spec.gives(card)))
                .findFirst();
        if (!specs.isEmpty()) {
            missing.ifPresent(card -> report(lacks(card, specs)));
        }
        return missing.isEmpty();
    }

    private static String lacks(CardId card, List<Spec> specs) {
        return specs.stream()
                .filter(spec -> spec.devices().containsKey(card.uuid()))
                .findFirst()
                .map(spec -> "Card " + card + " has no device file in " + spec.file()
                        + ", which was written before the files in /dev/nvidia* were there" + VARIABLE
                        + " again with nvidia-ctk cdi generate.")
                .orElseGet(() -> "Card " + card + " has no device of its UUID in "
                        + specs.stream().map(spec -> spec.file().toString()).collect(Collectors.joining(", "))
                        + VARIABLE + " with nvidia-ctk cdi generate --device-name-strategy=uuid.");
    }

    /** Once, as long as the files are as they are. */
    private void report(String sentence) {
        if (reported.add(sentence)) {
            problems.accept(sentence);
        }
    }

    /** Those that runtimes read, without the files of claims. */
    private static List<Path> files(Path directory, List<String> unread) {
        List<Path> found = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.{json,yaml}")) {
                for (Path file : files) {
                    if (!CdiFiles.ofClaim(file) && Files.isRegularFile(file)) {
                        found.add(file);
                    }
                }
            } catch (IOException | DirectoryIteratorException e) {
                unread.add(unreadable(directory, e.toString()));
            }
        }
        if (found.size() <= MOST_FILES) {
            return found;
        }
        unread.add(directory + " has " + found.size() + " files of other drivers: " + MOST_FILES
                + " are read, first those with nvidia in their names.");
        return found.stream()
                .sorted(Comparator.comparing((Path file) ->
                                !String.valueOf(file.getFileName()).contains("nvidia"))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST_FILES)
                .toList();
    }

    private static String unreadable(Path path, String why) {
        return path + " can't be read, and counts as absent: " + Printable.line(why, 256) + ".";
    }

    /** The file, if it is about NVIDIA's cards. YAML has JSON in it. */
    private static Optional<Spec> read(Path file, List<String> unread) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(LARGEST + 1);
            if (content.length > LARGEST) {
                throw new IOException("it has more than " + LARGEST + " bytes");
            }
            String text = new String(content, StandardCharsets.UTF_8);
            if (!text.contains(KIND)) {
                return Optional.empty(); // a tree takes thirty times the memory
            }
            Object document = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
            if (document instanceof Map<?, ?> spec) {
                return KIND.equals(spec.get("kind"))
                        ? Optional.of(new Spec(file, devices(spec.get("devices"))))
                        : Optional.empty();
            }
            throw new IOException("it is no object");
        } catch (IOException | YAMLException | IllegalArgumentException e) { // of a tag that does not fit its value
            unread.add(unreadable(file, String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }

    private static Map<String, Boolean> devices(@Nullable Object devices) {
        Map<String, Boolean> found = new HashMap<>();
        for (Map<?, ?> device : objects(devices)) {
            if (device.get("name") instanceof String name) {
                found.merge(name, complete(name, device.get("containerEdits")), Boolean::logicalOr);
            }
        }
        return Map.copyOf(found);
    }

    private static boolean complete(String name, @Nullable Object edits) {
        return edits instanceof Map<?, ?> map
                && objects(map.get("deviceNodes")).stream()
                        .map(node -> node.get("path"))
                        .filter(String.class::isInstance)
                        .map(String.class::cast)
                        .anyMatch(path ->
                                name.startsWith("MIG-") ? path.startsWith(CAPABILITIES) : !path.startsWith(DISPLAYS));
    }

    /** Those of a list; none of anything else. */
    private static List<Map<?, ?>> objects(@Nullable Object list) {
        List<Map<?, ?>> objects = new ArrayList<>();
        if (list instanceof List<?> all) {
            for (Object each : all) {
                if (each instanceof Map<?, ?> object) {
                    objects.add(object);
                }
            }
        }
        return objects;
    }
}
