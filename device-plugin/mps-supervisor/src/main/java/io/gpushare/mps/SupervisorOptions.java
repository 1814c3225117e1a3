package io.gpushare.mps;

import io.gpushare.mps.control.ControlProgram;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.options.CheckedOptions;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.OptionParser;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the supervisor of MPS. */
@Command(
        name = "mps-supervisor",
        mixinStandardHelpOptions = true,
        description = "Runs NVIDIA's MPS for the cards of this node that memory pods share.",
        footer = "Each flag can be set by an environment variable: --mps-dir by GPUSHARE_MPS_DIR, for example.",
        sortOptions = false,
        usageHelpWidth = 110)
final class SupervisorOptions implements CheckedOptions {
    @Option(
            names = "--mps-dir",
            paramLabel = "<directory>",
            defaultValue = "/run/gpushare/mps",
            description = "The directory that it shares with the device plugin and the containers. [/run/gpushare/mps]")
    Path directory = Path.of("");

    @Option(
            names = "--nvml-library",
            paramLabel = "<file>",
            defaultValue = "libnvidia-ml.so.1",
            description = "NVML's library, by name or absolute path. [libnvidia-ml.so.1]")
    String nvmlLibrary = "";

    @Option(
            names = "--mps-control-program",
            paramLabel = "<file>",
            defaultValue = ControlProgram.NAME,
            description = "NVIDIA's control program, by name or absolute path. [" + ControlProgram.NAME + "]")
    String controlProgram = "";

    @Option(
            names = "--selinux-label",
            paramLabel = "<label>",
            defaultValue = SeLinux.LABEL,
            description = {
                "The SELinux label of the directory and what is in it, so that containers may use the sockets;"
                        + " empty: unchanged. Without SELinux it has no effect. [" + SeLinux.LABEL + "]"
            })
    String seLinuxLabel = "";

    OptionParser parser(EnvironmentDefaults environment) {
        return new OptionParser(this, environment);
    }

    @Override
    public List<String> problems() {
        return new MpsDirectory(directory.toAbsolutePath()).problem().stream().toList();
    }
}
