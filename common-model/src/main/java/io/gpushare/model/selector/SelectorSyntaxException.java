package io.gpushare.model.selector;

/** A selector that can't be understood; the message says where, and what may stand there. */
public final class SelectorSyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private static final int QUOTED = 24;

    private final int position;

    SelectorSyntaxException(String text, int at, String complaint) {
        super("at character " + (at + 1) + " (" + quote(text, at) + "): " + complaint);
        position = at + 1;
    }

    private static String quote(String text, int at) {
        if (at >= text.length()) {
            return "its end";
        }
        String rest = text.substring(at).replaceAll("[^ -~]", "?");
        return "'" + (rest.length() <= QUOTED ? rest : rest.substring(0, QUOTED) + "…") + "'";
    }

    /** The place of the first character that can't be understood, from 1. */
    public int position() {
        return position;
    }
}
