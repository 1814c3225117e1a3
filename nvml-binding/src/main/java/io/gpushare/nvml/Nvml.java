package io.gpushare.nvml;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import io.gpushare.nvml.process.CardProcess;
import io.gpushare.nvml.process.ProcessReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * A session with the driver, from nvmlInit to nvmlShutdown. It is thread-safe.
 *
 * <p>UUIDs name the cards. Each call looks up its card again, so a card that was lost is found when it returns. A lost
 * card can't report its UUID, so the session remembers the last UUID at each index and of each handle; a card that was
 * lost before the session began has none. After a restart of the driver, close this session and open another; the
 * library itself stays loaded.
 */
public final class Nvml implements AutoCloseable {
    /** The name by which the dynamic linker finds the driver's library. */
    public static final String DEFAULT_LIBRARY = "libnvidia-ml.so.1";

    private static final String MIG = "MIG-";

    private final NvmlCalls calls;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<Integer, String> lastUuids = new ConcurrentHashMap<>();
    private final Map<Pointer, String> uuidsByHandle = new ConcurrentHashMap<>();
    private final Set<XidWatch> watches = ConcurrentHashMap.newKeySet();
    private boolean closed;

    private Nvml(NvmlCalls calls) {
        this.calls = calls;
    }

    /**
     * Loads and initializes the library.
     *
     * @param library {@link #DEFAULT_LIBRARY}, another name for the dynamic linker, or an absolute path
     * @throws NvmlException.DriverMissing if there is no such library, or no driver is loaded
     */
    public static Nvml open(String library) throws NvmlException {
        NvmlLibrary nvml;
        try {
            nvml = Native.load(library, NvmlLibrary.class);
        } catch (LinkageError e) {
            throw new NvmlException.DriverMissing(
                    "NVML's library " + library + " can't be loaded: " + reason(e), true, e);
        }
        var calls = new NvmlCalls(nvml);
        calls.require("nvmlInit_v2", NvmlLibrary::nvmlInit_v2);
        return new Nvml(calls);
    }

    /** JNA's message lists every searched place; its second line is the dynamic linker's own message. */
    private static String reason(LinkageError error) {
        List<String> lines = String.valueOf(error.getMessage()).lines().toList();
        return lines.get(lines.size() > 1 ? 1 : 0);
    }

    /** Reads the versions of driver and CUDA. No failure of theirs affects a card. */
    public DriverFacts driver() throws NvmlException {
        return inSession(() -> {
            try {
                OptionalInt cuda = calls.numberIfSupported(
                        "nvmlSystemGetCudaDriverVersion_v2", NvmlLibrary::nvmlSystemGetCudaDriverVersion_v2);
                Optional<String> version = calls.textIfSupported(
                        "nvmlSystemGetDriverVersion",
                        NvmlLibrary.NVML_SYSTEM_VERSION_BUFFER_SIZE,
                        NvmlLibrary::nvmlSystemGetDriverVersion);
                return new DriverFacts(
                        version,
                        cuda.stream()
                                .mapToObj(number -> number / 1000 + "." + number % 1000 / 10)
                                .findFirst());
            } catch (NvmlException.CardLost e) {
                return new DriverFacts(Optional.empty(), Optional.empty());
            }
        });
    }

    /**
     * Reads all cards, in NVML's order. A card that fails to respond is {@link CardReading.Lost} and does not affect
     * the others.
     */
    public List<CardReading> cards() throws NvmlException {
        return inSession(() -> {
            int count = calls.number("nvmlDeviceGetCount_v2", NvmlLibrary::nvmlDeviceGetCount_v2);
            Map<Integer, CardFacts> present = new HashMap<>();
            Map<Integer, String> reasons = new HashMap<>();
            NvmlException.@Nullable DriverMissing missing = null;
            for (int index = 0; index < count; index++) {
                try {
                    present.put(index, facts(index));
                } catch (NvmlException e) {
                    reasons.put(index, e.getMessage());
                    missing = e instanceof NvmlException.DriverMissing gone ? gone : missing;
                }
            }
            if (missing != null && present.isEmpty()) {
                throw missing;
            }
            present.forEach((index, facts) -> lastUuids.put(index, facts.uuid()));
            return readings(count, present, reasons);
        });
    }

    /**
     * Reads the current utilization of a card or MIG instance. A card that this session knows and the driver no longer
     * finds is lost. Temperature, power and memory errors of an instance are those of its card.
     *
     * @param since the start of the samples of processes' utilization
     */
    public CardUtilization utilization(String uuid, Instant since) throws NvmlException {
        return inSession(() -> {
            Pointer device = handle(uuid);
            return named(uuid, () -> {
                Pointer board = uuid.startsWith(MIG) ? MigReader.card(calls, device) : device;
                return new CardReader(calls, device, board).utilization(since);
            });
        });
    }

    /**
     * The process IDs of the compute processes on a card or MIG instance; empty where the driver does not report them.
     */
    public Optional<List<Long>> processes(String uuid) throws NvmlException {
        return inSession(() -> {
            Pointer device = handle(uuid);
            return named(
                    uuid,
                    () -> new ProcessReader(calls, device)
                            .processes(Optional.empty())
                            .map(all -> all.stream().map(CardProcess::pid).toList()));
        });
    }

    /**
     * The hard memory limit of a cgroup on that card, in bytes; empty if it has none.
     *
     * @param directory the absolute path of the cgroup's directory
     * @throws NvmlException.Unsupported with a driver below 615
     */
    public OptionalLong memoryLimit(String uuid, String directory) throws NvmlException {
        return inSession(() -> {
            Pointer device = handle(uuid);
            return named(uuid, () -> new CgroupLimits(calls, device).hard(directory));
        });
    }

