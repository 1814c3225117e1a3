package io.gpushare.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.extender.page.ViewAccess;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.server.TlsFiles;
import io.gpushare.model.codec.ResourceNames;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ExtenderOptionsTest {
    @Test
    void withoutFlagsItIsWhereGpushareWas() {
        ExtenderOptions options = parse();
        assertThat(options.port()).isEqualTo(12345);
        assertThat(options.resources()).isEqualTo(ResourceNames.DEFAULT);
        assertThat(options.toString())
                .isEqualTo("--port=12345 --bind-address=0.0.0.0 --kubeconfig= --memory-resource=aliyun.com/gpu-mem"
                        + " --card-resource=aliyun.com/gpu-count --policy=wsp --decide-in=filter"
                        + " --view=on --max-request-bytes=67108864"
                        + " --leader-elect=false --lease-namespace=kube-system --lease-name=gpushare-schd-extender"
                        + " --identity=" + options.identity()
                        + " --tls-cert-file= --tls-key-file= --client-ca-file=");
        assertThat(options.filterDecides()).isTrue();
        assertThat(options.tls()).isNull();
        assertThat(options.callers()).startsWith("plain HTTP, anyone");
    }

    @Test
    void everyFlagIsRead(@TempDir Path folder) throws Exception {
        Path kubeconfig = Files.writeString(folder.resolve("k"), "");
        ExtenderOptions options = parse(
                "--port=0",
                "--bind-address=127.0.0.1",
                "--kubeconfig=" + kubeconfig,
                "--memory-resource=a.com/m",
                "--card-resource",
                "nvidia.com/gpu",
                "--policy=fgd",
                "--decide-in=prioritize",
                "--view=open",
                "--max-request-bytes=4096",
                "--leader-elect",
                "--lease-namespace=gpu",
                "--lease-name=l",
                "--identity=me",
                "--tls-cert-file=" + kubeconfig,
                "--tls-key-file=" + kubeconfig,
                "--client-ca-file=" + kubeconfig);
        assertThat(options.tls()).isEqualTo(new TlsFiles(kubeconfig, kubeconfig, kubeconfig));
        assertThat(options.callers()).startsWith("HTTPS, only with a client certificate");
        assertThat(options.port()).isZero();
        assertThat(options.bindAddress()).isEqualTo("127.0.0.1");
        assertThat(options.kubeconfig()).isEqualTo(kubeconfig);
        assertThat(options.resources()).isEqualTo(new ResourceNames("a.com/m", "nvidia.com/gpu"));
        assertThat(options.policy()).isEqualTo(PolicyKind.FGD);
        assertThat(options.filterDecides()).isFalse();
        assertThat(options.view()).isEqualTo(ViewAccess.Access.OPEN);
        assertThat(options.maxRequestBytes()).isEqualTo(4096);
        assertThat(options.leaderElect()).isTrue();
        assertThat(options.leaseNamespace()).isEqualTo("gpu");
        assertThat(options.leaseName()).isEqualTo("l");
        assertThat(options.identity()).isEqualTo("me");
    }

    @Test
    void whatIsUnknownOrImpossibleIsRefusedWithASentence() {
        assertRefused("Unknown option: '--colour=red'", "--colour=red");
        assertRefused("Unmatched argument at index 0: 'serve'", "serve");
        assertRefused("Invalid value for option '--port': 'x' is not an int", "--port=x");
        assertRefused("--port 70000: write a number from 0 to 65535", "--port=70000");
        assertRefused("--policy random: write one of [binpack, spread, fgd, wsp, wsp-fgd]", "--policy=random");
        assertRefused("--decide-in bind: write prioritize or filter", "--decide-in=bind");
        assertRefused("--view yes: write on, off or open", "--view=yes");
        assertRefused("--max-request-bytes 1: write at least 1024", "--max-request-bytes=1");
        assertRefused("--kubeconfig /no/such: there is no such file, or it can't be read", "--kubeconfig=/no/such");
        assertRefused("'Gpu' is not a name of Kubernetes", "--lease-namespace=Gpu");
        assertRefused("Invalid value for option '--leader-elect'", "--leader-elect=perhaps");
        assertRefused("--tls-key-file /no/such: there is no such file", "--tls-key-file=/no/such");
        assertRefused("go together: name both or neither", "--tls-cert-file=/dev/null");
        assertRefused("--client-ca-file needs TLS", "--client-ca-file=/dev/null");
        assertRefused("is not the name of an extended resource", "--memory-resource=gpu");
        assertRefused("must have different names", "--memory-resource=a.com/x", "--card-resource=a.com/x");
    }

    private static void assertRefused(String sentence, String... args) {
        assertThatThrownBy(() -> parse(args))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageContaining(sentence);
    }

    private static ExtenderOptions parse(String... args) {
        ExtenderOptions options = new ExtenderOptions();
        CommandLine line = new CommandLine(options);
        line.parseArgs(args);
        options.check(line);
        return options;
    }
}
