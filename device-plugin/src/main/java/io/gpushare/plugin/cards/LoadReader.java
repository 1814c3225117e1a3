package io.gpushare.plugin.cards;

import io.gpushare.model.CardId;
import io.gpushare.nvml.CardProcess;
import io.gpushare.nvml.EccErrors;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.NvmlException;
import io.gpushare.plugin.use.CardLoad;
import io.gpushare.plugin.use.CardLoads;
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
final class LoadReader {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private Instant last = Instant.EPOCH;

    /** The loads of these cards; empty where they were read a moment ago. */
    Optional<CardLoads> read(Nvml session, Set<String> present, Instant now) {
        if (now.isBefore(last.plus(INTERVAL))) {
            return Optional.empty();
        }
        last = now;
        Map<CardId, CardLoad> cards = new HashMap<>();
        for (String uuid : present) {
            try {
                cards.put(new CardId(uuid), load(session.load(uuid, now.minus(INTERVAL))));
            } catch (NvmlException _) {
                // Its old figures would be no better than none.
            }
        }
        return Optional.of(new CardLoads(now, cards));
    }

    private static CardLoad load(io.gpushare.nvml.CardLoad load) {
        return new CardLoad(
                load.memoryUsedBytes(),
                by(100, load.gpuUtilisation()),
                by(1, load.temperatureCelsius()),
                by(1000, load.powerMilliwatts()),
                load.eccErrors().map(EccErrors::corrected).map(OptionalLong::of).orElseGet(OptionalLong::empty),
                load.eccErrors()
                        .map(EccErrors::uncorrected)
                        .map(OptionalLong::of)
                        .orElseGet(OptionalLong::empty),
                load.processesKnown()
                        ? Optional.of(load.processes().stream()
                                .map(LoadReader::process)
                                .toList())
                        : Optional.empty());
    }

    private static CardLoad.GpuProcess process(CardProcess process) {
        return new CardLoad.GpuProcess(process.pid(), process.memoryUsedBytes(), process.gpuUtilisation());
    }

    private static OptionalDouble by(double divisor, OptionalInt number) {
        return number.isPresent() ? OptionalDouble.of(number.getAsInt() / divisor) : OptionalDouble.empty();
    }
}
