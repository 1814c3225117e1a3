package io.gpushare.extender.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.claims.ClaimWatch;
import io.gpushare.claims.UnwatchedClaims;
import io.gpushare.extender.Candidacy;
import io.gpushare.extender.Extender;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.server.TlsFiles;
import io.gpushare.insight.Insight;
import io.gpushare.insight.routes.ViewAccess;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.options.OptionParser;
import io.gpushare.time.StartedParts;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExtenderOptionsTest {
    private final ExtenderOptions options = new ExtenderOptions();

    @Test
    void theEnvironmentOfGpusharesManifestIsAccepted() throws Exception {
        EnvironmentDefaults environment = ExtenderOptions.environment(Map.of(
                "LOG_LEVEL", "debug", "THREADNESS", "4", "PORT", "12346", "KUBECONFIG", "/etc/kubernetes/absent.conf"));
        options.parser(environment).parse();

        assertThat(options.settings("1").kubeconfig()).isNull();
        assertThat(options.settings("1").server().port()).isEqualTo(12346);
        assertThat(environment.notices())
                .containsExactly(
                        "LOG_LEVEL has no effect: the log has one level, which reports changes",
                        "THREADNESS has no effect: the number of threads follows the processors",
                        "KUBECONFIG names /etc/kubernetes/absent.conf, which does not exist or can't be read: using the"
                                + " pod's service account");
    }

    @Test
    void theDefaultsAreThoseOfGpushare() throws Exception {
        OptionParser parser = options.parser(ExtenderOptions.environment(Map.of()));
        parser.parse();
        Extender.Settings settings = options.settings("1");
        assertThat(settings.server().port()).isEqualTo(12345);
        assertThat(settings.resources()).isEqualTo(ResourceNames.DEFAULT);
        assertThat(settings.decideIn()).isEqualTo(DecideIn.AUTO);
        assertThat(settings.candidacy()).isNull();
        assertThat(settings.server().tls()).isNull();
        assertThat(options.callers()).startsWith("plain HTTP, anyone");
        assertThat(parser.inForce())
                .isEqualTo("--port=12345 --bind-address=0.0.0.0 --kubeconfig= --memory-unit=GiB"
                        + " --memory-resource=aliyun.com/gpu-mem --card-resource=aliyun.com/gpu-count"
                        + " --core-resource= --hami=false --former-memory-resources=aliyun.com/gpu-mem"
                        + " --former-card-resources=aliyun.com/gpu-count"
                        + " --node-lease-namespace=gpushare-node-lease --policy=adaptive --decide-in=auto"
                        + " --preempt=auto --claims=false --claim-templates=false"
                        + " --view=on --view-port= --view-hosts= --grafana-url="
                        + " --max-request-bytes=67108864 --leader-elect=false --lease-namespace=kube-system"
                        + " --lease-name=gpushare-schd-extender --identity=extender --pod-name="
                        + " --tls-cert-file= --tls-key-file= --client-ca-file=");
    }

    @Test
    void claimsAreWatchedOnRequest(@TempDir Path folder) throws Exception {
        Path config = Files.writeString(folder.resolve("config"), """
            {apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
             clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}], users: [{name: u, user: {}}]}
            """);
        Ledger ledger = new Ledger(new DemandCodec(ResourceNames.DEFAULT), AnnotationObserver.none());
        try (KubernetesApi api = KubernetesApi.connect(config, "test");
                StartedParts parts = new StartedParts()) {
            parse();
            assertThat(options.feed().of(api, ledger, (_, _) -> {}, parts)).isInstanceOf(UnwatchedClaims.class);
            parse("--claims");
            assertThat(options.feed().of(api, ledger, (_, _) -> {}, parts)).isInstanceOf(ClaimWatch.class);
        }
    }

    @Test
    void everyFlagIsRead(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("k"), "");
        Extender.Settings settings = parse(
                "--port=0",
                "--bind-address=127.0.0.1",
                "--kubeconfig=" + file,
                "--memory-resource=a.com/m",
                "--card-resource",
                "nvidia.com/gpu",
                "--core-resource=c.com/c",
                "--former-memory-resources=",
                "--former-card-resources=b.com/c, b.com/d",
                "--policy=wsp-fgd",
                "--decide-in=prioritize",
                "--view=open",
                "--view-hosts=gpu.example.com,gpu.example.org",
                "--grafana-url=https://grafana.example/team",
                "--max-request-bytes=4096",
                "--leader-elect",
                "--lease-namespace=gpu",
                "--lease-name=l",
                "--identity=me",
                "--pod-name=pod-1",
                "--tls-cert-file=" + file,
                "--tls-key-file=" + file,
                "--claim-templates",
                "--client-ca-file=" + file);
        assertThat(settings.server().tls()).isEqualTo(new TlsFiles(file, file, file));
        assertThat(options.callers()).startsWith("HTTPS, only with a client certificate");
        assertThat(settings.server().port()).isZero();
        assertThat(settings.server().address()).isEqualTo("127.0.0.1");
        assertThat(settings.server().maxBody()).isEqualTo(4096);
        assertThat(settings.kubeconfig()).isEqualTo(file);
        assertThat(settings.resources())
                .isEqualTo(new ResourceNames("a.com/m", "nvidia.com/gpu", Set.of(), Set.of("b.com/c", "b.com/d"))
                        .with(ShareKind.CORES, "c.com/c"));
        assertThat(settings.policy()).isEqualTo(PolicyKind.WSP_FGD);
        assertThat(settings.decideIn()).isEqualTo(DecideIn.PRIORITIZE);
        assertThat(settings.hosts()).containsExactlyInAnyOrder("gpu.example.com", "gpu.example.org");
        assertThat(options.insight("1"))
                .isEqualTo(new Insight.Settings(
                        ViewAccess.Access.OPEN, URI.create("https://grafana.example/team/"), "1", "gpu"));
        assertThat(options.claimTemplates()).isTrue();
        assertThat(settings.pluginNamespace()).isEqualTo("gpu");
        assertThat(settings.candidacy()).isEqualTo(new Candidacy("gpu", "l", "me", "pod-1"));
    }

    @Test
    void everyFlagHasAVariableAndSomeThoseOfOthers() throws Exception {
        EnvironmentDefaults environment = ExtenderOptions.environment(Map.of(
                "GPUSHARE_POLICY", "fgd",
                "GPUSHARE_PORT", "81",
                "PORT", "82",
                "GPUSHARE_LEADER_ELECT", "true",
                "POD_NAMESPACE", "gpu",
                "HOSTNAME", "host"));
        options.parser(environment).parse();
        Extender.Settings settings = options.settings("1");
        assertThat(settings.policy()).isEqualTo(PolicyKind.FGD);
        assertThat(settings.server().port()).isEqualTo(81);
        assertThat(settings.candidacy()).isEqualTo(new Candidacy("gpu", "gpushare-schd-extender", "host", null));
        assertThat(environment.notices()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--colour=red | Unknown option: '--colour=red'",
                "serve | Unmatched argument at index 0: 'serve'",
                "--port=x | Invalid value for option '--port': 'x' is not a port",
                "--port=70000 | '70000' is not a port: write a number from 0 to 65535",
                "--policy=random | 'random': write one of [binpack, spread, fgd, wsp, wsp-fgd, wsp-keep, adaptive]",
                "--decide-in=bind | expected one of [AUTO, FILTER, PRIORITIZE] (case-insensitive) but was 'bind'",
                "--preempt=yes | expected one of [AUTO, SCHEDULER, OFF] (case-insensitive) but was 'yes'",
                "--view=yes | expected one of [OFF, ON, OPEN] (case-insensitive) but was 'yes'",
                "--grafana-url=grafana.example | write an address such as https://grafana.example/",
                "--grafana-url=javascript:alert(1) | write an address such as https://grafana.example/",
                "--grafana-url=https://me:secret@grafana.example/ | without user and query",
                "--grafana-url=https://grafana.example/?orgId=1 | without user and query",
                "--grafana-url=https://a b/ | write an address such as https://grafana.example/",
                "--max-request-bytes=1 | --max-request-bytes 1: write at least 1024",
                "--kubeconfig=/no/such | file /no/such does not exist or can't be read",
                "--lease-namespace=Gpu | 'Gpu' is not a Kubernetes name",
                "--pod-name=Pod_1 | 'Pod_1' is not a Kubernetes name",
                "--leader-elect=perhaps | Invalid value for option '--leader-elect'",
                "--tls-key-file=/no/such | Invalid value for option '--tls-key-file': file /no/such does not exist",
                "--tls-cert-file=/dev/null | go together: name both or neither",
                "--client-ca-file=/dev/null | --client-ca-file requires TLS",
                "--view-port=12346 | --view-port requires TLS, because callers send tokens",
                "--memory-resource=gpu | is not the name of an extended resource",
                "--card-resource=aliyun.com/gpu-mem | must have different names",
                "--core-resource=cores | is not the name of an extended resource",
                "--core-resource=aliyun.com/gpu-mem | the core resource must have another name"
            })
    void anInvalidValueIsRefusedWithASentence(String argument, String sentence) {
        assertThatThrownBy(() -> parse(argument))
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining(sentence);
    }

    private Extender.Settings parse(String... args) throws InvalidOptionsException {
        options.parser(ExtenderOptions.environment(Map.of())).parse(args);
        return options.settings("1");
    }
}