    /** Limits the memory of the processes below that cgroup to so many bytes of the card. */
    public void limitMemory(String uuid, String directory, long bytes) throws NvmlException {
        inSession(() -> {
            Pointer device = handle(uuid);
            return named(uuid, () -> {
                new CgroupLimits(calls, device).set(directory, bytes);
                return bytes;
            });
        });
    }

    /** Removes the limit of that cgroup on the card. */
    public void removeMemoryLimit(String uuid, String directory) throws NvmlException {
        inSession(() -> {
            Pointer device = handle(uuid);
            return named(uuid, () -> {
                new CgroupLimits(calls, device).clear(directory);
                return directory;
            });
        });
    }

    public ComputeMode computeMode(String uuid) throws NvmlException {
        return inSession(() -> {
            Pointer device = handle(uuid);
            return named(
                    uuid,
                    () -> ComputeMode.of(calls.number(
                            "nvmlDeviceGetComputeMode", (nvml, mode) -> nvml.nvmlDeviceGetComputeMode(device, mode))));
        });
    }

    /** Sets the compute mode of the card; needs root. */
    public void setComputeMode(String uuid, ComputeMode mode) throws NvmlException {
        inSession(() -> {
            Pointer device = handle(uuid);
            return named(uuid, () -> {
                calls.require("nvmlDeviceSetComputeMode", nvml -> nvml.nvmlDeviceSetComputeMode(device, mode.number()));
                return mode;
            });
        });
    }

    /** Reads the link between two different cards. */
    public LinkLevel link(String uuidA, String uuidB) throws NvmlException {
        return inSession(() -> new LinkReader(calls).link(handle(uuidA), handle(uuidB)));
    }

    /**
     * Starts to watch these cards for Xid errors. {@link XidWatch#unwatched()} lists the cards that can't be watched,
     * because card or driver does not support it or the card is lost.
     */
    public XidWatch watchXids(Collection<String> uuids) throws NvmlException {
        return inSession(() -> {
            var watch = XidWatch.open(calls, new Handles(), uuids, watches::remove);
            watches.add(watch);
            return watch;
        });
    }

    /** Ends the session and all its watches. A thread that waits for an Xid returns within half a second. */
    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                List.copyOf(watches).forEach(XidWatch::close);
                calls.end("nvmlShutdown", NvmlLibrary::nvmlShutdown);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    private CardFacts facts(int index) throws NvmlException {
        Pointer device = calls.handle(
                "nvmlDeviceGetHandleByIndex_v2", (nvml, handle) -> nvml.nvmlDeviceGetHandleByIndex_v2(index, handle));
        CardFacts facts = new CardReader(calls, device).facts(index);
        uuidsByHandle.put(device, facts.uuid());
        return facts;
    }

    private List<CardReading> readings(int count, Map<Integer, CardFacts> present, Map<Integer, String> reasons) {
        var presentNow = present.values().stream().map(CardFacts::uuid).toList();
        List<CardReading> readings = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            CardFacts facts = present.get(index);
            if (facts != null) {
                readings.add(new CardReading.Present(index, facts));
            } else {
                Optional<String> uuid =
                        Optional.ofNullable(lastUuids.get(index)).filter(known -> !presentNow.contains(known));
                readings.add(new CardReading.Lost(index, uuid, reasons.getOrDefault(index, "")));
            }
        }
        return List.copyOf(readings);
    }

    /** The lookup of a lost card can itself fail with "lost" or "not found". */
    private Pointer handle(String uuid) throws NvmlException {
        try {
            Pointer device = named(
                    uuid,
                    () -> calls.handle(
                            "nvmlDeviceGetHandleByUUID",
                            (nvml, handle) -> nvml.nvmlDeviceGetHandleByUUID(uuid, handle)));
            uuidsByHandle.put(device, uuid);
            return device;
        } catch (NvmlException.Failed e) {
            if (e.code() == NvmlCode.NOT_FOUND && lastUuids.containsValue(uuid)) {
                throw new NvmlException.CardLost(e.getMessage() + ": card " + uuid, uuid);
            }
            throw e;
        }
    }

    /** The handles of this session's watches. */
    private final class Handles implements XidWatch.Cards {
        @Override
        public Pointer handle(String uuid) throws NvmlException {
            return Nvml.this.handle(uuid);
        }

        @Override
        public Optional<String> uuid(Pointer device) throws NvmlException {
            String known = uuidsByHandle.get(device);
            if (known != null) {
                return Optional.of(known);
            }
            try {
                return Optional.of(new CardReader(calls, device).uuid());
            } catch (NvmlException e) {
                return Optional.empty();
            }
        }
    }

    /** Adds the UUID: NVML does not name the lost card. */
    private static <T> T named(String uuid, NvmlAction<T> action) throws NvmlException {
        try {
            return action.run();
        } catch (NvmlException.CardLost e) {
            throw new NvmlException.CardLost(e.getMessage() + ": card " + uuid, uuid);
        }
    }

    @FunctionalInterface
    private interface NvmlAction<T> {
        T run() throws NvmlException;
    }

    private <T> T inSession(NvmlAction<T> action) throws NvmlException {
        lock.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException("this NVML session is closed: open another");
            }
            return action.run();
        } finally {
            lock.readLock().unlock();
        }
    }
}
