package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.plugin.node.isolation.driver.MemoryLimits;
import io.gpushare.time.Clocks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** NVIDIA's cards, through NVML. */
public final class NvmlCards implements CardSource {
    /**
     * How the cards are read.
     *
     * @param interval between two reads
     * @param quiet the quiet time after which a card with an Xid error is healthy again
     * @param needsDeviceFiles whether a card without a device file can't be given to containers
     * @param memoryByModel the memory of cards of which the driver does not report it
     * @param mig whether MIG instances are offered
     * @param proc the node's proc file system
     * @param pause when the driver must not be open
     */
    public record Settings(
            String library,
            MemoryUnit unit,
            Duration interval,
            Duration quiet,
            boolean needsDeviceFiles,
            Map<String, Memory> memoryByModel,
            boolean mig,
            Path proc,
            NodePause pause) {}

    private final Settings settings;
    private final Clocks clocks;
    private final SharedSession session = new SharedSession();

    public NvmlCards(Settings settings, Clocks clocks) {
        this.settings = settings;
        this.clocks = clocks;
    }

    @Override
    public Scan scan(Listener listener) {
        return new CardScanner(settings, listener, clocks, session).start();
    }

    @Override
    public Optional<List<Long>> processes(CardId card) {
        @Nullable Nvml open = session.now();
        try {
            return open == null ? Optional.empty() : open.processes(card.uuid());
        } catch (NvmlException | IllegalStateException _) {
            return Optional.empty(); // The scan reports what is wrong, or has just closed the session.
        }
    }

    @Override
    public MemoryLimits memoryLimits() {
        return new NvmlMemoryLimits(session);
    }
}
