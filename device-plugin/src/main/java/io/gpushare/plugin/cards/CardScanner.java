package io.gpushare.plugin.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.Nvml;
import io.gpushare.nvml.XidEvent;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.plugin.usage.CardUsages;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that reads all cards, waits for an Xid or for the next time, and begins again. It tells the whole inventory
 * each time that it differs from the one before, the first one always.
 */
public final class CardScanner implements AutoCloseable {
    /** How often cards are read and who is told; {@code quiet}: how long after its last Xid a card is well again. */
    public record Settings(String library, MemoryUnit unit, Duration interval, Duration quiet) {
        public Settings {
            Objects.requireNonNull(library);
            Objects.requireNonNull(unit);
            Objects.requireNonNull(interval);
            Objects.requireNonNull(quiet);
        }
    }

    /** Told of the cards, from the scanning thread. */
    public interface Listener {
        /** The whole inventory, each time that it differs from the one before. */
        void inventory(Inventory now);

        /** What the cards do, every few seconds while the driver answers. */
        void loads(CardUsages now);

        /** An Xid error of a card, and what has to be done about it, as a part of a sentence. */
        void xid(CardId card, long xid, String remedy);
    }

    private static final Logger LOG = LoggerFactory.getLogger(CardScanner.class);

    private final Settings settings;
    private final Listener listener;
    private final Map<CardXid, Long> counts = new ConcurrentHashMap<>();
    private final InstantSource clock;
    private final CardHealth health;
    private final CardHistory cards;
    private final LinkScanner links = new LinkScanner();
    private final XidListener xids = new XidListener();
    private final UtilizationReader loads = new UtilizationReader();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;

    // Only the scanning thread touches what follows.
    private @Nullable Nvml nvml;
    private @Nullable Inventory last;
    private String trouble = "";

    private CardScanner(Settings settings, Listener listener, InstantSource clock) {
        this.settings = settings;
        this.listener = listener;
        this.clock = clock;
        this.health = new CardHealth(settings.quiet());
        this.cards = new CardHistory(settings.unit(), health);
        this.thread = new Thread(this::run, "cards");
    }

    /** Begins to scan. */
    public static CardScanner start(Settings settings, Listener listener, InstantSource clock) {
        CardScanner scanner = new CardScanner(settings, listener, clock);
        scanner.thread.setDaemon(true);
        scanner.thread.start();
        return scanner;
    }

    private void run() {
        try {
            while (stopped.getCount() > 0) {
                scan();
                awaitXid();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            shut();
        }
    }

    private void scan() {
        Inventory now;
        try {
            Nvml session = session();
            var driver = session.driver();
            List<CardReading> readings = session.cards();
            Set<String> present = present(readings);
            now = cards.seen(driver, readings, clock.instant()).withLinks(links.of(session, present));
            xids.follow(session, present);
            loads.read(session, present, clock.instant()).ifPresent(listener::loads);
            trouble(readings.isEmpty() ? "the driver finds no card" : "");
        } catch (NvmlException e) {
            shut();
            now = cards.unseen("the driver does not answer", clock.instant());
            trouble(String.valueOf(e.getMessage()));
        }
        if (!now.equals(last)) {
            announce(now);
            last = now;
            listener.inventory(now);
        }
    }

    private Nvml session() throws NvmlException {
        if (nvml == null) {
            nvml = Nvml.open(settings.library());
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

    private void awaitXid() throws InterruptedException {
        if (xids.listening()) {
            xids.await(settings.interval()).ifPresent(this::note);
        }
        if (!xids.listening()) {
            boolean end = stopped.await(settings.interval().toMillis(), TimeUnit.MILLISECONDS);
            LOG.debug("waited without Xid errors, {}", end ? "and the scan ends" : "and the scan goes on");
        }
    }

    private void note(XidEvent event) {
        XidClass is = XidTable.of(event.xid());
        long count = counts.merge(new CardXid(event.uuid().map(CardId::new), event.xid()), 1L, Long::sum);
        String card = event.uuid().orElse("of unknown UUID");
        if (is.ill()) {
            LOG.warn("card {}: Xid {}, {} ({} so far)", card, event.xid(), is.remedy(), count);
        } else {
            LOG.info("card {}: Xid {}, {} ({} so far)", card, event.xid(), is.remedy(), count);
        }
        // Which card it was is not known without a UUID: each may be the one, and those that are well come back.
        for (String uuid : event.uuid().map(Set::of).orElse(xids.watched())) {
            if (is.ill()) {
                health.xid(new CardId(uuid), event.xid(), clock.instant());
            }
            listener.xid(new CardId(uuid), event.xid(), is.remedy());
        }
    }

    /** How often each Xid was told of each card so far. */
    public Map<CardXid, Long> counts() {
        return Map.copyOf(counts);
    }

    private void trouble(String now) {
        if (!now.equals(trouble) && !now.isEmpty()) {
            LOG.warn("no cards to offer as long as this lasts: {}", now);
        }
        trouble = now;
    }

    private void announce(Inventory now) {
        now.cards().forEach(card -> {
            boolean changed = last == null
                    || !last.card(card.id())
                            .map(before -> before.health().equals(card.health()))
                            .orElse(false);
            if (changed) {
                String state =
                        card.health() instanceof Health.Unhealthy(String reason) ? "ill (" + reason + ")" : "well";
                LOG.info("card {} {} {} {}: {}", card.index(), card.id(), card.model(), card.memory(), state);
            }
        });
    }

    private void shut() {
        xids.close();
        if (nvml != null) {
            nvml.close();
            nvml = null;
        }
    }

    /** Ends the scan; it may take half a second until the session with NVML is closed. */
    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(Duration.ofSeconds(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
