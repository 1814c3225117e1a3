package io.gpushare.plugin.node.isolation.mps;

import io.gpushare.model.card.CardId;
import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.CardWant;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import io.gpushare.time.Machine;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The supervisor of MPS as the plugin sees it: what was last wanted of each card, and what was last reported. */
final class MpsSupervision {
    private static final Logger LOG = LoggerFactory.getLogger(MpsSupervision.class);
    private static final Duration POLL = Duration.ofMillis(200);

    private final MpsDirectory directory;
    private final InstantSource clock;
    private final Map<CardId, CardReport> reports = new ConcurrentHashMap<>();
    private final Map<CardId, CardWant> wants = new HashMap<>();

    MpsSupervision(MpsDirectory directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /** The last report of each card that is supervised. */
    Map<CardId, CardReport> reports() {
        return reports;
    }

    /** Forgets cards that are gone: the UUID of a MIG instance may never return. */
    synchronized void retain(Set<CardId> cards) {
        reports.keySet().retainAll(cards);
        wants.keySet().retainAll(cards);
    }

    /** The processes on that card that compute without MPS. */
    List<Long> bypassing(CardId card) {
        CardReport report = reports.get(card);
        return report == null ? List.of() : report.bypassing();
    }

    /** Whether a supervisor lives and reports that card. */
    boolean serves(CardId card) {
        return directory.supervised() && report(card).isPresent();
    }

    /** Why no supervisor runs MPS on that card, as a sentence; empty if one can. */
    Optional<String> missing(CardId card) {
        boolean supervised = directory.supervised();
        Optional<CardReport> report = supervised ? report(card) : Optional.empty();
        if (report.isEmpty()) {
            reports.remove(card);
            return Optional.of(
                    supervised
                            ? "the MPS supervisor does not serve it yet"
                            : "no MPS supervisor serves this node: install deploy/isolation/mps.yaml");
        }
        boolean broken = report.get().phase() == Phase.BROKEN
                || (report.get().phase() == Phase.OFF && !report.get().why().isEmpty());
        return broken ? Optional.of("MPS can't run: " + report.get().why()) : Optional.empty();
    }

    private Optional<CardReport> report(CardId card) {
        try {
            Optional<CardReport> report = directory.report(card.uuid());
            report.ifPresent(now -> reports.put(card, now));
            return report;
        } catch (IOException e) {
            LOG.debug("the report of card {} can't be read", card, e);
            return Optional.empty();
        }
    }

    /** Waits until the supervisor has seen what is wanted, and its report is as it should be. */
    Optional<String> await(CardId card, Predicate<CardReport> done, String otherwise, Instant end) {
        long sequence = sequence(card);
        while (true) {
            Optional<CardReport> report = report(card);
            if (report.filter(now -> now.sequence() >= sequence && done.test(now))
                    .isPresent()) {
                return Optional.empty();
            }
            boolean hopeless = report.filter(now -> now.sequence() >= sequence && now.phase() == Phase.BROKEN)
                    .isPresent();
            if (hopeless || !clock.instant().isBefore(end)) {
                return Optional.of("MPS of card " + card + " " + otherwise + " ("
                        + report.map(MpsSupervision::text).orElse("no supervisor reports it") + ")");
            }
            try {
                Machine.here().pause(POLL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.of("the plugin stops");
            }
        }
    }

    private static String text(CardReport report) {
        String phase = report.phase().name().toLowerCase(Locale.ROOT);
        return report.why().isEmpty() ? phase : phase + ": " + report.why();
    }

    private synchronized long sequence(CardId card) {
        return wants.getOrDefault(card, CardWant.NOTHING).sequence();
    }

    /**
     * Sends the supervisor what the card needs.
     *
     * @param needed the largest share, in MiB; 0 without one
     * @param terminating the processes to terminate
     * @param podsKnown whether the node's pods were reported: before, the card may look unused
     */
    synchronized void want(CardId card, long needed, List<Long> terminating, boolean podsKnown) {
        try {
            write(card, needed, terminating, podsKnown);
        } catch (IOException e) {
            LOG.warn("the supervisor of MPS does not get what card {} needs: {}", card, e.toString());
        }
    }

    private void write(CardId card, long needed, List<Long> terminating, boolean podsKnown) throws IOException {
        if (directory.report(card.uuid()).isEmpty()) {
            return; // the supervisor does not serve it
        }
        CardWant before = directory.want(card.uuid()).orElse(CardWant.NOTHING);
        long limit = podsKnown ? needed : before.on() ? Math.max(needed, before.processLimitMib()) : 0;
        CardWant now = new CardWant(before.sequence() + 1, limit, limit > 0 ? terminating : List.of());
        if (now.sameAs(before)) {
            wants.put(card, before);
            return;
        }
        if (now.processLimitMib() != before.processLimitMib()) {
            LOG.info("card {}: MPS {}", card, now.on() ? "with at most " + limit + " MiB a process" : "is not needed");
        }
        directory.write(card.uuid(), now);
        wants.put(card, now);
    }
}
