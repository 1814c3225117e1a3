package io.gpushare.e2e.chaos;

/**
 * What one container asks for.
 *
 * @param whole whether it asks for whole cards; otherwise for units of memory on one card
 * @param amount how many cards or units
 */
record Ask(boolean whole, int amount) {
    static Ask memory(int units) {
        return new Ask(false, units);
    }

    static Ask cards(int count) {
        return new Ask(true, count);
    }

    /** As a member of {@code limits}, in JSON. */
    String limit() {
        return (whole ? "\"aliyun.com/gpu-count\":\"" : "\"aliyun.com/gpu-mem\":\"") + amount + "\"";
    }

    /** As containers carry it in their environment. */
    String text() {
        return (whole ? "cards:" : "units:") + amount;
    }

    static Ask parse(String text) {
        return new Ask(text.startsWith("cards:"), Integer.parseInt(text.substring(text.indexOf(':') + 1)));
    }
}
