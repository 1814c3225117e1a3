package io.gpushare.insight.report;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.insight.report.Endings.Ending;
import io.gpushare.insight.report.Endings.Room;
import io.gpushare.model.PodController;
import io.gpushare.model.ledger.NodeCards;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which pods must end so that a pod fits, in sentences. */
final class EndingText {
    private static final int MOST_PODS = 5;

    private EndingText() {}

    /** @param soon what pods leave that are being deleted */
    static List<String> sentences(Optional<Room> soon, Endings endings) {
        if (soon.isPresent() && !soon.get().overdue()) {
            return List.of(leaving(soon.get()));
        }
        return Stream.of(
                        soon.map(EndingText::leaving),
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
                + (one ? "is" : "are") + " being deleted" + leaves(room) + ".";
    }

    private static String leaves(Room room) {
        return room.by()
                .map(by -> room.overdue()
                        ? ", and overdue since " + LeavingText.time(first(room).orElse(by), room.now()) + ": "
                                + LeavingText.culprit(
                                        room.node().node(), room.node().facts())
                                + " has not ended "
                                + (room.endings().size() == 1 ? "it" : room.late() == 1 ? "one of them" : "them")
                        : ", by " + LeavingText.time(by, room.now()) + " at the latest")
                .orElse("");
    }

    private static Optional<Instant> first(Room room) {
        return room.endings().stream()
                .flatMap(each -> Stream.ofNullable(each.deadline()))
                .min(Comparator.naturalOrder());
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
                        ? leaves(room)
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

    static String amount(Room room, Ending ending) {
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
