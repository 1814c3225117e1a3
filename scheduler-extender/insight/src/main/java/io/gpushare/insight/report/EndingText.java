package io.gpushare.insight.report;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.insight.report.Endings.Ending;
import io.gpushare.insight.report.Endings.Room;
import io.gpushare.model.PodController;
import io.gpushare.model.ledger.NodeCards;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which pods must end so that a pod fits, in sentences. */
public final class EndingText {
    private static final int MOST_PODS = 5;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private EndingText() {}

    /** Until when pods leave that are being deleted, as the end of a sentence. */
    public static String leaves(@Nullable Instant by) {
        return by == null ? "" : ", by " + TIME.format(by) + " at the latest";
    }

    static List<String> sentences(Optional<Room> soon, Endings endings) {
        if (soon.isPresent()) {
            return List.of(leaving(soon.get()));
        }
        return Stream.of(
                        endings.replaced().map(EndingText::replaced),
                        endings.smallest().map(EndingText::ends),
                        endings.first().map(EndingText::ends))
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    private static String leaving(Room room) {
        boolean one = room.endings().size() == 1;
        return "It fits on " + where(room) + ", when " + pods(room, false) + (one ? " has" : " have") + " gone, which "
                + (one ? "is" : "are") + " being deleted" + leaves(room.by().orElse(null)) + ".";
    }

    private static String replaced(Room room) {
        return "Of the same Deployment, " + pods(room, false)
                + (room.endings().size() == 1 ? " holds " : " hold ") + where(room)
                + ", and the rolling update ends no old pod before a new one runs: set maxUnavailable to 1 in the"
                + " strategy of Deployment " + deployment(room) + ", or its type to Recreate.";
    }

    private static String deployment(Room room) {
        return Optional.ofNullable(room.endings().getFirst().entry())
                .map(PodEntry::controller)
                .flatMap(PodController::deployment)
                .orElse("");
    }

    private static String ends(Room room) {
        if (room.endings().size() > 1) {
            return "It fits on " + where(room) + ", when " + pods(room, true) + " end" + deadline(room, "their") + ".";
        }
        Ending ending = room.endings().getFirst();
        if (!ending.bound()) {
            return "It would fit on " + where(room) + ", where " + amount(room, ending) + " is reserved for pod "
                    + ending.pod() + ": its volumes are being prepared, or pods make room for it.";
        }
        return "It fits on " + where(room) + ", when pod " + ending.pod() + " ends, which holds " + amount(room, ending)
                + deadline(room, "its") + ".";
    }

    private static String deadline(Room room, String whose) {
        boolean deleted = room.endings().stream().anyMatch(Ending::terminating);
        return room.by()
                .map(by -> deleted
                        ? leaves(by)
                        : "; " + whose + " activeDeadlineSeconds end " + (whose.equals("its") ? "it" : "them") + " by "
                                + by)
                .orElse("");
    }

    private static String pods(Room room, boolean amounts) {
        List<Ending> all = room.endings();
        String first = all.stream()
                .limit(MOST_PODS)
                .map(each -> each.pod()
                        + (amounts
                                ? " (" + amount(room, each) + (each.bound() ? "" : ", reserved")
                                        + (each.terminating() ? ", being deleted" : "") + ")"
                                : ""))
                .collect(Collectors.joining(", "));
        return (all.size() == 1 ? "pod " : "the " + all.size() + " pods ")
                + first
                + (all.size() > MOST_PODS ? " and " + (all.size() - MOST_PODS) + " more" : "");
    }

    private static String amount(Room room, Ending ending) {
        NodeCards cards = room.node().cards();
        long whole = cards.cards().stream()
                .map(state -> cards.shareOn(
                        ending.holding().allocation(), state.card().id()))
                .filter(share -> share.takenWhole() > 0)
                .count();
        return whole == 1
                ? "the whole card"
                : whole > 1
                        ? whole + " whole cards"
                        : cards.inventory()
                                .unit()
                                .amount(cards.units(ending.holding().allocation()));
    }

    private static String where(Room room) {
        List<String> indices = room.node().cards().cards().stream()
                .filter(state -> room.room().cards().contains(state.card().id()))
                .map(state -> String.valueOf(state.card().index()))
                .toList();
        return "node " + room.node().node() + (indices.size() == 1 ? ", card " : ", cards ")
                + String.join(", ", indices);
    }
}
