package io.gpushare.extender.program;

import io.gpushare.claims.templates.TemplateController;
import io.gpushare.extender.Core;
import io.gpushare.extender.Extender;
import io.gpushare.extender.server.Extension;
import io.gpushare.insight.Insight;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.options.OptionParser;
import io.gpushare.program.Ending;
import io.gpushare.program.RunningProgram;
import io.gpushare.time.Clocks;
import io.gpushare.time.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * The extender as a program: it ends with 0 after SIGTERM, with 1 after a failure or when requests in flight did not
 * end, with 2 if options are invalid.
 */
public final class ExtenderProgram {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderProgram.class);
    // The calls of a bind end within this.
    private static final Duration GRACE = Duration.ofSeconds(20);
    // kube-proxy sends connections to a pod until it has read that the pod terminates. While the process runs, they are
    // refused at once. To an address without a pod they wait for kube-scheduler's httpTimeout.
    private static final Duration KUBE_PROXY = Duration.ofSeconds(5);

    private final Map<String, String> environment;
    private final Clocks clocks;

    private ExtenderProgram(Map<String, String> environment, Clocks clocks) {
        this.environment = Map.copyOf(environment);
        this.clocks = clocks;
    }

    /** Starts the extender; several can run in one process, each on a port of its own. */
    public static RunningProgram start(List<String> arguments, Map<String, String> environment, Clocks clocks) {
        ExtenderProgram program = new ExtenderProgram(environment, clocks);
        return RunningProgram.start("the extender", ending -> program.run(arguments, ending));
    }

    private int run(List<String> arguments, Ending ending) throws InterruptedException {
        ExtenderOptions options = new ExtenderOptions();
        EnvironmentDefaults defaults = ExtenderOptions.environment(environment);
        OptionParser parser = options.parser(defaults);
        parser.line().getCommandSpec().version(version());
        try {
            if (CommandLine.printHelpIfRequested(parser.parse(arguments.toArray(String[]::new)))) {
                return Ending.DONE;
            }
        } catch (InvalidOptionsException e) {
            System.err.println(e.getMessage());
            System.err.println("Try --help.");
            return Ending.INVALID_OPTIONS;
        }
        LOG.info("scheduler-extender {} {}", version(), parser.inForce());
        defaults.notices().forEach(notice -> LOG.warn("{}", notice));
        return serve(options, ending);
    }

    private static Extension extension(Core core, ExtenderOptions options) {
        Insight insight = new Insight(core, options.insight(version()));
        return options.claimTemplates() ? insight.with(parts -> parts.add(TemplateController.start(core))) : insight;
    }

    private int serve(ExtenderOptions options, Ending ending) throws InterruptedException {
        Extender.Settings settings = options.settings(version());
        Extender extender;
        try {
            extender = Extender.start(settings, clocks, options.feed(), core -> extension(core, options));
        } catch (IOException e) {
            LOG.error("can't start: {}", e.getMessage());
            return Ending.FAILED;
        }
        try (extender) {
            LOG.info("listening on {} port {}", settings.server().address(), extender.port());
            if (settings.server().viewPort() != null) {
                LOG.info("view for callers with a token on port {}", extender.viewPort());
            }
            LOG.info("callers: {}", options.callers());
            int code = ending.await();
            return code == Ending.DONE ? end(extender, settings.inPod()) : code;
        } catch (IOException e) {
            LOG.warn("stopped with requests in flight: {}", e.getMessage());
            return Ending.FAILED;
        }
    }

    /**
     * Finishes requests in flight, gives the Lease back, and keeps the address of its pod for some seconds.
     *
     * @param inPod whether callers reach this process through a Service
     */
    private static int end(Extender extender, boolean inPod) throws InterruptedException, IOException {
        LOG.info("shutting down: finishing requests in flight");
        try {
            extender.stop(GRACE);
            LOG.info("stopped");
        } finally {
            if (inPod) {
                Machine.here().pause(KUBE_PROXY);
            }
        }
        return Ending.DONE;
    }

    private static String version() {
        try (InputStream text = ExtenderProgram.class.getResourceAsStream("version.txt")) {
            return text == null ? "unknown" : new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("version.txt of our own jar", e);
        }
    }
}
