package io.gpushare.mps.link;

import java.util.List;

/**
 * What the supervisor reports of MPS on one card.
 *
 * @param sequence of the want that it acts on
 * @param phase as far as it is in force
 * @param processLimitMib the process limit that was wanted when the phase was seen
 * @param why the reason of the phase, or why MPS can't run, as a sentence; may be empty
 * @param server the server's process; 0 if there is none
 * @param clients the number of processes that compute
 * @param failures how often the daemon was started again within ten minutes
 * @param waiting processes that wait until those of another user have ended, if they can't compute at once
 * @param guarded whether MPS was ready on the card, and only its programs were allowed there since; on a MIG instance,
 *     whether memory pods have held it since
 * @param bypassing processes that began to compute without MPS since then; on a card, as long as there is no daemon
 */
public record CardReport(
        long sequence,
        Phase phase,
        long processLimitMib,
        String why,
        long server,
        long clients,
        long failures,
        List<Long> waiting,
        boolean guarded,
        List<Long> bypassing) {
    public CardReport {
        waiting = List.copyOf(waiting);
        bypassing = List.copyOf(bypassing);
    }
}
