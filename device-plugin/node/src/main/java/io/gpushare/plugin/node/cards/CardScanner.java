package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.NoCards;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.XidEvent;
import io.gpushare.nvml.library.LibraryFit;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.plugin.node.part.Counts;
import io.gpushare.time.Clocks;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that reads all cards periodically and after each Xid error. It reports the whole inventory when it differs
 * from the previous one, and always the first one.
 */
final class CardScanner implements CardSource.Scan {
    private static final Logger LOG = LoggerFactory.getLogger(CardScanner.class);

    private static final Duration LONGEST_SCAN = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofMillis(50);

    private final NvmlCards.Settings settings;
    private final CardSource.Listener listener;
    private final Counts<CardXid> counts = new Counts<>(Set.of());
    private final Clocks clocks;
    private final SharedSession shared;
    private final CardHealth health;
    private final CardHistory cards;
    private final LibraryFit library = new LibraryFit();
    private final LinkScanner links = new LinkScanner();
    private final XidListener xids = new XidListener();
    private final UtilizationReader utilization = new UtilizationReader();
    private final PeriodicTask task = new PeriodicTask("cards", this::step);

    // Only the scanning thread uses the fields below.
    private @Nullable Nvml nvml;
    private @Nullable Inventory last;
    private @Nullable NoCards problem;

    /**
     * Makes a scanner.
     *
     * @param shared receives the session with the driver
     */
    public CardScanner(NvmlCards.Settings settings, CardSource.Listener listener, Clocks clocks, SharedSession shared) {
        this.settings = settings;
        this.listener = listener;
        this.clocks = clocks;
        this.shared = shared;
        this.health = new CardHealth(settings.quiet());
        this.cards = new CardHistory(
                settings.unit(),
                health,
                settings.needsDeviceFiles(),
                settings.memoryByModel(),
                new MigCards(
                        settings.mig(),
                        settings.needsDeviceFiles() ? Optional.of(new MigMinors(settings.proc())) : Optional.empty()));
    }

    /** Starts to scan. */
    public CardScanner start() {
        task.start();
        return this;
    }

    /** Scans, and waits for an Xid error where the driver reports them. */
    private Duration step() {
        switch (settings.pause().now()) {
            case NodePause.State.Unknown _ -> {
                return SOON;
            }
            case NodePause.State.Running _ -> scanned(read());
            case NodePause.State.Paused(String label) -> scanned(paused(label));
        }
        if (xids.listening()) {
            xids.await(settings.interval()).ifPresent(this::handle);
        }
        return xids.listening() ? Duration.ZERO : settings.interval();
    }

    private void scanned(Inventory now) {
        if (!cards.contradiction().isEmpty()) {
            LOG.error("{}", cards.contradiction());
            listener.refused();
        }
        report(now.noCards());
        if (!now.equals(last)) {
            logChanges(now);
            last = now;
            listener.inventory(now);
        }
    }

    /** Nothing of this process keeps the driver's module from being unloaded. */
    private Inventory paused(String label) {
        closeSession();
        return cards.paused(label, steady());
    }

    private Inventory read() {
        try {
            Nvml session = session();
            var driver = session.driver();
            List<CardReading> readings = session.cards();
            library.responded();
            Set<String> present = present(readings);
            Inventory now = cards.with(driver, readings, steady()).withLinks(links.of(session, cards.present(false)));
            xids.follow(session, present);
            Set<String> used = new HashSet<>(cards.present(false));
            used.addAll(cards.present(true));
            utilization.read(session, used, steady(), clocks.wall().instant()).ifPresent(listener::usage);
            return now;
        } catch (NvmlException e) {
            closeSession();
            endIfReplaced(e);
            return cards.withoutDriver(e, steady());
        }
    }

    private void endIfReplaced(NvmlException failure) {
        if (library.outdated(failure, steady())) {
            String sentence = "the device plugin restarts: its library of NVIDIA's driver is not the one of the loaded"
                    + " driver any more (" + failure.getMessage() + "). Running pods keep their cards.";
            LOG.error("{}", sentence);
            listener.driverReplaced(sentence);
        }
    }

    private Instant steady() {
        return clocks.steady().instant();
    }

    private Nvml session() throws NvmlException {
        if (nvml == null) {
            nvml = Nvml.open(settings.library());
            shared.set(nvml);
        }
        return nvml;
    }

    private static Set<String> present(List<CardReading> readings) {
        Set<String> present = new HashSet<>();
        for (CardReading reading : readings) {
            if (reading instanceof CardReading.Present(int _, CardFacts facts)) {
                present.add(facts.uuid());
            }
        }
        return present;
    }

    private void handle(XidEvent event) {
        XidClass xidClass = XidTable.of(event.xid());
        long count = counts.count(new CardXid(event.uuid().map(CardId::new), event.xid()));
        String card = event.uuid().orElse("of unknown UUID");
        if (xidClass.unhealthy()) {
            LOG.warn("card {}: Xid {}, {} ({} so far)", card, event.xid(), xidClass.remedy(), count);
        } else {
            LOG.info("card {}: Xid {}, {} ({} so far)", card, event.xid(), xidClass.remedy(), count);
        }
        // Without a UUID any card may have the error; healthy ones recover after the quiet time.
        for (String uuid : event.uuid().map(Set::of).orElse(xids.watched())) {
            for (CardId concerned : cards.concerned(uuid, event)) {
                if (xidClass.unhealthy()) {
                    health.xid(concerned, event.xid(), steady());
                }
                listener.xid(concerned, event.xid(), xidClass.remedy());
            }
        }
    }

    @Override
    public Map<CardXid, Long> counts() {
        return counts.all();
    }

    private void report(@Nullable NoCards now) {
        if (now != null) {
            if (!now.equals(problem)) {
                LOG.warn("until this is resolved: {}", now.sentences());
            }
            listener.noCards(now);
        }
        problem = now;
    }

    private void logChanges(Inventory now) {
        now.cards().forEach(card -> {
            boolean changed = last == null
                    || !last.card(card.id())
                            .map(before -> before.health().equals(card.health()))
                            .orElse(false);
            if (changed) {
                String state = card.health() instanceof Health.Unhealthy(String reason)
                        ? "unhealthy (" + reason + ")"
                        : "healthy";
                LOG.info("card {} {} {} {} is {}", card.index(), card.id(), card.model(), card.memory(), state);
            }
        });
    }

    private void closeSession() {
        xids.close();
        if (nvml != null) {
            shared.set(null);
            nvml.close();
            nvml = null;
        }
    }

    /** Stops the scan; it may take half a second until the NVML session is closed. */
    @Override
    public void close() {
        // An interrupt would fail what the scan reads just now, and report a card as unhealthy.
        if (task.end(LONGEST_SCAN)) {
            closeSession();
        }
    }
}
