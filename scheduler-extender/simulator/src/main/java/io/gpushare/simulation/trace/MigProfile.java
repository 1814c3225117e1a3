package io.gpushare.simulation.trace;

import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.MigInstance;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The profile of a MIG instance by NVIDIA's name, such as {@code 3g.40gb} or {@code 1g.10gb+me}.
 *
 * @param name as NVIDIA writes it in the names of resources
 * @param slices of the card's seven (four of an A30)
 * @param gib its memory by the name; a driver reports up to a tenth less
 */
public record MigProfile(String name, int slices, int gib) {
    private static final Pattern FORM =
            Pattern.compile("(?:[1-7]c\\.)?([1-7])g\\.([1-9][0-9]{0,2})gb(?:[.+-][a-z]{1,10}){0,4}");
    private static final String MIG = "MIG ";
    private static final int MOST_SLICES = 7;
    private static final int MEMORY_SLICES = 8;

    /** Reads the name of a profile, with {@code +} or {@code .} before an attribute. */
    static Optional<MigProfile> parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? Optional.of(new MigProfile(
                        MigInstance.written(text), Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2))))
                : Optional.empty();
    }

    /** The profile with that name, which must be valid. */
    public static MigProfile of(String name) {
        return parse(name).orElseThrow();
    }

    /** The kind of such an instance of a card of that model. */
    public CardKind kind(String model) {
        return CardKind.instance(title(model, name), gib);
    }

    /** The title of an instance; of that profile of any card without a model. */
    static String title(String model, String profile) {
        return (model.isEmpty() ? "" : model + " ") + MIG + MigInstance.written(profile);
    }

    /** The profile at the end of a title; empty in the name of a model. */
    public static String profile(String title) {
        int at = title.lastIndexOf(MIG);
        return at == 0 || (at > 0 && title.charAt(at - 1) == ' ') ? title.substring(at + MIG.length()) : "";
    }

    /** The model in the title of a card; empty where the title is of any model. */
    public static String model(String title) {
        String profile = profile(title);
        return profile.isEmpty()
                ? title
                : title.substring(0, title.length() - profile.length() - MIG.length())
                        .strip();
    }

    /**
     * Whether a card has that title: it is of the model in the name, if there is one, and has its profile, likewise.
     */
    static boolean names(String name, String title) {
        return (model(name).isEmpty() || model(name).equals(model(title)))
                && (profile(name).isEmpty() || profile(name).equals(profile(title)));
    }

    /** Why a card with that memory can't be cut into these instances, as a sentence; empty if it can. */
    static String fault(List<MigProfile> cut, int gib) {
        int slices = cut.stream().mapToInt(MigProfile::slices).sum();
        if (slices > MOST_SLICES) {
            return "the instances have " + slices + " slices (the number before g), and a card has " + MOST_SLICES
                    + ": remove some";
        }
        // Names are rounded up: two 3g.71gb are on a card of 141.
        int memory = cut.stream().mapToInt(MigProfile::gib).sum();
        if (memory - cut.size() > gib) {
            return "the instances have " + memory + " GiB, and the card has card_units " + gib
                    + ": remove some, or correct card_units";
        }
        for (MigProfile each : cut) {
            // 3g.40gb has four of the eight parts of the card's memory, and no profile has fewer parts than slices.
            if (10L * MEMORY_SLICES * each.gib < 9L * each.slices * gib) {
                return each.name + " is too small for a card with card_units " + gib
                        + ": write the profiles of that card, and with MIG all units in GiB";
            }
        }
        return "";
    }
}
