package io.gpushare.plugin.node.cards;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** The class of each Xid error, read from {@code xids.txt} beside this class, which names its source. */
final class XidTable {
    private static final Map<Long, XidClass> CLASSES = read();

    private XidTable() {}

    /** The class of that Xid; UNKNOWN if the catalogue has none. */
    static XidClass of(long xid) {
        return CLASSES.getOrDefault(xid, XidClass.UNKNOWN);
    }

    private static Map<Long, XidClass> read() {
        Map<Long, XidClass> classes = new HashMap<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(XidTable.class.getResourceAsStream("xids.txt"), "xids.txt is not in the jar"),
                StandardCharsets.UTF_8))) {
            lines.lines()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .forEach(line -> add(line.split("\\s+"), classes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Map.copyOf(classes);
    }

    private static void add(String[] words, Map<Long, XidClass> classes) {
        XidClass xidClass = XidClass.valueOf(words[0]);
        for (int at = 1; at < words.length; at++) {
            String[] ends = words[at].split("-");
            for (long xid = Long.parseLong(ends[0]); xid <= Long.parseLong(ends[ends.length - 1]); xid++) {
                if (classes.put(xid, xidClass) != null) {
                    throw new IllegalStateException("xids.txt has Xid " + xid + " twice");
                }
            }
        }
    }
}
