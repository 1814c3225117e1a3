package io.gpushare.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.plugin.allocation.DeviceListStrategy;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class PluginOptionsTest {
    @Test
    void whatIsNotGivenHasTheDefaultsOfTheDocumentation() {
        PluginOptions.Settings settings = settings("--node-name=n1");

        assertThat(settings.unit()).isEqualTo(MemoryUnit.GIB);
        assertThat(settings.resources()).isEqualTo(ResourceNames.DEFAULT);
        assertThat(settings.kubeletDir()).isEqualTo(Path.of("/var/lib/kubelet"));
        assertThat(settings.nvmlLibrary()).isEqualTo("libnvidia-ml.so.1");
        assertThat(settings.strategies()).containsExactly(DeviceListStrategy.ENVVAR);
        assertThat(settings.kubeconfig()).isNull();
        assertThat(settings.healthQuietTime()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.metricsAddress()).isEmpty();
        assertThat(settings.evictOverUseAfter()).isEmpty();
        assertThat(settings.procDir()).isEqualTo(Path.of("/proc"));
    }

    @Test
    void whatIsGivenIsTakenAndShown() {
        PluginOptions options = new PluginOptions();
        new CommandLine(options)
                .parseArgs(
                        "--node-name=n1", "--memory-unit", "256MiB", "--card-resource=nvidia.com/gpu", "--mps=false");

        assertThat(options.settings().unit()).isEqualTo(MemoryUnit.ofMib(256));
        assertThat(options.settings().resources().cards()).isEqualTo("nvidia.com/gpu");
        assertThat(options.shown()).contains("--memory-unit=256MiB --memory-resource=aliyun.com/gpu-mem");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--memory-unit=MB | memory unit 'MB' is not understood",
                "--card-resource=gpu | 'gpu' is not the name of an extended resource",
                "--card-resource=aliyun.com/gpu-mem | must have different names",
                "--device-list-strategy=volume | device list strategy 'volume' is not known",
                "--health-quiet-time=10 | is not understood: write seconds",
                "--evict-over-use-after=2m | is not understood: write seconds",
                "--metrics-address=9450 | is not understood: write :9450",
                "--metrics-address=:99450 | is not understood: write :9450",
                "--mps | --mps=true is not possible yet",
                "--mps=maybe | is not understood: leave it out",
                "--node-name= | the node's name is not given"
            })
    void aWrongValueIsRefusedWithASentence(String argument, String sentence) {
        assertThatThrownBy(() -> settings("--node-name=n1", argument))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void metricsAreServedWhereTheyAreAskedFor() {
        assertThat(settings("--node-name=n1", "--metrics-address=:9450").metricsAddress())
                .contains(new InetSocketAddress(9450));
        assertThat(settings("--node-name=n1", "--metrics-address=[::1]:0").metricsAddress())
                .hasValueSatisfying(address ->
                        assertThat(address.getAddress().isLoopbackAddress()).isTrue());
    }

    @Test
    void anUnknownFlagIsRefused() {
        assertThatThrownBy(() -> settings("--node-name=n1", "--memory-units=GiB"))
                .hasMessageContaining("Unknown option: '--memory-units=GiB'");
    }

    @Test
    void gpusharesOldFlagsAreAnsweredWithWhatToDo() {
        assertThat(RetiredFlags.advice(new String[] {"--memory-unit=GiB", "-logtostderr"}))
                .hasValueSatisfying(advice -> assertThat(advice).contains("--logtostderr is gone, leave it out"));
        assertThat(RetiredFlags.advice(new String[] {"--health-check=true"})).isPresent();
        assertThat(RetiredFlags.advice(new String[] {"--mps=false"})).isEmpty();
    }

    private static PluginOptions.Settings settings(String... arguments) {
        PluginOptions options = new PluginOptions();
        CommandLine line = new CommandLine(options).setOverwrittenOptionsAllowed(true);
        line.parseArgs(arguments);
        return options.settings();
    }
}
