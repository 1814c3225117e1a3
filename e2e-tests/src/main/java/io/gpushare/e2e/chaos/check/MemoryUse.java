package io.gpushare.e2e.chaos.check;

import io.gpushare.e2e.chaos.check.pod.HeldCards;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the processes of one container together hold of its card, by the simulated driver.
 *
 * @param node the node of the card
 */
record MemoryUse(HeldCards container, String node, long mib) {
    private static final Pattern LINE = Pattern.compile("process pid=(\\d+) card=(\\S+) memory=(\\d+)MiB.*");
    private static final int MIB_PER_UNIT = 1024;

    /** A process of a container, by its PID on the node. */
    record Member(long pid, HeldCards container) {}

    /** Whether it is more than the container requested. */
    boolean excessive() {
        return mib > (long) container.request().amount() * MIB_PER_UNIT;
    }

    String key() {
        return container.uid() + "/" + container.container();
    }

    /**
     * The memory of all containers that requested some, from the lines in which the simulated driver keeps the
     * processes of that node.
     */
    static List<MemoryUse> of(String node, ClusterCards cards, List<String> lines, List<Member> members) {
        Map<Long, HeldCards> containers = new HashMap<>();
        members.stream()
                .filter(member -> !member.container().request().whole())
                .filter(member -> member.container().cards().stream()
                        .anyMatch(card -> node.equals(cards.nodes().get(card))))
                .forEach(member -> containers.put(member.pid(), member.container()));
        Map<String, MemoryUse> uses = new TreeMap<>();
        Set<Long> counted = new HashSet<>();
        for (String line : lines) {
            Matcher process = LINE.matcher(line);
            if (process.matches()) {
                long pid = Long.parseLong(process.group(1));
                HeldCards container = containers.get(pid);
                if (container != null && counted.add(pid)) {
                    MemoryUse use = new MemoryUse(container, node, Long.parseLong(process.group(3)));
                    uses.merge(use.key(), use, (one, more) -> new MemoryUse(container, node, one.mib() + more.mib()));
                }
            }
        }
        return List.copyOf(uses.values());
    }

    /** The lines of the simulated driver's processes on that node. */
    static List<String> lines(Path shared, String node) {
        Path file = shared.resolve("cards-" + node + ".processes");
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + file, e);
        }
    }
}
