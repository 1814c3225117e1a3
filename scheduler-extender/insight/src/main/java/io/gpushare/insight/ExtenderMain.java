package io.gpushare.insight;

import io.gpushare.extender.Extender;
import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.options.OptionParser;
import io.gpushare.time.Clocks;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** The program: it parses its options and starts the extender. */
public final class ExtenderMain {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderMain.class);
    private static final int RUNNING = -1;
    private static final int FAILED = 1;
    private static final int INVALID_OPTIONS = 2;

    private ExtenderMain() {}

    /** Runs until SIGTERM or SIGINT and exits with 0; with 2 when options are invalid, with 1 when the start fails. */
    public static void main(String[] args) {
        int code = run(args);
        if (code != RUNNING) {
            System.exit(code);
        }
    }

    private static int run(String[] args) {
        ExtenderOptions options = new ExtenderOptions();
        EnvironmentDefaults environment = ExtenderOptions.environment(System.getenv());
        OptionParser parser = options.parser(environment);
        parser.line().getCommandSpec().version(version());
        try {
            if (CommandLine.printHelpIfRequested(parser.parse(args))) {
                return 0;
            }
        } catch (InvalidOptionsException e) {
            System.err.println(e.getMessage());
            System.err.println("Try --help.");
            return INVALID_OPTIONS;
        }
        LOG.info("scheduler-extender {} {}", version(), parser.inForce());
        environment.notices().forEach(notice -> LOG.warn("{}", notice));
        return start(options.settings(version()), options.feed(), options.insight(version()), options.callers());
    }

    private static int start(Extender.Settings settings, PodFeed.Factory feed, Insight.Settings shown, String callers) {
        try {
            Extender extender = Extender.start(settings, Clocks.system(), feed, core -> new Insight(core, shown));
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> Shutdown.end(extender, settings.inPod()), "shutdown"));
            LOG.info("listening on {} port {}", settings.server().address(), extender.port());
            if (settings.server().viewPort() != null) {
                LOG.info("view for callers with a token on port {}", extender.viewPort());
            }
            LOG.info("callers: {}", callers);
            return RUNNING;
        } catch (IOException e) {
            LOG.error("can't start: {}", e.getMessage());
            return FAILED;
        }
    }

    private static String version() {
        try (InputStream text = ExtenderMain.class.getResourceAsStream("version.txt")) {
            return text == null ? "unknown" : new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("version.txt of our own jar", e);
        }
    }
}
