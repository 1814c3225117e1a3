package io.gpushare.mps;

import io.gpushare.mps.control.ControlProgram;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.time.Clocks;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** Starts the supervisor of MPS; exits with 0 after SIGTERM, with 1 after a failure, with 2 if options are invalid. */
public final class SupervisorMain {
    private static final int FAILED = 1;
    private static final int INVALID_OPTIONS = 2;
    private static final Logger LOG = LoggerFactory.getLogger(SupervisorMain.class);

    private SupervisorMain() {}

    public static void main(String[] args) {
        System.exit(run(args));
    }

    private static int run(String[] args) {
        SupervisorOptions options = new SupervisorOptions();
        var parser = options.parser(new EnvironmentDefaults(System.getenv()));
        try {
            if (CommandLine.printHelpIfRequested(parser.parse(args))) {
                return 0;
            }
        } catch (InvalidOptionsException e) {
            System.err.println(e.getMessage());
            return INVALID_OPTIONS;
        }
        LOG.info("gpushare MPS supervisor {}", parser.inForce());
        MpsDirectory directory = new MpsDirectory(options.directory.toAbsolutePath());
        Path program = ControlProgram.find(
                        options.controlProgram, System.getenv().getOrDefault("PATH", ""))
                .orElse(Path.of(options.controlProgram).toAbsolutePath());
        try {
            Files.createDirectories(directory.root());
            try (FileChannel file =
                            FileChannel.open(directory.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    @Nullable FileLock lock = lock(file)) {
                if (lock == null) {
                    LOG.error("another supervisor serves {}: end it first", directory.root());
                    return INVALID_OPTIONS;
                }
                new SeLinux(SeLinux.FILE_SYSTEM).label(directory.root(), options.seLinuxLabel);
                Supervisor supervisor = new Supervisor(
                        options.nvmlLibrary, directory, program, Clocks.system().steady());
                return serve(supervisor::run, supervisor::stop);
            }
        } catch (IOException e) {
            LOG.error("the directory {} can't be used: {}", directory.root(), e.toString());
            return FAILED;
        }
    }

    /** Tries several times: the plugin looks at the lock for a moment now and then. */
    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        FileLock lock = file.tryLock();
        for (int tries = 0; lock == null && tries < 20; tries++) {
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            lock = file.tryLock();
        }
        return lock;
    }

    /** Serves until a signal or a failure; both stop it. */
    static int serve(Runnable serving, Runnable stop) {
        CompletableFuture<Integer> exit = new CompletableFuture<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            LOG.error("thread {} failed, the supervisor exits", thread.getName(), e);
            exit.complete(FAILED);
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> onExit(exit.getNow(0), stop), "shutdown"));
        Thread.ofPlatform().name("supervisor").start(serving);
        // The hook ends the process, so the directory stays locked until the daemons have ended.
        System.exit(exit.join());
        return FAILED;
    }

    /** Exits with that code: the JVM's own after SIGTERM is 143, which Kubernetes reports as a failure. */
    private static void onExit(int code, Runnable stop) {
        LOG.info("stopping: the clients of MPS end");
        stop.run();
        Runtime.getRuntime().halt(code);
    }
}
