package io.gpushare.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import io.gpushare.nvml.library.NvmlLibrary.nvmlDeviceAttributes_t;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the MIG instances of the card behind a handle. */
final class MigReader {
    // It becomes part of the names of a resource and a socket.
    private static final Pattern PROFILE = Pattern.compile(".* MIG ([0-9][A-Za-z0-9.+-]{0,39})");
    /** No card has more than 8 instances; a driver that says so is not asked for each. */
    private static final int MOST_PLACES = 64;

    private final NvmlCalls calls;
    private final Pointer device;

    MigReader(NvmlCalls calls, Pointer device) {
        this.calls = calls;
        this.device = device;
    }

    /** Empty for a card or driver without MIG. */
    Optional<MigFacts> facts() throws NvmlException {
        var pending = new IntByReference();
        OptionalInt mode = calls.numberIfSupported(
                "nvmlDeviceGetMigMode", (nvml, now) -> nvml.nvmlDeviceGetMigMode(device, now, pending));
        if (mode.isEmpty()) {
            return Optional.empty();
        }
        boolean enabled = mode.getAsInt() == NvmlLibrary.NVML_FEATURE_ENABLED;
        return Optional.of(new MigFacts(
                enabled, pending.getValue() == NvmlLibrary.NVML_FEATURE_ENABLED, enabled ? instances() : List.of()));
    }

    /** Places may be empty between others, so all of them are read. */
    private List<MigFacts.Instance> instances() throws NvmlException {
        int places = calls.number(
                "nvmlDeviceGetMaxMigDeviceCount", (nvml, most) -> nvml.nvmlDeviceGetMaxMigDeviceCount(device, most));
        List<MigFacts.Instance> instances = new ArrayList<>();
        for (int at = 0; at < Math.min(places, MOST_PLACES); at++) {
            int place = at;
            try {
                instances.add(instance(calls.handle(
                        "nvmlDeviceGetMigDeviceHandleByIndex",
                        (nvml, handle) -> nvml.nvmlDeviceGetMigDeviceHandleByIndex(device, place, handle))));
            } catch (NvmlException.Failed e) {
                // Empty, or emptied since its handle was read. The second code is that of some drivers.
                if (e.code() != NvmlCode.NOT_FOUND && e.code() != NvmlCode.INVALID_ARGUMENT) {
                    throw e;
                }
            }
        }
        return instances;
    }

    private MigFacts.Instance instance(Pointer handle) throws NvmlException {
        var reader = new CardReader(calls, handle);
        Optional<String> profile =
                reader.name().map(PROFILE::matcher).filter(Matcher::matches).map(name -> name.group(1));
        var attributes = new nvmlDeviceAttributes_t();
        boolean known = calls.succeeds(
                "nvmlDeviceGetAttributes_v2", nvml -> nvml.nvmlDeviceGetAttributes_v2(handle, attributes));
        CardReader.Memory memory = reader.memory();
        return new MigFacts.Instance(
                reader.uuid(),
                profile,
                memory.total().isPresent() || !known ? memory.total() : OptionalLong.of(attributes.memorySizeMB << 20),
                memory.reserved(),
                calls.number("nvmlDeviceGetGpuInstanceId", (nvml, id) -> nvml.nvmlDeviceGetGpuInstanceId(handle, id)),
                calls.number(
                        "nvmlDeviceGetComputeInstanceId",
                        (nvml, id) -> nvml.nvmlDeviceGetComputeInstanceId(handle, id)),
                !known || attributes.computeInstanceSliceCount >= attributes.gpuInstanceSliceCount);
    }

    /** The card of the instance with that handle. */
    static Pointer card(NvmlCalls calls, Pointer instance) throws NvmlException {
        return calls.handle(
                "nvmlDeviceGetDeviceHandleFromMigDeviceHandle",
                (nvml, card) -> nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(instance, card));
    }
}
