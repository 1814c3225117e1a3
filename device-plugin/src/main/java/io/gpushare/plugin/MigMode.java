package io.gpushare.plugin;

import java.util.Locale;

/** What the plugin offers of cards with MIG. */
enum MigMode {
    /** Nothing. */
    OFF,
    /** Each instance as a card. */
    CARDS;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
