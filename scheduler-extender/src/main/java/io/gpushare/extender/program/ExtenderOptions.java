package io.gpushare.extender.program;

import io.gpushare.claims.ClaimWatch;
import io.gpushare.claims.UnwatchedClaims;
import io.gpushare.extender.Candidacy;
import io.gpushare.extender.Extender;
import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.preemption.PreemptionMode;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.extender.server.TlsFiles;
import io.gpushare.insight.Insight;
import io.gpushare.insight.routes.ViewAccess;
import io.gpushare.options.CheckedOptions;
import io.gpushare.options.ClusterOptions;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.NameConverter;
import io.gpushare.options.OptionParser;
import io.gpushare.options.PortConverter;
import io.gpushare.options.ReadableFileConverter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of the extender. Each flag has an environment variable: {@code --lease-name}, {@code
 * GPUSHARE_LEASE_NAME}.
 */
@Command(
        name = "scheduler-extender",
        description =
                "The GPU share scheduler extender: answers kube-scheduler's filter, prioritize, preempt and bind.",
        footer = {
            "Each flag can be set by an environment variable: --lease-name by GPUSHARE_LEASE_NAME, for example.",
            "The image also has the command simulate: see simulate --help."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpWidth = 110)
final class ExtenderOptions implements CheckedOptions {
    private static final int LEAST_REQUEST_BYTES = 1 << 10;

    @Option(
            names = "--port",
            paramLabel = "<port>",
            defaultValue = "12345",
            converter = PortConverter.class,
            description = "Port to listen on; 0 for any free one. [12345]")
    private int port;

    @Option(
            names = "--bind-address",
            paramLabel = "<address>",
            defaultValue = "0.0.0.0",
            description = "Address to listen on. [0.0.0.0]")
    private String bindAddress = "";

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(
            names = "--policy",
            paramLabel = "<name>",
            defaultValue = "adaptive",
            description = "How nodes and cards are chosen among the feasible ones: binpack, spread, fgd, wsp, wsp-fgd,"
                    + " wsp-keep, or adaptive: the one of several that serves the latest pods best. A pod may name"
                    + " another one in its annotation gpushare.io/policy. See scheduler-extender/DESIGN.md#policies."
                    + " [adaptive]")
    private PolicyKind policy = PolicyKind.ADAPTIVE;

    @Option(
            names = "--decide-in",
            paramLabel = "<auto|filter|prioritize>",
            defaultValue = "auto",
            description = "Where the policy's choice takes effect: filter returns the one chosen node; prioritize gives"
                    + " that node the best score, which kube-scheduler weighs against its own; auto is prioritize for"
                    + " pods that state a preference which kube-scheduler scores (such as a preferred affinity), and"
                    + " filter for others. See scheduler-extender/DESIGN.md#how-the-choice-reaches-kube-scheduler."
                    + " [auto]")
    private DecideIn decideIn = DecideIn.AUTO;

    @Option(
            names = "--preempt",
            paramLabel = "<auto|scheduler|off>",
            defaultValue = "auto",
            description = "Who evicts pods for pods of higher priority: auto (kube-scheduler and, where its preemption"
                    + " does not help for some seconds, the extender, if deploy/preemption grants it the permission),"
                    + " scheduler (kube-scheduler only), or off. See deploy/docs/operate/preemption.md. [auto]")
    private PreemptionMode preempt = PreemptionMode.AUTO;

    @Option(
            names = "--claims",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "<true|false>",
            defaultValue = "false",
            description =
                    "Watch ResourceClaims, so that the view and the metrics show the cards that pods have by claims"
                        + " (deploy/docs/operate/claims.md#what-is-shown). The chart sets it with dra.enabled. Needs"
                        + " Kubernetes 1.34 or newer, and the permission to list and watch claims. Before 1.34 the"
                        + " extender says so in its log, and asks again. [false]")
    private boolean claims;

    @Option(
            names = "--claim-templates",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "<true|false>",
            defaultValue = "false",
            description = "Make and remove the templates of the claims that old requests become"
                    + " (deploy/docs/use/claims.md#old-requests): the admission policy of the chart writes them into"
                    + " pods. The chart sets it with dra.requests. [false]")
    private boolean claimTemplates;

    @Option(
            names = "--view",
            paramLabel = "<on|off|open>",
            defaultValue = "on",
            description = "Whether the page /ui and the view for kubectl gpushare are served: on (for callers that may"
                    + " inspect), off, or open (without a client certificate, also with --client-ca-file: the API"
                    + " server's proxy has none). See scheduler-extender/VIEW.md. [on]")
    private ViewAccess.Access view = ViewAccess.Access.ON;

    @Option(
            names = "--view-port",
            paramLabel = "<port>",
            converter = PortConverter.class,
            description =
                    "Serve the page and the view on this port too, over TLS and to callers with a token of a service"
                        + " account that may get view.gpushare.io: so the API server's proxy reaches them, which has"
                        + " no client certificate. The extender then needs deploy/kubectl/viewer.yaml. The chart sets"
                        + " 12346. [none]")
    private @Nullable Integer viewPort;

    @Option(
            names = "--view-hosts",
            paramLabel = "<names>",
            split = ",",
            hideParamSyntax = true,
            converter = NameConverter.class,
            description = "Further names, separated by commas, under which the view and the paths of kube-scheduler"
                + " are served over plain HTTP, such as that of an Ingress. Always served are IP addresses, localhost,"
                + " names of Services and nodes, and the names of the API server, whose proxy keeps them. [none]")
    private @Nullable Set<String> viewHosts;

    @Option(
            names = "--grafana-url",
            paramLabel = "<url>",
            description =
                    "Address of the Grafana that has the dashboards of deploy/monitoring, as browsers reach it: the"
                            + " page links to them. See deploy/docs/operate/monitoring.md. [none]")
    private @Nullable URI grafanaUrl;

    @Option(
            names = "--max-request-bytes",
            paramLabel = "<bytes>",
            defaultValue = "67108864",
            description = "Largest request body: with nodeCacheCapable=false kube-scheduler sends every node whole."
                    + " [67108864]")
    private int maxRequestBytes = LEAST_REQUEST_BYTES;

    @Option(
            names = "--leader-elect",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "<true|false>",
            defaultValue = "false",
            description = "Whether only the holder of a Lease answers: required where more than one extender runs. The"
                    + " manifests and the chart set it. [false]")
    private boolean leaderElect;

    @Option(
            names = "--lease-namespace",
            paramLabel = "<name>",
            defaultValue = "kube-system",
            converter = NameConverter.class,
            description = "Namespace of the Lease and of the device plugins. [POD_NAMESPACE, else kube-system]")
    private String leaseNamespace = "";

    @Option(
            names = "--lease-name",
            paramLabel = "<name>",
            defaultValue = "gpushare-schd-extender",
            converter = NameConverter.class,
            description = "Name of the Lease. [gpushare-schd-extender]")
    private String leaseName = "";

    @Option(
            names = "--identity",
            paramLabel = "<name>",
            defaultValue = "extender",
            description =
                    "Name of this process in the Lease; a random part is added. [POD_NAME, else HOSTNAME, extender]")
    private String identity = "";

    @Option(
            names = "--pod-name",
            paramLabel = "<name>",
            converter = NameConverter.class,
            description =
                    "Name of the pod of this process, in --lease-namespace. With --leader-elect the pod of the leader"
                        + " gets the label gpushare.io/leader=<lease-name>, which the Service selects. [POD_NAME, else"
                        + " none]")
    private @Nullable String podName;

    @Option(
            names = "--tls-cert-file",
            paramLabel = "<file>",
            converter = ReadableFileConverter.class,
            description =
                    "Serve HTTPS with this PEM certificate, read again when it changes; requires --tls-key-file. The"
                        + " chart sets it, as it does the next two. See deploy/docs/operate/security.md. [none: plain"
                        + " HTTP]")
    private @Nullable Path tlsCertFile;

    @Option(
            names = "--tls-key-file",
            paramLabel = "<file>",
            converter = ReadableFileConverter.class,
            description = "PEM private key of --tls-cert-file. [none]")
    private @Nullable Path tlsKeyFile;

    @Option(
            names = "--client-ca-file",
            paramLabel = "<file>",
            converter = ReadableFileConverter.class,
            description =
                    "PEM certificates of an authority: only callers with a certificate of it may filter, prioritize,"
                            + " preempt, bind and inspect. [none: whoever reaches the port]")
    private @Nullable Path clientCaFile;

    /** The defaults from an environment. */
    static EnvironmentDefaults environment(Map<String, String> environment) {
        return new EnvironmentDefaults(environment)
                .alias("--port", "PORT") // as in gpushare's manifests
                .aliasOfFile("--kubeconfig", "KUBECONFIG", "the pod's service account")
                .withoutEffect("LOG_LEVEL", "the log has one level, which reports changes")
                .withoutEffect("THREADNESS", "the number of threads follows the processors")
                .alias("--lease-namespace", "POD_NAMESPACE")
                .alias("--identity", "POD_NAME")
                .alias("--pod-name", "POD_NAME")
                .alias("--identity", "HOSTNAME");
    }

    /** Parses into these options. */
    OptionParser parser(EnvironmentDefaults environment) {
        OptionParser parser = new OptionParser(this, environment)
                .reads(PolicyKind.class, ExtenderOptions::policy)
                .reads(URI.class, ExtenderOptions::webAddress);
        parser.line().setCaseInsensitiveEnumValuesAllowed(true);
        return parser;
    }

    private static PolicyKind policy(String text) {
        return PolicyKind.parse(text)
                .orElseThrow(
                        () -> new IllegalArgumentException("'" + text + "': write one of " + PolicyKind.offered()));
    }

    /** An address to which paths can be appended. Without credentials: viewers and the log get it. */
    private static URI webAddress(String text) {
        try {
            URI uri = new URI(text.endsWith("/") ? text : text + "/");
            boolean web = "https".equalsIgnoreCase(uri.getScheme()) || "http".equalsIgnoreCase(uri.getScheme());
            if (web
                    && uri.getHost() != null
                    && uri.getUserInfo() == null
                    && uri.getQuery() == null
                    && uri.getFragment() == null) {
                return uri;
            }
        } catch (URISyntaxException _) {
            // As every other text that is no such address.
        }
        throw new IllegalArgumentException("write an address such as https://grafana.example/, without user and query");
    }

    @Override
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (maxRequestBytes < LEAST_REQUEST_BYTES) {
            problems.add("--max-request-bytes " + maxRequestBytes + ": write at least " + LEAST_REQUEST_BYTES);
        }
        problems.addAll(cluster.problems());
        if ((tlsCertFile == null) != (tlsKeyFile == null)) {
            problems.add("--tls-cert-file and --tls-key-file go together: name both or neither");
        }
        if (viewPort != null && tlsCertFile == null) {
            problems.add("--view-port requires TLS, because callers send tokens: name --tls-cert-file and"
                    + " --tls-key-file too");
        }
        if (clientCaFile != null && tlsCertFile == null) {
            problems.add("--client-ca-file requires TLS: name --tls-cert-file and --tls-key-file too");
        }
        return problems;
    }

    /** The values for a start; the options have been parsed without an error. */
    Extender.Settings settings(String version) {
        return new Extender.Settings(
                cluster.kubeconfig(),
                cluster.resources(),
                cluster.memoryUnit(),
                policy,
                decideIn,
                preempt,
                viewHosts == null ? Set.of() : viewHosts,
                leaseNamespace,
                cluster.nodeLeaseNamespace(),
                leaderElect ? new Candidacy(leaseNamespace, leaseName, identity, podName) : null,
                new ExtenderServer.Settings(bindAddress, port, viewPort, maxRequestBytes, version, tls()));
    }

    /** What shows pods to the ledger. */
    PodFeed.Factory feed() {
        return claims ? ClaimWatch::start : (_, ledger, _, _) -> new UnwatchedClaims(ledger);
    }

    /** Whether the templates of claims are made that pods name. */
    boolean claimTemplates() {
        return claimTemplates;
    }

    /** What users see; the options have been parsed without an error. */
    Insight.Settings insight(String version) {
        return new Insight.Settings(view, grafanaUrl, version, leaseNamespace);
    }

    private @Nullable TlsFiles tls() {
        return tlsCertFile == null || tlsKeyFile == null ? null : new TlsFiles(tlsCertFile, tlsKeyFile, clientCaFile);
    }

    /** Who may call, as a sentence for the log. */
    String callers() {
        if (tlsCertFile == null) {
            return "plain HTTP, anyone who reaches the port can bind pods (see --tls-cert-file)";
        }
        return clientCaFile == null
                ? "HTTPS, anyone who reaches the port can bind pods (see --client-ca-file)"
                : "HTTPS, only with a client certificate of the authority in " + clientCaFile
                        + (view == ViewAccess.Access.OPEN ? "; the view is open to anyone" : "")
                        + (viewPort == null ? "" : "; the view on port " + viewPort + " with a token");
    }
}
