package io.gpushare.extender;

import io.gpushare.extender.page.ViewAccess;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.server.TlsFiles;
import io.gpushare.model.codec.ResourceNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the program was asked to be: every flag has an environment twin, which the flag overrides. */
@Command(
        name = "scheduler-extender",
        description =
                "The GPU share scheduler extender: answers kube-scheduler's filter, prioritize, preempt and bind.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpWidth = 110)
final class ExtenderOptions {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?");

    @Option(
            names = "--port",
            paramLabel = "<port>",
            defaultValue = "${env:PORT:-12345}",
            description = "Port to listen on; 0 for any free one. [PORT, 12345]")
    private int port;

    @Option(
            names = "--bind-address",
            paramLabel = "<address>",
            defaultValue = "${env:BIND_ADDRESS:-0.0.0.0}",
            description = "Address to listen on. [BIND_ADDRESS, 0.0.0.0]")
    private String bindAddress = "";

    @Option(
            names = "--kubeconfig",
            paramLabel = "<file>",
            defaultValue = "${env:KUBECONFIG:-}",
            description = "kubeconfig file; without it, the service account of the pod. [KUBECONFIG]")
    private String kubeconfig = "";

    @Option(
            names = "--memory-resource",
            paramLabel = "<name>",
            defaultValue = "${env:MEMORY_RESOURCE:-aliyun.com/gpu-mem}",
            description = "Resource that counts memory units. [MEMORY_RESOURCE, aliyun.com/gpu-mem]")
    private String memoryResource = "";

    @Option(
            names = "--card-resource",
            paramLabel = "<name>",
            defaultValue = "${env:CARD_RESOURCE:-aliyun.com/gpu-count}",
            description = "Resource that counts whole cards. [CARD_RESOURCE, aliyun.com/gpu-count]")
    private String cardResource = "";

    @Option(
            names = "--policy",
            paramLabel = "<name>",
            defaultValue = "${env:POLICY:-wsp}",
            description = "How nodes and cards are chosen among those that would do: binpack, spread, fgd, wsp or"
                    + " wsp-fgd; a pod may name another in its annotation gpushare.io/policy. [POLICY, wsp]")
    private String policy = "";

    @Option(
            names = "--decide-in",
            paramLabel = "<verb>",
            defaultValue = "${env:DECIDE_IN:-filter}",
            description = "Where the policy's choice is told: filter names the one node that it takes; prioritize gives"
                    + " that node the best score, which kube-scheduler weighs against its own. [DECIDE_IN, filter]")
    private String decideIn = "";

    @Option(
            names = "--view",
            paramLabel = "<on|off|open>",
            defaultValue = "${env:VIEW:-on}",
            description = "Whether the page /ui and the view for kubectl gpushare are there: on (for those who may"
                    + " inspect), off, or open (without a client certificate, also with --client-ca-file: the API"
                    + " server's proxy has none). [VIEW, on]")
    private String view = "";

    @Option(
            names = "--max-request-bytes",
            paramLabel = "<bytes>",
            defaultValue = "${env:MAX_REQUEST_BYTES:-67108864}",
            description = "Largest request body: with nodeCacheCapable=false kube-scheduler sends every node whole."
                    + " [MAX_REQUEST_BYTES, 67108864]")
    private int maxRequestBytes;

    @Option(
            names = "--leader-elect",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "<true|false>",
            defaultValue = "${env:LEADER_ELECT:-false}",
            description =
                    "Whether only the holder of a Lease answers: needed where more than one extender runs, as in the"
                            + " manifests. [LEADER_ELECT, false]")
    private boolean leaderElect;

    @Option(
            names = "--lease-namespace",
            paramLabel = "<name>",
            defaultValue = "${env:LEASE_NAMESPACE:-${env:POD_NAMESPACE:-kube-system}}",
            description = "Namespace of the Lease. [LEASE_NAMESPACE, else POD_NAMESPACE, kube-system]")
    private String leaseNamespace = "";

    @Option(
            names = "--lease-name",
            paramLabel = "<name>",
            defaultValue = "${env:LEASE_NAME:-gpushare-schd-extender}",
            description = "Name of the Lease. [LEASE_NAME, gpushare-schd-extender]")
    private String leaseName = "";

    @Option(
            names = "--identity",
            paramLabel = "<name>",
            defaultValue = "${env:POD_NAME:-${env:HOSTNAME:-extender}}",
            description =
                    "Name of this process in the Lease; a random part is added. [POD_NAME, else HOSTNAME, extender]")
    private String identity = "";

    @Option(
            names = "--tls-cert-file",
            paramLabel = "<file>",
            defaultValue = "${env:TLS_CERT_FILE:-}",
            description = "Serve HTTPS with this PEM certificate, read again when it changes; needs --tls-key-file."
                    + " [TLS_CERT_FILE, without it plain HTTP]")
    private String tlsCertFile = "";

    @Option(
            names = "--tls-key-file",
            paramLabel = "<file>",
            defaultValue = "${env:TLS_KEY_FILE:-}",
            description = "PEM private key of --tls-cert-file. [TLS_KEY_FILE]")
    private String tlsKeyFile = "";

    @Option(
            names = "--client-ca-file",
            paramLabel = "<file>",
            defaultValue = "${env:CLIENT_CA_FILE:-}",
            description =
                    "PEM certificates of an authority: only callers with a certificate of it may filter, prioritize,"
                            + " preempt, bind and inspect. [CLIENT_CA_FILE]")
    private String clientCaFile = "";

    /** Checks what no type could. */
    void check(CommandLine line) {
        if (port < 0 || port > 65535) {
            throw new CommandLine.ParameterException(line, "--port " + port + ": write a number from 0 to 65535");
        }
        if (maxRequestBytes < 1 << 10) {
            throw new CommandLine.ParameterException(
                    line, "--max-request-bytes " + maxRequestBytes + ": write at least 1024");
        }
        readable(line, "--kubeconfig", kubeconfig);
        if (PolicyKind.parse(policy).isEmpty()) {
            throw new CommandLine.ParameterException(
                    line, "--policy " + policy + ": write one of " + PolicyKind.offered());
        }
        if (!decideIn.equals("prioritize") && !decideIn.equals("filter")) {
            throw new CommandLine.ParameterException(line, "--decide-in " + decideIn + ": write prioritize or filter");
        }
        if (ViewAccess.Access.parse(view).isEmpty()) {
            throw new CommandLine.ParameterException(line, "--view " + view + ": write on, off or open");
        }
        checkTls(line);
        for (String name : List.of(leaseNamespace, leaseName)) {
            if (!NAME.matcher(name).matches()) {
                throw new CommandLine.ParameterException(
                        line,
                        "--lease-namespace, --lease-name: '" + name
                                + "' is not a name of Kubernetes; write small letters, digits, '-' and '.'");
            }
        }
        try {
            resources();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, String.valueOf(e.getMessage()), e);
        }
    }

    private void checkTls(CommandLine line) {
        readable(line, "--tls-cert-file", tlsCertFile);
        readable(line, "--tls-key-file", tlsKeyFile);
        readable(line, "--client-ca-file", clientCaFile);
        if (tlsCertFile.isEmpty() != tlsKeyFile.isEmpty()) {
            throw new CommandLine.ParameterException(
                    line, "--tls-cert-file and --tls-key-file go together: name both or neither");
        }
        if (!clientCaFile.isEmpty() && tlsCertFile.isEmpty()) {
            throw new CommandLine.ParameterException(
                    line, "--client-ca-file needs TLS: name --tls-cert-file and --tls-key-file too");
        }
    }

    private static void readable(CommandLine line, String option, String file) {
        if (!file.isEmpty() && !Files.isReadable(Path.of(file))) {
            throw new CommandLine.ParameterException(
                    line, option + " " + file + ": there is no such file, or it can't be read");
        }
    }

    int port() {
        return port;
    }

    String bindAddress() {
        return bindAddress;
    }

    @Nullable
    Path kubeconfig() {
        return kubeconfig.isEmpty() ? null : Path.of(kubeconfig);
    }

    ResourceNames resources() {
        return new ResourceNames(memoryResource, cardResource);
    }

    PolicyKind policy() {
        return PolicyKind.parse(policy).orElseThrow();
    }

    /** Whether filter names the one node that the policy takes. */
    boolean filterDecides() {
        return decideIn.equals("filter");
    }

    /** Who may look at the page and the view. */
    ViewAccess.Access view() {
        return ViewAccess.Access.parse(view).orElseThrow();
    }

    int maxRequestBytes() {
        return maxRequestBytes;
    }

    boolean leaderElect() {
        return leaderElect;
    }

    String leaseNamespace() {
        return leaseNamespace;
    }

    String leaseName() {
        return leaseName;
    }

    String identity() {
        return identity;
    }

    /** Null for plain HTTP. */
    @Nullable
    TlsFiles tls() {
        return tlsCertFile.isEmpty()
                ? null
                : new TlsFiles(
                        Path.of(tlsCertFile),
                        Path.of(tlsKeyFile),
                        clientCaFile.isEmpty() ? null : Path.of(clientCaFile));
    }

    /** Who may call, in words for the log. */
    String callers() {
        if (tlsCertFile.isEmpty()) {
            return "plain HTTP, anyone who reaches the port can bind pods (see --tls-cert-file)";
        }
        return clientCaFile.isEmpty()
                ? "HTTPS, anyone who reaches the port can bind pods (see --client-ca-file)"
                : "HTTPS, only with a client certificate of the authority in " + clientCaFile
                        + (view().equals(ViewAccess.Access.OPEN) ? "; the view is open to anyone" : "");
    }

    @Override
    public String toString() {
        return "--port=" + port + " --bind-address=" + bindAddress + " --kubeconfig=" + kubeconfig
                + " --memory-resource=" + memoryResource + " --card-resource=" + cardResource
                + " --policy=" + policy + " --decide-in=" + decideIn + " --view=" + view
                + " --max-request-bytes=" + maxRequestBytes + " --leader-elect=" + leaderElect + " --lease-namespace="
                + leaseNamespace + " --lease-name=" + leaseName + " --identity=" + identity
                + " --tls-cert-file=" + tlsCertFile + " --tls-key-file=" + tlsKeyFile + " --client-ca-file="
                + clientCaFile;
    }
}
