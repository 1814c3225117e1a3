package io.gpushare.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.model.card.CardIsolation.CoreCap;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.options.OptionParser;
import io.gpushare.plugin.node.cards.NodePause;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.isolation.IsolationMode;
import io.gpushare.plugin.node.isolation.IsolationPolicy;
import io.gpushare.plugin.node.isolation.ReservedMemory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PluginOptionsTest {
    @Test
    void absentOptionsHaveTheDefaultsOfTheDocumentation() throws Exception {
        PluginOptions settings = settings("--node-name=n1");

        assertThat(settings.cluster.memoryUnit()).isEqualTo(MemoryUnit.GIB);
        assertThat(settings.cluster.resources()).isEqualTo(ResourceNames.DEFAULT);
        assertThat(settings.kubeletDir).isEqualTo(Path.of("/var/lib/kubelet"));
        assertThat(settings.nvmlLibrary).isEqualTo("libnvidia-ml.so.1");
        assertThat(settings.containers().strategies()).containsExactly(DeviceListStrategy.ENVVAR);
        assertThat(settings.cluster.kubeconfig()).isNull();
        assertThat(settings.scanning(MemoryUnit.GIB, new NodePause(settings.pauseLabels))
                        .quiet())
                .isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.metricsAddress).isNull();
        assertThat(settings.evictOverUseAfter).isNull();
        assertThat(settings.procDir).isEqualTo(Path.of("/proc"));
    }

    @Test
    void givenOptionsAreInForce() throws Exception {
        PluginOptions options = new PluginOptions();
        OptionParser parser = options.parser(PluginOptions.environment(Map.of()));
        parser.parse("--node-name=n1", "--memory-unit", "256MiB", "--card-resource=nvidia.com/gpu", "--mps=false");

        assertThat(options.cluster.memoryUnit()).isEqualTo(MemoryUnit.ofMib(256));
        assertThat(options.cluster.resources().cards()).isEqualTo("nvidia.com/gpu");
        assertThat(parser.inForce())
                .contains(
                        "--memory-unit=256MiB ", "--memory-resource=aliyun.com/gpu-mem --card-resource=nvidia.com/gpu");
    }

    @Test
    void everyFlagHasAnEnvironmentVariable() throws Exception {
        PluginOptions options = new PluginOptions();
        EnvironmentDefaults environment = PluginOptions.environment(Map.of(
                "GPUSHARE_NODE_NAME", "n1",
                "GPUSHARE_DEVICE_LIST_STRATEGY", "cdi-cri,envvar",
                "GPUSHARE_PROC_DIR", "/host/proc",
                "GPUSHARE_SIMULATED_CARDS", "/cards",
                "GPUSHARE_SCHD_EXTENDER_PORT", "tcp://10.0.0.1:12345"));
        options.parser(environment).parse();

        assertThat(options.nodeName).isEqualTo("n1");
        assertThat(options.procDir).isEqualTo(Path.of("/host/proc"));
        assertThat(options.containers().strategies())
                .containsExactlyInAnyOrder(DeviceListStrategy.CDI_CRI, DeviceListStrategy.ENVVAR);
        assertThat(environment.notices()).isEmpty();
    }

    @Test
    void aMissingNodeNameHidesNoOtherError() {
        EnvironmentDefaults environment =
                PluginOptions.environment(Map.of("GPUSHARE_MEMORY_UNIT", "gb", "GPUSHARE_PROCDIR", "/proc"));

        assertThatThrownBy(() -> new PluginOptions()
                        .parser(environment)
                        .parse("--health-quiet-time=10", "--isolation-fallback=driver"))
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining("the node's name is missing")
                .hasMessageContaining("memory unit 'gb'")
                .hasMessageContaining("(from GPUSHARE_MEMORY_UNIT)")
                .hasMessageContaining("Unknown environment variable: GPUSHARE_PROCDIR; did you mean GPUSHARE_PROC_DIR?")
                .hasMessageContaining("'10' is not a duration")
                .hasMessageContaining("--isolation-fallback=driver is not possible")
                .satisfies(
                        e -> assertThat(String.valueOf(e.getMessage()).lines()).hasSize(5));
    }

    @Test
    void slotsAreOfferedWithHamiOnly() throws Exception {
        assertThat(settings("--node-name=n1", "--hami-slots=4").beside()).isEqualTo(Share.NONE);
        assertThat(settings("--node-name=n1", "--hami", "--hami-slots=4").beside())
                .isEqualTo(Share.ALL_CORES.plus(Share.slots(4)));
        assertThatThrownBy(() -> settings("--node-name=n1", "--hami", "--card-resource=nvidia.com/gpu"))
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining("--hami needs nvidia.com/gpu");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--memory-unit=MB | memory unit 'MB' is not understood",
                "--card-resource=gpu | 'gpu' is not the name of an extended resource",
                "--card-resource=aliyun.com/gpu-mem | must have different names",
                "--device-list-strategy=auto,envvar | --device-list-strategy has auto and others: write auto alone",
                "--device-list-strategy=volume | unknown value 'volume': use [envvar, cdi-cri, auto, device-specs]",
                "--health-quiet-time=10 | '10' is not a duration: write seconds",
                "--evict-over-use-after=2m | '2m' is not a duration: write seconds",
                "--metrics-address=9450 | '9450' is not an address: write :9450",
                "--metrics-address=:99450 | ':99450' is not an address: write :9450",
                "--isolation=hami | unknown value 'hami': use [none, driver, mps, hami-core, auto]",
                "--reserved-memory=some | --reserved-memory: 'some' is not understood: write auto, none, or a number",
                "--reserved-memory=-1 | --reserved-memory: '-1' is not understood",
                "--reserved-memory=1GiB | --reserved-memory: '1GiB' is not understood",
                "--mps-default-cores=half | --mps-default-cores: 'half' is not understood: write none, a percentage",
                "--mps-default-cores=0 | --mps-default-cores: '0' is not understood",
                "--mps=maybe | 'maybe' is not a boolean",
                "--hami-slots=0 | --hami-slots=0 is not possible: write a number from 1 to 100",
                "--hami-slots=ten | 'ten' is not",
                "--hami=maybe | 'maybe' is not a boolean"
            })
    void anInvalidValueIsRefusedWithASentence(String argument, String sentence) {
        assertThatThrownBy(() -> settings("--node-name=n1", argument))
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining(sentence);
    }

    @ParameterizedTest
    @CsvSource({
        "--memory-unit=GiB, NONE, false",
        "--isolation=driver, DRIVER, false",
        "--isolation=mps, MPS, false",
        "--isolation=hami-core, HAMI_CORE, false",
        "--isolation=auto, AUTO, false",
        "--isolation=driver --isolation-fallback=none, DRIVER, true",
        "--mps, MPS, true",
        "--mps=true --isolation=mps, MPS, true",
        "--mps=false, NONE, false"
    })
    void theIsolationIsStrictUnlessItMayFallBack(String arguments, IsolationMode mode, boolean fallback)
            throws Exception {
        assertThat(settings(("--node-name=n1 " + arguments).split(" "))
                        .isolation
                        .policy())
                .isEqualTo(new IsolationPolicy(mode, fallback));
    }

    @Test
    void whatIsKeptOfCardsAndTheCapOfCoresHaveOptions() throws Exception {
        IsolationPolicy policy = settings("--node-name=n1", "--reserved-memory=600", "--mps-default-cores=memory*2")
                .isolation
                .policy();
        assertThat(policy.reserved()).isEqualTo(new ReservedMemory(Optional.of(Memory.ofMib(600))));
        assertThat(policy.coreCap()).isEqualTo(new CoreCap(0, 200));
        assertThat(settings("--node-name=n1", "--reserved-memory=none")
                        .isolation
                        .policy()
                        .applies())
                .isFalse();
        assertThat(policy.applies()).isTrue();
    }

    @Test
    void aDirectoryTooLongForTheSocketsOfMpsIsRefusedWhereMpsIsUsed() throws Exception {
        String directory = "/var/lib/some-platform/gpu-share/run/mps/sockets";
        assertThatThrownBy(() -> settings("--node-name=n1", "--isolation=mps", "--mps-dir=" + directory))
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining("--mps-dir=" + directory + " is too long: the sockets of MPS would have paths of"
                        + " 115 bytes, and at most 107 are possible: use a directory whose path is 8 bytes shorter");
        settings("--node-name=n1", "--mps-dir=" + directory);
        settings("--node-name=n1", "--isolation=mps", "--mps-dir=" + directory.substring(0, 40));
    }

    @Test
    void twoIsolationsAreRefused() {
        assertThatThrownBy(() -> settings("--node-name=n1", "--mps=true", "--isolation=driver"))
                .hasMessageContaining("--mps=true and --isolation=driver contradict each other: leave --mps out");
    }

    @Test
    void claimsHaveEachIsolation() throws InvalidOptionsException {
        assertThat(settings("--node-name=n1", "--serve=dra", "--isolation=mps")
                        .isolation
                        .policy()
                        .mode())
                .isEqualTo(IsolationMode.MPS);
        assertThat(settings("--node-name=n1", "--serve=dra").serve).isEqualTo(ServeMode.DRA);
        assertThat(settings("--node-name=n1").serve).isEqualTo(ServeMode.DEVICE_PLUGIN);
    }

    @Test
    void anEmptyNodeNameIsRefused() {
        assertThatThrownBy(() -> settings("--node-name="))
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining("the node's name is missing");
    }

    @Test
    void theMetricsAddressMayBeOfAllInterfacesOrOfOne() throws Exception {
        assertThat(settings("--node-name=n1", "--metrics-address=:9450").metricsAddress)
                .isEqualTo(new InetSocketAddress(9450));
        assertThat(settings("--node-name=n1", "--metrics-address=[::1]:0").metricsAddress)
                .isNotNull()
                .satisfies(address ->
                        assertThat(address.getAddress().isLoopbackAddress()).isTrue());
    }

    @Test
    void anEmptyQuietTimeIsRefused() {
        assertThatThrownBy(() -> settings("--node-name=n1", "--health-quiet-time="))
                .hasMessageContaining("--health-quiet-time is empty");
    }

    @Test
    void aFlagOfGpushareWithOneDashIsNoRequestForHelp() {
        assertThatThrownBy(() -> settings("--node-name=n1", "-health-check"))
                .hasMessageContaining("Unknown option: '-health-check'");
    }

    @Test
    void anUnknownFlagIsRefused() {
        assertThatThrownBy(() -> settings("--node-name=n1", "--memory-units=GiB"))
                .hasMessageContaining("Unknown option: '--memory-units=GiB'");
    }

    @Test
    void theCommandLineOfGpusharesManifestIsAccepted() throws Exception {
        GpushareFlags flags = GpushareFlags.of("-logtostderr", "--v=5", "-memory-unit=MiB");
        assertThat(flags.left()).containsExactly("--memory-unit=MiB");
        assertThat(flags.notices())
                .containsExactly(
                        "gpushare's flag --logtostderr has no effect, leave it out: the log goes to standard error",
                        "gpushare's flag --v has no effect, leave it out: the log has one level");
        assertThat(GpushareFlags.of(
                                "--health-check",
                                "--query-kubelet=true",
                                "--kubelet-address",
                                "0.0.0.0",
                                "--kubelet-port=10250",
                                "--client-cert=c",
                                "--client-key=k",
                                "-token",
                                "t=u",
                                "--timeout=10",
                                "-alsologtostderr",
                                "-log_dir=/tmp",
                                "-stderrthreshold=2",
                                "-vmodule=a=1",
                                "-v",
                                "5",
                                "--mps=false",
                                "-h",
                                "--node-name",
                                "n1")
                        .left())
                .containsExactly("--mps=false", "-h", "--node-name", "n1");
    }

    @Test
    void aKubeconfigThatDoesNotExistIsReportedAndTheServiceAccountUsed() throws Exception {
        PluginOptions options = new PluginOptions();
        EnvironmentDefaults environment = PluginOptions.environment(
                Map.of("NODE_NAME", "n1", "KUBECONFIG", "/etc/kubernetes/absent/kubelet.conf"));
        options.parser(environment).parse();

        assertThat(options.cluster.kubeconfig()).isNull();
        assertThat(environment.notices())
                .containsExactly(
                        "KUBECONFIG names /etc/kubernetes/absent/kubelet.conf, which does not exist or can't be"
                                + " read: using the pod's service account");
        assertThatThrownBy(() -> settings("--node-name=n1", "--kubeconfig=/etc/kubernetes/absent/kubelet.conf"))
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining("does not exist");
    }

    private static PluginOptions settings(String... arguments) throws InvalidOptionsException {
        PluginOptions options = new PluginOptions();
        options.parser(PluginOptions.environment(Map.of())).parse(arguments);
        return options;
    }
}
