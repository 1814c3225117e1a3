package io.gpushare.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import io.gpushare.nvml.library.NvmlLibrary.nvmlEventData_t;
import io.gpushare.nvml.library.NvmlLibrary.nvmlEventData_v1_t;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Waits for Xid errors of the cards passed to {@link Nvml#watchXids}. One thread waits at a time. */
public final class XidWatch implements AutoCloseable {
    /** The longest single wait inside NVML, and so the longest delay of a close. */
    private static final long SLICE_MILLISECONDS = 500;

    private final NvmlCalls calls;
    private final Pointer set;
    /** UUIDs by the handle in events: a card that fell off the bus can't report its UUID. */
    private final Map<Pointer, String> watched;

    private final Set<String> unwatched;
    private final Consumer<XidWatch> onClose;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean closed;
    private boolean freed;

    private XidWatch(
            NvmlCalls calls,
            Pointer set,
            Map<Pointer, String> watched,
            Set<String> unwatched,
            Consumer<XidWatch> onClose) {
        this.calls = calls;
        this.set = set;
        this.watched = Map.copyOf(watched);
        this.unwatched = Set.copyOf(unwatched);
        this.onClose = onClose;
    }

    /** Finds the card of a UUID. */
    @FunctionalInterface
    interface HandleByUuid {
        Pointer handle(String uuid) throws NvmlException;
    }

    static XidWatch open(NvmlCalls calls, HandleByUuid cards, Collection<String> uuids, Consumer<XidWatch> onClose)
            throws NvmlException {
        Pointer set = calls.handle("nvmlEventSetCreate", (nvml, created) -> nvml.nvmlEventSetCreate(created));
        Map<Pointer, String> watched = new HashMap<>();
        Set<String> unwatched = new LinkedHashSet<>(uuids);
        try {
            for (String uuid : Set.copyOf(uuids)) {
                register(calls, cards, uuid, set).ifPresent(device -> {
                    watched.put(device, uuid);
                    unwatched.remove(uuid);
                });
            }
        } catch (NvmlException e) {
            calls.end(nvml -> nvml.nvmlEventSetFree(set));
            throw e;
        }
        return new XidWatch(calls, set, watched, unwatched, onClose);
    }

    private static Optional<Pointer> register(NvmlCalls calls, HandleByUuid cards, String uuid, Pointer set)
            throws NvmlException {
        try {
            Pointer device = cards.handle(uuid);
            var types = new LongByReference();
            calls.require(
                    "nvmlDeviceGetSupportedEventTypes", nvml -> nvml.nvmlDeviceGetSupportedEventTypes(device, types));
            long xids = types.getValue() & NvmlLibrary.NVML_EVENT_TYPE_XID_CRITICAL_ERROR;
            if (xids == 0) {
                return Optional.empty();
            }
            calls.require("nvmlDeviceRegisterEvents", nvml -> nvml.nvmlDeviceRegisterEvents(device, xids, set));
            return Optional.of(device);
        } catch (NvmlException.Unsupported | NvmlException.CardLost e) {
            return Optional.empty(); // listed by unwatched()
        }
    }

    /** The cards that can't deliver events: card or driver does not support them, or the card was lost at the start. */
    public Set<String> unwatched() {
        return unwatched;
    }

    /**
     * Waits for the next Xid error.
     *
     * @return empty after the timeout, or if this watch is closed meanwhile
     * @throws NvmlException.CardLost if a watched card fell off the bus; NVML does not name it. The other cards are still
     *     watched, but NVML may report the loss again at once: read the cards and open a new watch
     */
    public Optional<XidEvent> await(Duration timeout) throws NvmlException {
        long end = System.nanoTime() + timeout.toNanos();
        while (true) {
            long left = Math.max(0, Duration.ofNanos(end - System.nanoTime()).toMillis());
            Optional<XidEvent> event = waitOnce((int) Math.min(left, SLICE_MILLISECONDS));
            if (event.isPresent() || closed || System.nanoTime() - end >= 0) {
                return event;
            }
        }
    }

    private Optional<XidEvent> waitOnce(int milliseconds) throws NvmlException {
        lock.lock();
        try {
            if (freed) {
                throw new IllegalStateException("this watch is closed: open another");
            }
            var event = new nvmlEventData_t();
            int code = waitNewest(event, milliseconds);
            if (code == NvmlCode.TIMEOUT) {
                return Optional.empty();
            }
            if (code != NvmlCode.SUCCESS) {
                throw calls.failure("nvmlEventSetWait_v2", code);
            }
            boolean xid = (event.eventType & NvmlLibrary.NVML_EVENT_TYPE_XID_CRITICAL_ERROR) != 0;
            return xid ? Optional.of(new XidEvent(uuid(event), event.eventData)) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Drivers before 450 have only the older call, whose event has no MIG instance. */
    private int waitNewest(nvmlEventData_t event, int milliseconds) throws NvmlException {
        try {
            return calls.code("nvmlEventSetWait_v2", nvml -> nvml.nvmlEventSetWait_v2(set, event, milliseconds));
        } catch (NvmlException.Unsupported e) {
            var old = new nvmlEventData_v1_t();
            int code = calls.code("nvmlEventSetWait", nvml -> nvml.nvmlEventSetWait(set, old, milliseconds));
            event.device = old.device;
            event.eventType = old.eventType;
            event.eventData = old.eventData;
            return code;
        }
    }

    private Optional<String> uuid(nvmlEventData_t event) throws NvmlException {
        Pointer device = event.device;
        if (device == null) {
            return Optional.empty();
        }
        String known = watched.get(device);
        if (known != null) {
            return Optional.of(known);
        }
        try {
            return Optional.of(new CardReader(calls, device).uuid());
        } catch (NvmlException.CardLost e) {
            return Optional.empty();
        }
    }

    /** Stops watching. A waiting thread returns within half a second. */
    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            if (!freed) {
                freed = true;
                calls.end(nvml -> nvml.nvmlEventSetFree(set));
            }
        } finally {
            lock.unlock();
        }
        onClose.accept(this);
    }
}
