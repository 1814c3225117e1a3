package io.gpushare.mps;

import io.gpushare.mps.control.ControlProgram;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.options.EnvironmentDefaults;
import io.gpushare.options.InvalidOptionsException;
import io.gpushare.program.Ending;
import io.gpushare.program.RunningProgram;
import io.gpushare.time.Clocks;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/**
 * The supervisor of MPS as a program: it ends with 0 after SIGTERM, with 1 after a failure, with 2 if options are
 * invalid.
 */
public final class SupervisorProgram {
    private static final int LOCK_TRIES = 20;
    private static final Duration LOCK_PAUSE = Duration.ofMillis(50);
    private static final Logger LOG = LoggerFactory.getLogger(SupervisorProgram.class);

    private final Map<String, String> environment;

    private SupervisorProgram(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /**
     * Starts the supervisor; several can run in one process, each with a directory of its own.
     *
     * @param environment also that of NVIDIA's programs
     */
    public static RunningProgram start(List<String> arguments, Map<String, String> environment) {
        SupervisorProgram program = new SupervisorProgram(environment);
        return RunningProgram.start("the supervisor", ending -> program.run(arguments, ending));
    }

    private int run(List<String> arguments, Ending ending) throws InterruptedException {
        SupervisorOptions options = new SupervisorOptions();
        var parser = options.parser(new EnvironmentDefaults(environment));
        try {
            if (CommandLine.printHelpIfRequested(parser.parse(arguments.toArray(String[]::new)))) {
                return Ending.DONE;
            }
        } catch (InvalidOptionsException e) {
            System.err.println(e.getMessage());
            return Ending.INVALID_OPTIONS;
        }
        LOG.info("gpushare MPS supervisor {}", parser.inForce());
        MpsDirectory directory = new MpsDirectory(options.directory.toAbsolutePath());
        try {
            Files.createDirectories(directory.root());
            try (FileChannel file =
                            FileChannel.open(directory.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    @Nullable FileLock lock = lock(file, ending)) {
                if (lock == null) {
                    LOG.error("another supervisor serves {}: end it first", directory.root());
                    return Ending.INVALID_OPTIONS;
                }
                new SeLinux(SeLinux.FILE_SYSTEM).label(directory.root(), options.seLinuxLabel);
                Supervisor supervisor = supervisor(options, directory);
                return serve(supervisor::run, supervisor::stop, ending);
            }
        } catch (IOException e) {
            LOG.error("the directory {} can't be used: {}", directory.root(), e.toString());
            return Ending.FAILED;
        }
    }

    private Supervisor supervisor(SupervisorOptions options, MpsDirectory directory) {
        Path program = ControlProgram.find(options.controlProgram, environment.getOrDefault("PATH", ""))
                .orElse(Path.of(options.controlProgram).toAbsolutePath());
        return new Supervisor(
                options.nvmlLibrary,
                directory,
                pipe -> new ControlProgram(program, environment, pipe),
                Clocks.system().steady());
    }

    /** Tries several times: the plugin looks at the lock for a moment now and then. */
    private static @Nullable FileLock lock(FileChannel file, Ending ending) throws IOException, InterruptedException {
        @Nullable FileLock lock = tryLock(file);
        for (int tries = 0; lock == null && tries < LOCK_TRIES; tries++) {
            ending.pause(LOCK_PAUSE);
            lock = tryLock(file);
        }
        return lock;
    }

    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another program of this process has it
        }
    }

    /** Serves until the end is requested; the directory stays locked until the daemons have ended. */
    static int serve(Runnable serving, Runnable stop, Ending ending) throws InterruptedException {
        Thread.ofPlatform().name("supervisor").daemon().start(serving);
        int code = ending.await();
        LOG.info("stopping: the clients of MPS end");
        stop.run();
        return code;
    }
}
