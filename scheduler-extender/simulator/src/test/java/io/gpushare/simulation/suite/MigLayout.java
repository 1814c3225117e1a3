package io.gpushare.simulation.suite;

import io.gpushare.model.card.CardKind;
import io.gpushare.simulation.trace.MigProfile;
import java.util.List;

/**
 * How a card with that memory is cut.
 *
 * @param profiles of its instances
 */
record MigLayout(int gib, List<MigProfile> profiles) {
    private static final List<MigLayout> ALL = List.of(
            layout(24, "1g.6gb", "1g.6gb", "1g.6gb", "1g.6gb"),
            layout(24, "2g.12gb", "1g.6gb", "1g.6gb"),
            layout(40, "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb", "1g.5gb"),
            layout(40, "3g.20gb", "2g.10gb", "1g.5gb", "1g.5gb"),
            layout(40, "3g.20gb", "3g.20gb"),
            layout(80, "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb"),
            layout(80, "3g.40gb", "2g.20gb", "1g.10gb", "1g.10gb"),
            layout(80, "4g.40gb", "2g.20gb", "1g.10gb"),
            layout(80, "2g.20gb", "2g.20gb", "2g.20gb", "1g.10gb"),
            layout(80, "3g.40gb", "3g.40gb"),
            layout(141, "3g.71gb", "2g.35gb", "1g.18gb", "1g.18gb"));

    MigLayout {
        profiles = List.copyOf(profiles);
    }

    private static MigLayout layout(int gib, String... profiles) {
        return new MigLayout(gib, List.of(profiles).stream().map(MigProfile::of).toList());
    }

    static MigLayout draw(Draw draw) {
        return draw.oneOf(ALL);
    }

    /** The instances of such a card of that model. */
    List<CardKind> of(String model) {
        return profiles.stream().map(profile -> profile.kind(model)).toList();
    }
}
