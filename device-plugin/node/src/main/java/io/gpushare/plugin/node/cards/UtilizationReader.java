package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.CardUtilization;
import io.gpushare.plugin.node.usage.ProcessUse;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the usage of each card periodically. A card that does not respond is left out: the scan reports its problem.
 */
final class UtilizationReader {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private Instant last = Instant.EPOCH;

    /**
     * The usage of these cards; empty if the interval since the last read has not passed.
     *
     * @param wall the time of day, which the driver writes on its samples
     */
    Optional<CardUsages> read(Nvml session, Set<String> present, Instant now, Instant wall) {
        if (now.isBefore(last.plus(INTERVAL))) {
            return Optional.empty();
        }
        last = now;
        Map<CardId, CardUtilization> cards = new HashMap<>();
        for (String uuid : present) {
            try {
                cards.put(new CardId(uuid), of(session.utilization(uuid, wall.minus(INTERVAL))));
            } catch (NvmlException _) {
                // Its previous figures would be wrong.
            }
        }
        return Optional.of(new CardUsages(now, cards));
    }

    private static CardUtilization of(io.gpushare.nvml.CardUtilization read) {
        return new CardUtilization(
                read.memoryUsedBytes(),
                read.gpuUtilization(),
                read.temperatureCelsius(),
                read.powerMilliwatts(),
                read.eccErrors().map(errors -> new CardUtilization.EccErrors(errors.corrected(), errors.uncorrected())),
                read.processes()
                        .map(all -> all.stream()
                                .map(process -> new CardProcess(
                                        process.pid(),
                                        new ProcessUse(process.memoryUsedBytes(), process.gpuUtilization()),
                                        process.mps()))
                                .toList()));
    }
}
