package io.gpushare.nvml.library;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import org.jspecify.annotations.Nullable;

/**
 * NVML's functions and structures as NVIDIA's NVML API reference documents them, by the names that the library exports
 * (nvml.h's unversioned names are macros). Each function is looked up at its first call, so a function that the driver
 * lacks causes an {@link UnsatisfiedLinkError} in that call only. All but {@link #nvmlErrorString} return an {@link
 * NvmlCode}.
 */
@SuppressWarnings({"MemberName", "ClassName", "TypeName"})
public interface NvmlLibrary extends Library {
    int NVML_DEVICE_UUID_BUFFER_SIZE = 96;
    int NVML_DEVICE_NAME_BUFFER_SIZE = 96;
    int NVML_SYSTEM_VERSION_BUFFER_SIZE = 80;
    /** Of drivers from 610 on; earlier ones refuse links from 18 on. */
    int NVML_NVLINK_MAX_LINKS = 36;

    int NVML_NVLINK_DEVICE_TYPE_SWITCH = 2;
    int NVML_FEATURE_ENABLED = 1;
    int NVML_TEMPERATURE_GPU = 0;
    int NVML_MEMORY_ERROR_TYPE_CORRECTED = 0;
    int NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1;
    int NVML_VOLATILE_ECC = 0;
    int NVML_AFFINITY_SCOPE_NODE = 0;
    long NVML_EVENT_TYPE_XID_CRITICAL_ERROR = 8;
    int NVML_COMPUTEMODE_DEFAULT = 0;
    int NVML_COMPUTEMODE_PROHIBITED = 2;
    int NVML_COMPUTEMODE_EXCLUSIVE_PROCESS = 3;
    long NVML_VALUE_NOT_AVAILABLE = -1;
    /** The instance ID in an event, or of a process, that concerns the whole card: 2^32-1. */
    int NVML_NO_INSTANCE = -1;

    int nvmlInit_v2();

    int nvmlShutdown();

    String nvmlErrorString(int code);

    int nvmlSystemGetDriverVersion(byte[] version, int length);

    int nvmlSystemGetNVMLVersion(byte[] version, int length);

    int nvmlSystemGetCudaDriverVersion_v2(IntByReference version);

    int nvmlDeviceGetCount_v2(IntByReference count);

    int nvmlDeviceGetHandleByIndex_v2(int index, PointerByReference device);

    int nvmlDeviceGetHandleByUUID(String uuid, PointerByReference device);

    int nvmlDeviceGetName(Pointer device, byte[] name, int length);

    int nvmlDeviceGetUUID(Pointer device, byte[] uuid, int length);

    int nvmlDeviceGetMinorNumber(Pointer device, IntByReference minor);

    int nvmlDeviceGetPciInfo_v3(Pointer device, nvmlPciInfo_t pci);

    int nvmlDeviceGetMemoryInfo(Pointer device, nvmlMemory_t memory);

    int nvmlDeviceGetMemoryInfo_v2(Pointer device, nvmlMemory_v2_t memory);

    int nvmlDeviceGetCudaComputeCapability(Pointer device, IntByReference major, IntByReference minor);

    int nvmlDeviceGetEccMode(Pointer device, IntByReference current, IntByReference pending);

    int nvmlDeviceGetNumaNodeId(Pointer device, IntByReference node);

    int nvmlDeviceGetMemoryAffinity(Pointer device, int words, long[] nodes, int scope);

    int nvmlDeviceGetMigMode(Pointer device, IntByReference current, IntByReference pending);

    /** The number of places of MIG instances; 0 while the mode is disabled. */
    int nvmlDeviceGetMaxMigDeviceCount(Pointer device, IntByReference count);

    /** "Not found" for an empty place. */
    int nvmlDeviceGetMigDeviceHandleByIndex(Pointer device, int index, PointerByReference instance);

