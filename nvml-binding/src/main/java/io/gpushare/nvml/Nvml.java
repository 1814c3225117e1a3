package io.gpushare.nvml;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A session with the driver, from nvmlInit to nvmlShutdown; any number of threads may use it.
 *
 * <p>Cards are named by their UUID; each call looks its card up anew, so a card that was lost and came back is simply found
 * again. A lost card can no longer tell its UUID: the session therefore remembers which UUID it last saw at which index,
 * and a card that was lost before the session began stays without one. After the driver was restarted close this session
 * and open another; the library itself stays loaded.
 */
public final class Nvml implements AutoCloseable {
    /** The name under which the dynamic linker finds the driver's library. */
    public static final String DEFAULT_LIBRARY = "libnvidia-ml.so.1";

    private final NvmlCalls calls;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<Integer, String> lastSeen = new ConcurrentHashMap<>();
    private final Set<XidWatch> watches = ConcurrentHashMap.newKeySet();
    private boolean closed;

    private Nvml(NvmlCalls calls) {
        this.calls = calls;
    }

    /**
     * Loads the library and initialises it.
     *
     * @param library {@link #DEFAULT_LIBRARY}, another name for the dynamic linker, or an absolute path
     * @throws NvmlException.DriverMissing where there is no such library, or no driver is loaded
     */
    public static Nvml open(String library) throws NvmlException {
        NvmlLibrary nvml;
        try {
            nvml = Native.load(library, NvmlLibrary.class);
        } catch (LinkageError e) {
            throw new NvmlException.DriverMissing("NVML's library " + library + " can't be loaded: " + reason(e), e);
        }
        var calls = new NvmlCalls(nvml);
        calls.require("nvmlInit_v2", NvmlLibrary::nvmlInit_v2);
        return new Nvml(calls);
    }

    /** JNA's message lists every place where it looked; the dynamic linker's own words stand in its second line. */
    private static String reason(LinkageError error) {
        List<String> lines = String.valueOf(error.getMessage()).lines().toList();
        return lines.get(lines.size() > 1 ? 1 : 0);
    }

    /** Asks for the versions of driver, NVML and CUDA. */
    public DriverFacts driver() throws NvmlException {
        return inSession(() -> {
            int room = NvmlLibrary.NVML_SYSTEM_VERSION_BUFFER_SIZE;
            int cuda =
                    calls.number("nvmlSystemGetCudaDriverVersion_v2", NvmlLibrary::nvmlSystemGetCudaDriverVersion_v2);
            return new DriverFacts(
                    calls.text("nvmlSystemGetDriverVersion", room, NvmlLibrary::nvmlSystemGetDriverVersion),
                    calls.text("nvmlSystemGetNVMLVersion", room, NvmlLibrary::nvmlSystemGetNVMLVersion),
                    cuda / 1000,
                    cuda % 1000 / 10);
        });
    }

    /**
     * Reads all cards, in NVML's order. What one card fails to answer never hides the others: it is
     * {@link CardReading.Lost}.
     */
    public List<CardReading> cards() throws NvmlException {
        return inSession(() -> {
            int count = calls.number("nvmlDeviceGetCount_v2", NvmlLibrary::nvmlDeviceGetCount_v2);
            Map<Integer, CardFacts> present = new HashMap<>();
            Map<Integer, String> reasons = new HashMap<>();
            for (int index = 0; index < count; index++) {
                try {
                    present.put(index, facts(index));
                } catch (NvmlException.CardLost | NvmlException.Unsupported | NvmlException.Failed e) {
                    reasons.put(index, e.getMessage());
                }
            }
            present.forEach((index, facts) -> lastSeen.put(index, facts.uuid()));
            return readings(count, present, reasons);
        });
    }

    /**
     * What the card does now. A card that this session knows and the driver no longer finds is lost.
     *
     * @param since how processes' utilisation is sampled: from then on
     */
    public CardUtilization load(String uuid, Instant since) throws NvmlException {
        return inSession(() -> {
            Pointer device = handle(uuid);
            return named(uuid, () -> new CardReader(calls, device).load(since));
        });
    }

    /** How near two different cards are. */
    public LinkLevel link(String uuidA, String uuidB) throws NvmlException {
        return inSession(() -> new LinkReader(calls).link(handle(uuidA), handle(uuidB)));
    }

    /**
     * Begins to watch these cards for Xid errors from now on. Cards that can't be watched, because card or driver does not
     * support it or because the card is lost now, are told by {@link XidWatch#unwatched()}.
     */
    public XidWatch watchXids(Collection<String> uuids) throws NvmlException {
        return inSession(() -> {
            var watch = XidWatch.open(calls, this::handle, uuids, watches::remove);
            watches.add(watch);
            return watch;
        });
    }

    /** Ends the session and every watch of it; a thread that waits for an Xid comes back within half a second. */
    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                List.copyOf(watches).forEach(XidWatch::close);
                calls.end(NvmlLibrary::nvmlShutdown);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    private CardFacts facts(int index) throws NvmlException {
        Pointer device = calls.handle(
                "nvmlDeviceGetHandleByIndex_v2", (nvml, handle) -> nvml.nvmlDeviceGetHandleByIndex_v2(index, handle));
        return new CardReader(calls, device).facts(index);
    }

    private List<CardReading> readings(int count, Map<Integer, CardFacts> present, Map<Integer, String> reasons) {
        var seenNow = present.values().stream().map(CardFacts::uuid).toList();
        List<CardReading> readings = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            CardFacts facts = present.get(index);
            if (facts != null) {
                readings.add(new CardReading.Present(index, facts));
            } else {
                Optional<String> uuid =
                        Optional.ofNullable(lastSeen.get(index)).filter(known -> !seenNow.contains(known));
                readings.add(new CardReading.Lost(index, uuid, reasons.getOrDefault(index, "")));
            }
        }
        return List.copyOf(readings);
    }

    /** A lost card can fail the look-up itself, with "lost" or with "not found". */
    private Pointer handle(String uuid) throws NvmlException {
        try {
            return named(
                    uuid,
                    () -> calls.handle(
                            "nvmlDeviceGetHandleByUUID",
                            (nvml, handle) -> nvml.nvmlDeviceGetHandleByUUID(uuid, handle)));
        } catch (NvmlException.Failed e) {
            if (e.code() == NvmlCode.NOT_FOUND && lastSeen.containsValue(uuid)) {
                throw new NvmlException.CardLost(e.getMessage() + ": card " + uuid, uuid);
            }
            throw e;
        }
    }

    /** NVML does not say which card is lost; the caller knows. */
    private static <T> T named(String uuid, Question<T> question) throws NvmlException {
        try {
            return question.ask();
        } catch (NvmlException.CardLost e) {
            throw new NvmlException.CardLost(e.getMessage() + ": card " + uuid, uuid);
        }
    }

    @FunctionalInterface
    private interface Question<T> {
        T ask() throws NvmlException;
    }

    private <T> T inSession(Question<T> question) throws NvmlException {
        lock.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException("this session with NVML is closed: open another");
            }
            return question.ask();
        } finally {
            lock.readLock().unlock();
        }
    }
}
