package io.gpushare.nvml.process;

import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The first two numbers of a driver's version: 535.54 of {@code 535.54.03}. */
public record DriverVersion(int major, int minor) implements Comparable<DriverVersion> {
    private static final Pattern FORM = Pattern.compile("\\s*(\\d{1,6})\\.(\\d{1,6})(?!\\d).*");
    private static final Comparator<DriverVersion> ORDER =
            Comparator.comparingInt(DriverVersion::major).thenComparingInt(DriverVersion::minor);

    // NVIDIA added a field to nvmlProcessInfo_t in 535.43 and removed it again in 535.98.
    private static final DriverVersion LONGER_PROCESS_ENTRIES = new DriverVersion(535, 43);
    private static final DriverVersion PROCESS_ENTRIES_AS_BEFORE = new DriverVersion(535, 98);

    /** The version of the loaded driver; empty if the driver does not report it, or not as numbers. */
    public static Optional<DriverVersion> read(NvmlCalls calls) throws NvmlException {
        return calls.textIfSupported(
                        "nvmlSystemGetDriverVersion",
                        NvmlLibrary.NVML_SYSTEM_VERSION_BUFFER_SIZE,
                        NvmlLibrary::nvmlSystemGetDriverVersion)
                .flatMap(DriverVersion::parse);
    }

    public static Optional<DriverVersion> parse(String version) {
        Matcher numbers = FORM.matcher(version);
        return numbers.matches()
                ? Optional.of(new DriverVersion(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2))))
                : Optional.empty();
    }

    /** Whether {@code nvmlDeviceGetComputeRunningProcesses_v3} writes entries of 32 bytes instead of 24. */
    public boolean hasLongerProcessEntries() {
        return compareTo(LONGER_PROCESS_ENTRIES) >= 0 && compareTo(PROCESS_ENTRIES_AS_BEFORE) < 0;
    }

    @Override
    public int compareTo(DriverVersion other) {
        return ORDER.compare(this, other);
    }
}
