package io.gpushare.extender.policy;

/** When something is done again: after 1, 2, 4 and 8 pods, and from then on after a quarter more. Not thread-safe. */
final class PodSchedule {
    private final long longest;
    private long next = 1;

    /** @param longest the largest number of pods from one time to the next */
    PodSchedule(long longest) {
        this.longest = longest;
    }

    /** Whether it is due after that many pods; then the next time is computed. */
    boolean due(long pods) {
        if (pods < next) {
            return false;
        }
        next = pods < 8 ? pods * 2 : pods + Math.min(longest, (pods + 3) / 4);
        return true;
    }
}
