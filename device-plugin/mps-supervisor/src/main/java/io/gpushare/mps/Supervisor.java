package io.gpushare.mps;

import io.gpushare.mps.control.ControlProgram;
import io.gpushare.mps.control.PipeDirectories;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.nvml.library.LibraryFit;
import io.gpushare.nvml.library.NvmlException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread for each card, so that a daemon that hangs affects no other card. The thread also ends the daemon, so that
 * none is started afterwards.
 */
final class Supervisor {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final Duration DISCOVERY = Duration.ofSeconds(2);
    private static final Duration TURN = Duration.ofMillis(200);
    /** Less than the time after which Kubernetes kills a container that it stops. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(25);

    private final DriverCards driver;
    private final LibraryFit library = new LibraryFit();
    private final MpsDirectory directory;
    private final Function<PipeDirectories, ControlProgram> programs;
    private final InstantSource clock;
    private final Map<String, Thread> cards = new ConcurrentHashMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile Set<String> removed = Set.of();
    private String problem = "";

    /** @param programs gives NVIDIA's control program with the directories of a card */
    Supervisor(
            String library,
            MpsDirectory directory,
            Function<PipeDirectories, ControlProgram> programs,
            InstantSource clock) {
        this.driver = new DriverCards(library);
        this.directory = directory;
        this.programs = programs;
        this.clock = clock;
    }

    /**
     * Finds new cards until it is stopped. A card that was once found stays, because it may come back, but for one that
     * another cut removed.
     */
    void run() {
        try {
            do {
                discover();
            } while (!stopped.await(DISCOVERY.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void discover() {
        try {
            DriverCards.Found found = driver.find();
            library.responded();
            removed = cards.keySet().stream().filter(found::removed).collect(Collectors.toSet());
            for (String uuid : found.uuids()) {
                if (!cards.containsKey(uuid)) {
                    CardSupervisor card = new CardSupervisor(uuid, driver, directory, programs, clock);
                    cards.put(
                            uuid,
                            Thread.ofPlatform().name("mps-" + uuid).daemon().start(() -> serve(uuid, card)));
                }
            }
            warnOnce("");
        } catch (NvmlException e) {
            warnOnce(String.valueOf(e.getMessage()));
            if (library.outdated(e, clock.instant())) {
                throw new IllegalStateException(
                        "only a new container gets the library of the loaded driver: " + e.getMessage());
            }
        } catch (IOException e) {
            warnOnce(String.valueOf(e.getMessage()));
        }
    }

    private void serve(String uuid, CardSupervisor card) {
        try {
            turns(uuid, card);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end(uuid, card);
            cards.remove(uuid);
        }
    }

    private void turns(String uuid, CardSupervisor card) throws InterruptedException {
        while (!stopped.await(TURN.toMillis(), TimeUnit.MILLISECONDS) && !removed.contains(uuid)) {
            try {
                card.turn();
            } catch (IOException | RuntimeException e) {
                LOG.error("card {}: a turn failed, the next one follows", uuid, e);
                TimeUnit.SECONDS.sleep(1);
            }
        }
    }

    private void end(String uuid, CardSupervisor card) {
        try {
            card.stop();
            if (removed.contains(uuid)) {
                directory.remove(uuid);
                LOG.info("card {} was removed, and MPS with it", uuid);
            }
        } catch (IOException e) {
            LOG.warn("card {}: the daemon could not be ended: {}", uuid, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void warnOnce(String now) {
        if (!now.equals(problem) && !now.isEmpty()) {
            LOG.warn("no cards are found until this is resolved: {}", now);
        }
        problem = now;
    }

    /** Ends all daemons; what the plugin wants is done again by the next supervisor. */
    void stop() {
        stopped.countDown();
        Instant end = clock.instant().plus(LONGEST_STOP);
        cards.forEach((uuid, thread) -> {
            try {
                if (!thread.join(Duration.between(clock.instant(), end))) {
                    LOG.warn("card {} hangs: the next supervisor ends its daemon", uuid);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        driver.close();
    }
}
