package io.gpushare.simulation.suite;

import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Random choices, the same for the same seed. */
final class Draw {
    private final Random random;

    Draw(long seed) {
        // Neighbouring seeds begin alike otherwise.
        random = new Random(seed * 0x9e3779b97f4a7c15L + 0x632be59bd9b4e019L);
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** A whole number, both ends included. */
    int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    double between(double least, double most) {
        return least + random.nextDouble() * (most - least);
    }

    /** A positive number that is small more often than large, with that mean. */
    double exponential(double mean) {
        return -mean * Math.log(1 - random.nextDouble());
    }

    int oneOf(int... values) {
        return values[random.nextInt(values.length)];
    }

    <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** The index of one of these weights, with a probability in proportion to it. */
    int weighted(List<Double> weights) {
        double at = random.nextDouble()
                * weights.stream().mapToDouble(Double::doubleValue).sum();
        for (int i = 0; i < weights.size(); i++) {
            at -= weights.get(i);
            if (at < 0) {
                return i;
            }
        }
        return weights.size() - 1;
    }

    <T> void shuffle(List<T> values) {
        Collections.shuffle(values, random);
    }
}
