package io.gpushare.simulation.trace;

import java.util.ArrayList;
import java.util.List;

/** Seeds as users write them: ranges and numbers, separated by commas. */
public final class SeedList {
    private static final int MAX_SEEDS = 1000;

    private SeedList() {}

    /** Reads {@code 42-51} or {@code 1,2,3}. A single number is refused: it could be a seed, or how many. */
    public static List<Long> parse(String text) throws BadInputException {
        List<Long> seeds = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String[] ends = part.strip().split("-", -1);
            try {
                long first = Long.parseLong(ends[0]);
                long last = ends.length == 1 ? first : Long.parseLong(ends[1]);
                if (ends.length > 2 || last < first || last - first >= MAX_SEEDS - seeds.size()) {
                    throw new NumberFormatException(part);
                }
                for (long seed = first; seed <= last; seed++) {
                    seeds.add(seed);
                }
            } catch (NumberFormatException e) {
                throw new BadInputException(
                        "--seeds " + text + ": write numbers such as 42-51 or 1,2,3, at most " + MAX_SEEDS);
            }
        }
        if (seeds.size() == 1 && !text.contains("-")) {
            long number = seeds.getFirst();
            throw new BadInputException("--seeds " + text + ": write " + number + "-" + number + " for the seed "
                    + number + " alone, or 42-" + (41 + number) + " for " + number + " replays");
        }
        return seeds;
    }
}
