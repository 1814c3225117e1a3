package io.gpushare.mps;

import io.gpushare.mps.machine.Observation.Mode;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.ComputeMode;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.process.CardProcess;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cards as the driver reports them; opens a session when it is needed, and another one when the driver was away.
 */
final class DriverCards implements AutoCloseable {
    private final String library;
    private @Nullable Nvml nvml;

    DriverCards(String library) {
        this.library = library;
    }

    private synchronized Nvml session() throws NvmlException {
        if (nvml == null) {
            nvml = Nvml.open(library);
        }
        return nvml;
    }

    /** The UUIDs of all cards that respond. */
    List<String> uuids() throws NvmlException {
        List<String> uuids = new ArrayList<>();
        try {
            for (CardReading reading : session().cards()) {
                if (reading instanceof CardReading.Present(int _, CardFacts facts)) {
                    uuids.add(facts.uuid());
                }
            }
        } catch (NvmlException e) {
            close();
            throw e;
        }
        return uuids;
    }

    Mode mode(String uuid) throws NvmlException {
        return switch (session().computeMode(uuid)) {
            case DEFAULT -> Mode.ANY;
            case EXCLUSIVE_PROCESS -> Mode.SERVER_ONLY;
            case PROHIBITED, OTHER -> Mode.NONE;
        };
    }

    void setMode(String uuid, ComputeMode mode) throws NvmlException {
        session().setComputeMode(uuid, mode);
    }

    /** The processes that compute on the card and are not listed as clients of MPS. */
    List<CardProcess> foreignProcesses(String uuid) throws NvmlException {
        return session().utilization(uuid, Instant.now()).processes().orElse(List.of()).stream()
                .filter(process -> !process.mps().orElse(false))
                .toList();
    }

    /** The next call opens another session. */
    @Override
    public synchronized void close() {
        if (nvml != null) {
            nvml.close();
            nvml = null;
        }
    }
}
