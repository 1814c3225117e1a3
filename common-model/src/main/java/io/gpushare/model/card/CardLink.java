package io.gpushare.model.card;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The link between two cards in the notation of {@code nvidia-smi topo -m}: {@code NV12} for twelve NVLinks, otherwise
 * what the PCIe path crosses.
 *
 * @param nvLinks NVLinks between the two, directly or through a switch; 0 for every type but NV
 */
public record CardLink(Type type, int nvLinks) {
    /** The types of links, closest first. */
    public enum Type {
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

        Type(int closeness) {
            this.closeness = closeness;
        }
    }

    private static final Pattern FORM = Pattern.compile("NV([1-9][0-9]{0,2})|PIX|PXB|PHB|NODE|SYS");

    public CardLink {
        if ((type == Type.NV) != (nvLinks > 0)) {
            throw new IllegalArgumentException(type + " with " + nvLinks + " NVLinks is invalid");
        }
    }

    /** That many NVLinks. */
    public static CardLink nvLinks(int count) {
        return new CardLink(Type.NV, count);
    }

    /** A link over PCIe. */
    public static CardLink pcie(Type type) {
        return new CardLink(type, 0);
    }

    /**
     * Parses the text form.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static CardLink parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a link between cards: NV<count>, PIX, PXB, PHB, NODE or SYS");
        }
        return matcher.group(1) == null ? pcie(Type.valueOf(text)) : nvLinks(Integer.parseInt(matcher.group(1)));
    }

    /** A number to add and compare: any NVLink is closer than every PCIe path, and two are twice as close as one. */
    public int closeness() {
        return type == Type.NV ? 100 * nvLinks : type.closeness;
    }

    @Override
    public String toString() {
        return type == Type.NV ? "NV" + nvLinks : type.name();
    }
}
