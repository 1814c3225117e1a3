package io.gpushare.model.selector;

/** A selector that can't be parsed; the message names the position and what is valid there. */
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

    /** The position of the first invalid character, from 1. */
    public int position() {
        return position;
    }
}
