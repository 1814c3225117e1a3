package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.plugin.node.isolation.driver.MemoryLimits;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/** The driver's memory limits of cgroups through NVML. */
record NvmlMemoryLimits(SharedSession session) implements MemoryLimits {
    @FunctionalInterface
    private interface Call<T> {
        T on(Nvml nvml) throws NvmlException;
    }

    @Override
    public Optional<Memory> read(CardId card, Path cgroup) throws LimitException {
        OptionalLong bytes = call(nvml -> nvml.memoryLimit(card.uuid(), cgroup.toString()));
        return bytes.isPresent() ? Optional.of(new Memory(bytes.getAsLong())) : Optional.empty();
    }

    @Override
    public void set(CardId card, Path cgroup, Memory limit) throws LimitException {
        call(nvml -> {
            nvml.limitMemory(card.uuid(), cgroup.toString(), limit.bytes());
            return limit;
        });
    }

    @Override
    public void remove(CardId card, Path cgroup) throws LimitException {
        call(nvml -> {
            nvml.removeMemoryLimit(card.uuid(), cgroup.toString());
            return cgroup;
        });
    }

    private <T> T call(Call<T> call) throws LimitException {
        Nvml nvml = session.now();
        if (nvml == null) {
            throw new LimitException("the driver does not respond", false);
        }
        try {
            return call.on(nvml);
        } catch (NvmlException e) {
            throw new LimitException(String.valueOf(e.getMessage()), e instanceof NvmlException.Unsupported);
        } catch (IllegalStateException e) {
            // The scan has just closed the session.
            throw new LimitException("the driver is loaded again", false);
        }
    }
}