    int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Pointer instance, PointerByReference device);

    int nvmlDeviceGetGpuInstanceId(Pointer instance, IntByReference id);

    int nvmlDeviceGetComputeInstanceId(Pointer instance, IntByReference id);

    int nvmlDeviceGetAttributes_v2(Pointer instance, nvmlDeviceAttributes_t attributes);

    int nvmlDeviceGetUtilizationRates(Pointer device, nvmlUtilization_t utilization);

    int nvmlDeviceGetTemperature(Pointer device, int sensor, IntByReference celsius);

    int nvmlDeviceGetPowerUsage(Pointer device, IntByReference milliwatts);

    int nvmlDeviceGetTotalEccErrors(Pointer device, int error, int counter, LongByReference count);

    /**
     * Fills {@link nvmlProcessInfo_v2_t}, though it is the third version of the call. Drivers from 535.43 to 535.86
     * fill longer entries: it must not be called there.
     */
    int nvmlDeviceGetComputeRunningProcesses_v3(Pointer device, IntByReference count, Structure[] infos);

    int nvmlDeviceGetComputeRunningProcesses_v2(Pointer device, IntByReference count, Structure[] infos);

    /** Fills {@link nvmlProcessInfo_v1_t}. */
    int nvmlDeviceGetComputeRunningProcesses(Pointer device, IntByReference count, Structure[] infos);

    /** The clients of MPS; fills {@link nvmlProcessInfo_v2_t}. */
    int nvmlDeviceGetMPSComputeRunningProcesses_v3(Pointer device, IntByReference count, Structure[] infos);

    int nvmlDeviceGetComputeMode(Pointer device, IntByReference mode);

    /** Needs root. */
    int nvmlDeviceSetComputeMode(Pointer device, int mode);

    /** Since driver 615; needs root. */
    int nvmlDeviceSetMemoryLimits_v1(Pointer device, nvmlSetMemoryLimits_v1_t limits);

    /** Since driver 615. */
    int nvmlDeviceGetMemoryLimits_v1(Pointer device, nvmlGetMemoryLimits_v1_t limits);

    /**
     * Samples of the processes that computed after {@code since}, in microseconds since 1970; "not found" if none did.
     */
    int nvmlDeviceGetProcessUtilization(Pointer device, Structure[] samples, IntByReference count, long since);

    int nvmlDeviceGetTopologyCommonAncestor(Pointer one, Pointer other, IntByReference level);

    int nvmlDeviceGetNvLinkState(Pointer device, int link, IntByReference active);

    int nvmlDeviceGetNvLinkRemotePciInfo_v2(Pointer device, int link, nvmlPciInfo_t pci);

    int nvmlDeviceGetNvLinkRemoteDeviceType(Pointer device, int link, IntByReference type);

    int nvmlEventSetCreate(PointerByReference set);

    int nvmlEventSetFree(Pointer set);

    int nvmlDeviceGetSupportedEventTypes(Pointer device, LongByReference types);

    int nvmlDeviceRegisterEvents(Pointer device, long types, Pointer set);

    int nvmlEventSetWait_v2(Pointer set, nvmlEventData_t data, int milliseconds);

    int nvmlEventSetWait(Pointer set, nvmlEventData_v1_t data, int milliseconds);

    /** Bytes of the card's memory. */
    @FieldOrder({"total", "free", "used"})
    final class nvmlMemory_t extends Structure {
        public long total;
        public long free;
        public long used;
    }

    /** Bytes of the card's memory; the caller sets the version: the structure's size, with 2 in the highest byte. */
    @FieldOrder({"version", "total", "reserved", "free", "used"})
    final class nvmlMemory_v2_t extends Structure {
        public int version = size() | 2 << 24;
        public long total;
        public long reserved;
        public long free;
        public long used;
    }

    /** The PCI address of a card. */
    @FieldOrder({"busIdLegacy", "domain", "bus", "device", "pciDeviceId", "pciSubSystemId", "busId"})
    final class nvmlPciInfo_t extends Structure {
        public byte[] busIdLegacy = new byte[16];
        public int domain;
        public int bus;
        public int device;
        public int pciDeviceId;
        public int pciSubSystemId;
        public byte[] busId = new byte[32];
    }

    /** Percent of the last sample period. */
    @FieldOrder({"gpu", "memory"})
    final class nvmlUtilization_t extends Structure {
        public int gpu;
        public int memory;
    }

    /** A process as old drivers report it. */
    @FieldOrder({"pid", "usedGpuMemory"})
    final class nvmlProcessInfo_v1_t extends Structure {
        public int pid;
        public long usedGpuMemory;
    }

    /** A process, with its MIG instances. */
    @FieldOrder({"pid", "usedGpuMemory", "gpuInstanceId", "computeInstanceId"})
    final class nvmlProcessInfo_v2_t extends Structure {
        public int pid;
        public long usedGpuMemory;
        public int gpuInstanceId;
        public int computeInstanceId;
    }

    /** The utilization by a process in one sample period: percent, and the time in microseconds since 1970. */
    @FieldOrder({"pid", "timeStamp", "smUtil", "memUtil", "encUtil", "decUtil"})
    final class nvmlProcessUtilizationSample_t extends Structure {
        public int pid;
        public long timeStamp;
        public int smUtil;
        public int memUtil;
        public int encUtil;
        public int decUtil;
    }

    /** Memory limits of a cgroup, named by the path of its directory: bytes; soft 0 and hard 2^64-1 for none. */
    @FieldOrder({"nameSpace", "softLimit", "hardLimit"})
    final class nvmlSetMemoryLimits_v1_t extends Structure {
        public @Nullable String nameSpace;
        public long softLimit;
        public long hardLimit;
    }

    /** The same, and what the cgroup uses. */
    @FieldOrder({"nameSpace", "softLimit", "hardLimit", "currentUsed"})
    final class nvmlGetMemoryLimits_v1_t extends Structure {
        public @Nullable String nameSpace;
        public long softLimit;
        public long hardLimit;
        public long currentUsed;
    }

    /** What a MIG instance has of its card. */
    @FieldOrder({
        "multiprocessorCount",
        "sharedCopyEngineCount",
        "sharedDecoderCount",
        "sharedEncoderCount",
        "sharedJpegCount",
        "sharedOfaCount",
        "gpuInstanceSliceCount",
        "computeInstanceSliceCount",
        "memorySizeMB"
    })
    final class nvmlDeviceAttributes_t extends Structure {
        public int multiprocessorCount;
        public int sharedCopyEngineCount;
        public int sharedDecoderCount;
        public int sharedEncoderCount;
        public int sharedJpegCount;
        public int sharedOfaCount;
        public int gpuInstanceSliceCount;
        public int computeInstanceSliceCount;
        public long memorySizeMB;
    }

    /** An event as old drivers report it. */
    @FieldOrder({"device", "eventType", "eventData"})
    final class nvmlEventData_v1_t extends Structure {
        public @Nullable Pointer device;
        public long eventType;
        public long eventData;
    }

    /** An event; the data of an Xid event is the Xid. */
    @FieldOrder({"device", "eventType", "eventData", "gpuInstanceId", "computeInstanceId"})
    final class nvmlEventData_t extends Structure {
        public @Nullable Pointer device;
        public long eventType;
        public long eventData;
        public int gpuInstanceId;
        public int computeInstanceId;
    }
}
