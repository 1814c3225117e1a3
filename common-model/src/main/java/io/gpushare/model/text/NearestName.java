package io.gpushare.model.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that was probably meant by a misspelt one. */
public final class NearestName {
    private static final int MOST_EDITS = 3;

    private NearestName() {}

    /** The known name with the fewest edits to the given one; empty where each needs more than three. */
    public static Optional<String> of(String name, Collection<String> known) {
        return known.stream()
                .filter(candidate -> edits(name, candidate) <= MOST_EDITS)
                .min(Comparator.comparingInt(candidate -> edits(name, candidate)));
    }

    /**
     * The Levenshtein distance, or any number above the limit where it is larger: users may write thousands of names,
     * so the equal ends are left out, and the rest is compared until there are too many edits.
     */
    private static int edits(String one, String other) {
        int start = 0;
        int shorter = Math.min(one.length(), other.length());
        while (start < shorter && one.charAt(start) == other.charAt(start)) {
            start++;
        }
        int end = 0;
        while (end < shorter - start && one.charAt(one.length() - 1 - end) == other.charAt(other.length() - 1 - end)) {
            end++;
        }
        return Math.abs(one.length() - other.length()) > MOST_EDITS
                ? MOST_EDITS + 1
                : distance(one.substring(start, one.length() - end), other.substring(start, other.length() - end));
    }

    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            int least = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
                least = Math.min(least, row[j]);
            }
            if (least > MOST_EDITS) {
                return least;
            }
        }
        return row[to.length()];
    }
}
