package io.gpushare.extender;

import io.gpushare.extender.cluster.ClusterInformers;
import io.gpushare.extender.cluster.EventRecorder;
import io.gpushare.extender.cluster.Leadership;
import io.gpushare.extender.cluster.PodClient;
import io.gpushare.extender.cluster.Requeuer;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.metrics.MetricsSource;
import io.gpushare.extender.page.ViewAccess;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.report.Explainer;
import io.gpushare.extender.report.WaitingPods;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.extender.usage.PluginMetricsClient;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.codec.DemandCodec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** The scheduler extender. */
public final class ExtenderMain {
    private ExtenderMain() {}

    /** Runs until SIGTERM or SIGINT, then ends with 0; with 2 when the options are wrong, 1 when it can't start. */
    public static void main(String[] args) {
        int code = start(args);
        if (code >= 0) {
            System.exit(code);
        }
    }

    // Made at its first use, by when it is known how much is to be logged.
    private static Logger log() {
        return LoggerFactory.getLogger(ExtenderMain.class);
    }

    /** The exit code, or -1 when the program runs. */
    private static int start(String[] args) {
        ExtenderOptions options = new ExtenderOptions();
        SimulateCommand simulate = new SimulateCommand();
        CommandLine line = new CommandLine(options).addSubcommand(simulate);
        line.getCommandSpec().version(version());
        try {
            line.parseArgs(args);
            if (CommandLine.printHelpIfRequested(line.getParseResult())) {
                return 0;
            }
            if (line.getParseResult().hasSubcommand()) {
                System.setProperty("gpushare.log.level", "WARN"); // read by logback.xml when the first logger is made
                return simulate.run(System.out, System.err);
            }
            options.check(line);
        } catch (CommandLine.ParameterException e) {
            System.err.println(e.getMessage());
            System.err.println("Try --help.");
            return 2;
        }
        log().info("scheduler-extender {} {}", version(), options);
        try {
            run(options);
            return -1;
        } catch (IOException e) {
            log().error("can't start: {}", e.getMessage());
            return 1;
        }
    }

    private static void run(ExtenderOptions options) throws IOException {
        KubernetesApi api = KubernetesApi.connect(options.kubeconfig(), "gpushare-scheduler-extender/" + version());
        DemandCodec demands = new DemandCodec(options.resources());
        InstantSource clock = InstantSource.system();
        Leadership.@Nullable Membership membership = membership(api, options);
        BooleanSupplier leads = membership == null ? () -> true : membership::mayWrite;
        EventRecorder news = EventRecorder.start(api, leads, clock);
        Ledger ledger = new Ledger(demands, new Policies(options.policy()), news);
        PodClient pods = new PodClient(api, leads);
        Binder binder = new Binder(ledger, pods);
        NodeSelection choice = new NodeSelection(ledger, options.filterDecides());
        ClusterInformers watch = ClusterInformers.start(api, ledger, options.leaseNamespace());
        Leadership leadership = membership == null ? Leadership.alone(watch) : Leadership.elected(membership, watch);
        BooleanSupplier answers = () -> leadership.unready().isEmpty();
        WaitingPods waiting = new WaitingPods(ledger);
        ExtenderMetrics metrics = new ExtenderMetrics(
                version(),
                new MetricsSource(ledger, waiting, leads, answers, watch::heard, watch::changes, news::lost));
        ExtenderServer server = ExtenderServer.start(
                new ExtenderServer.Settings(
                        options.bindAddress(), options.port(), options.maxRequestBytes(), version(), options.tls()),
                new ExtenderServer.Parts(
                        ledger,
                        choice,
                        new Preemption(ledger),
                        binder,
                        metrics,
                        leadership::unready,
                        clock,
                        new ViewAccess(
                                new Explainer(ledger, choice, pods), new PluginMetricsClient(clock), options.view())));
        Requeuer.start(api, waiting, answers, clock);
        log().info("listening on {} port {}", options.bindAddress(), server.port());
        log().info("callers: {}", options.callers());
        UnknownBindingTimer.start(binder, clock);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Shutdown.end(leadership, server), "shutdown"));
    }

    /** Null where there is no election. */
    private static Leadership.@Nullable Membership membership(KubernetesApi api, ExtenderOptions options) {
        if (!options.leaderElect()) {
            return null;
        }
        // Unique to the process: a restarted container has its predecessor's host name, and is not the holder.
        String identity = options.identity() + "_" + UUID.randomUUID();
        return new Leadership.Membership(
                api.lease(options.leaseNamespace(), options.leaseName(), Leadership.CALL), identity);
    }

    private static String version() {
        try (InputStream text = ExtenderMain.class.getResourceAsStream("version.txt")) {
            return text == null ? "unknown" : new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("version.txt of our own jar", e);
        }
    }
}
