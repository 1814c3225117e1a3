package io.gpushare.mps;

import io.gpushare.mps.machine.Observation.Mode;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.ComputeMode;
import io.gpushare.nvml.MigFacts;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.process.CardProcess;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cards as the driver reports them, MIG instances among them; opens a session when it is needed, and another one
 * when the driver was away.
 */
final class DriverCards implements AutoCloseable {
    private static final String INSTANCE = "MIG-";

    /**
     * The cards of a scan.
     *
     * @param uuids of those that respond: of a card with MIG, its instances
     * @param cut the cards with MIG
     * @param complete whether all cards responded
     */
    record Found(Set<String> uuids, Set<String> cut, boolean complete) {
        Found {
            uuids = Set.copyOf(uuids);
            cut = Set.copyOf(cut);
        }

        /** Whether it is no card any more: another cut removed it. A card that does not respond may come back. */
        boolean removed(String uuid) {
            return cut.contains(uuid) || (complete && uuid.startsWith(INSTANCE) && !uuids.contains(uuid));
        }
    }

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

    /** Scans the cards. */
    Found find() throws NvmlException {
        Set<String> uuids = new HashSet<>();
        Set<String> cut = new HashSet<>();
        boolean complete = true;
        try {
            for (CardReading reading : session().cards()) {
                switch (reading) {
                    case CardReading.Present(int _, CardFacts card)
                    when card.mig().filter(MigFacts::enabled).isPresent() -> {
                        cut.add(card.uuid());
                        uuids.addAll(instances(card));
                    }
                    case CardReading.Present(int _, CardFacts card) -> uuids.add(card.uuid());
                    case CardReading.Lost _ -> complete = false;
                }
            }
        } catch (NvmlException e) {
            close();
            throw e;
        }
        return new Found(uuids, cut, complete);
    }

    /** Drivers before 470 name an instance by its numbers, which the next one may have as well. */
    private static List<String> instances(CardFacts card) {
        return card.mig().stream()
                .flatMap(mig -> mig.instances().stream())
                .map(MigFacts.Instance::uuid)
                .filter(uuid -> !uuid.contains("/"))
                .toList();
    }

    /** Whether a card with MIG can have another mode than DEFAULT is not documented, so it is not asked there. */
    Mode mode(String uuid) throws NvmlException {
        if (uuid.startsWith(INSTANCE)) {
            return Mode.NOT_AVAILABLE;
        }
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
