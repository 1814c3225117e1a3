package io.gpushare.plugin.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.nvml.CardProcess;
import io.gpushare.nvml.CardUtilization.EccErrors;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.plugin.usage.CardUsage;
import io.gpushare.plugin.usage.CardUsages;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** Reads once in a while what each card does. A card that does not answer is left out: the scan tells what is wrong with it. */
final class UtilizationReader {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private Instant last = Instant.EPOCH;

    /** The loads of these cards; empty where they were read a moment ago. */
    Optional<CardUsages> read(Nvml session, Set<String> present, Instant now) {
        if (now.isBefore(last.plus(INTERVAL))) {
            return Optional.empty();
        }
        last = now;
        Map<CardId, CardUsage> cards = new HashMap<>();
        for (String uuid : present) {
            try {
                cards.put(new CardId(uuid), load(session.utilization(uuid, now.minus(INTERVAL))));
            } catch (NvmlException _) {
                // Its old figures would be no better than none.
            }
        }
        return Optional.of(new CardUsages(now, cards));
    }

    private static CardUsage load(io.gpushare.nvml.CardUtilization load) {
        return new CardUsage(
                load.memoryUsedBytes(),
                by(100, load.gpuUtilization()),
                by(1, load.temperatureCelsius()),
                by(1000, load.powerMilliwatts()),
                load.eccErrors().map(EccErrors::corrected).map(OptionalLong::of).orElseGet(OptionalLong::empty),
                load.eccErrors()
                        .map(EccErrors::uncorrected)
                        .map(OptionalLong::of)
                        .orElseGet(OptionalLong::empty),
                load.processesKnown()
                        ? Optional.of(load.processes().stream()
                                .map(UtilizationReader::process)
                                .toList())
                        : Optional.empty());
    }

    private static CardUsage.GpuProcess process(CardProcess process) {
        return new CardUsage.GpuProcess(process.pid(), process.memoryUsedBytes(), process.gpuUtilization());
    }

    private static OptionalDouble by(double divisor, OptionalInt number) {
        return number.isPresent() ? OptionalDouble.of(number.getAsInt() / divisor) : OptionalDouble.empty();
    }
}
