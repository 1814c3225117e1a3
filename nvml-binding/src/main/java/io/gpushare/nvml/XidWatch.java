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
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Waits for Xid errors of the cards passed to {@link Nvml#watchXids}. One thread waits at a time. */
public final class XidWatch implements AutoCloseable {
    /** The longest single wait inside NVML, and so the longest delay of a close. */
    private static final long SLICE_MILLISECONDS = 500;

    private final NvmlCalls calls;
    private final Pointer set;
    private final Cards cards;
    private final Set<String> unwatched;
    private final Consumer<XidWatch> onClose;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean closed;
    private boolean freed;

    private XidWatch(NvmlCalls calls, Pointer set, Cards cards, Set<String> unwatched, Consumer<XidWatch> onClose) {
        this.calls = calls;
        this.set = set;
        this.cards = cards;
        this.unwatched = Set.copyOf(unwatched);
        this.onClose = onClose;
    }

    /** The handles and UUIDs of the session's cards. */
    interface Cards {
        Pointer handle(String uuid) throws NvmlException;

        /**
         * The UUID of the card that an event names; empty if the card can't report it and never did. A card that fell
         * off the bus may be in an event of a watch that was opened without it.
         */
        Optional<String> uuid(Pointer device) throws NvmlException;
    }

    static XidWatch open(NvmlCalls calls, Cards cards, Collection<String> uuids, Consumer<XidWatch> onClose)
            throws NvmlException {
        Pointer set = calls.handle("nvmlEventSetCreate", (nvml, created) -> nvml.nvmlEventSetCreate(created));
        Set<String> unwatched = new LinkedHashSet<>(uuids);
        @Nullable NvmlException failure = null;
        for (String uuid : Set.copyOf(uuids)) {
            try {
                if (register(calls, cards, uuid, set)) {
                    unwatched.remove(uuid);
                }
            } catch (NvmlException e) {
                failure = e;
            }
        }
        if (failure != null && unwatched.size() == Set.copyOf(uuids).size()) {
            calls.end("nvmlEventSetFree", nvml -> nvml.nvmlEventSetFree(set));
            throw failure;
        }
        return new XidWatch(calls, set, cards, unwatched, onClose);
    }

    private static boolean register(NvmlCalls calls, Cards cards, String uuid, Pointer set) throws NvmlException {
        try {
            Pointer device = cards.handle(uuid);
            var types = new LongByReference();
            calls.require(
                    "nvmlDeviceGetSupportedEventTypes", nvml -> nvml.nvmlDeviceGetSupportedEventTypes(device, types));
            long xids = types.getValue() & NvmlLibrary.NVML_EVENT_TYPE_XID_CRITICAL_ERROR;
            if (xids == 0) {
                return false;
            }
            calls.require("nvmlDeviceRegisterEvents", nvml -> nvml.nvmlDeviceRegisterEvents(device, xids, set));
            return true;
        } catch (NvmlException.Unsupported | NvmlException.CardLost e) {
            return false; // listed by unwatched()
        }
    }

    /**
     * The cards that can't deliver events: card or driver does not support them, or the card failed or was lost at the
     * start.
     */
    public Set<String> unwatched() {
        return unwatched;
    }

    /**
     * Waits for the next Xid error.
     *
     * @return empty after the timeout, or if this watch is closed meanwhile
     * @throws NvmlException.CardLost if a watched card fell off the bus; NVML does not name it. The other cards are
     *     still watched, but NVML may report the loss again at once: read the cards and open a new watch
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
            return xid
                    ? Optional.of(new XidEvent(
                            uuid(event),
                            event.eventData,
                            instance(event.gpuInstanceId),
                            instance(event.computeInstanceId)))
                    : Optional.empty();
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
            event.gpuInstanceId = NvmlLibrary.NVML_NO_INSTANCE;
            event.computeInstanceId = NvmlLibrary.NVML_NO_INSTANCE;
            return code;
        }
    }

    private static OptionalInt instance(int id) {
        return id == NvmlLibrary.NVML_NO_INSTANCE ? OptionalInt.empty() : OptionalInt.of(id);
    }

    private Optional<String> uuid(nvmlEventData_t event) throws NvmlException {
        Pointer device = event.device;
        return device == null ? Optional.empty() : cards.uuid(device);
    }

    /** Stops watching. A waiting thread returns within half a second. */
    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            if (!freed) {
                freed = true;
                calls.end("nvmlEventSetFree", nvml -> nvml.nvmlEventSetFree(set));
            }
        } finally {
            lock.unlock();
        }
        onClose.accept(this);
    }
}
