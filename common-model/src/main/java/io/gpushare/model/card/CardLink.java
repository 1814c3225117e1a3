package io.gpushare.model.card;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How near two cards are, in the words of {@code nvidia-smi topo -m}: {@code NV12} for twelve NVLinks, else what the way
 * over PCIe crosses.
 *
 * @param nvLinks NVLinks between the two, directly or through a switch; 0 for any way but NV
 */
public record CardLink(Way way, int nvLinks) {
    /** What is between the two, nearest first. */
    public enum Way {
        /** NVLinks. */
        NV(0),
        /** At most one PCIe switch, or one board. */
        PIX(50),
        /** Several PCIe switches. */
        PXB(40),
        /** A PCIe host bridge. */
        PHB(30),
        /** Several host bridges of one NUMA node. */
        NODE(20),
        /** The link between NUMA nodes. */
        SYS(10);

        private final int closeness;

        Way(int closeness) {
            this.closeness = closeness;
        }
    }

    private static final Pattern FORM = Pattern.compile("NV([1-9][0-9]{0,2})|PIX|PXB|PHB|NODE|SYS");

    public CardLink {
        Objects.requireNonNull(way);
        if ((way == Way.NV) != (nvLinks > 0)) {
            throw new IllegalArgumentException(way + " with " + nvLinks + " NVLinks can't be");
        }
    }

    /** That many NVLinks. */
    public static CardLink nvLinks(int count) {
        return new CardLink(Way.NV, count);
    }

    /** Over PCIe. */
    public static CardLink pcie(Way way) {
        return new CardLink(way, 0);
    }

    /** Reads its text; throws IllegalArgumentException for anything else. */
    public static CardLink parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a link of cards: NV<count>, PIX, PXB, PHB, NODE or SYS");
        }
        return matcher.group(1) == null ? pcie(Way.valueOf(text)) : nvLinks(Integer.parseInt(matcher.group(1)));
    }

    /** A number to add up and compare: any NVLink is nearer than every way over PCIe, and two are twice as near as one. */
    public int closeness() {
        return way == Way.NV ? 100 * nvLinks : way.closeness;
    }

    @Override
    public String toString() {
        return way == Way.NV ? "NV" + nvLinks : way.name();
    }
}
