package io.gpushare.mps.link;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

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
 */
public record CardReport(
        long sequence,
        Phase phase,
        long processLimitMib,
        String why,
        long server,
        long clients,
        long failures,
        List<Long> waiting) {
    public CardReport {
        Objects.requireNonNull(phase);
        Objects.requireNonNull(why);
        waiting = List.copyOf(waiting);
    }

    static CardReport of(Fields fields) {
        Phase phase = Arrays.stream(Phase.values())
                .filter(each -> each.name().equals(fields.text("phase")))
                .findFirst()
                .orElse(Phase.BROKEN);
        return new CardReport(
                fields.number("sequence"),
                phase,
                fields.number("processLimitMiB"),
                fields.text("why"),
                fields.number("server"),
                fields.number("clients"),
                fields.number("failures"),
                fields.numbers("waiting"));
    }

    Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("sequence", String.valueOf(sequence));
        fields.put("phase", phase.name());
        fields.put("processLimitMiB", String.valueOf(processLimitMib));
        fields.put("why", why);
        fields.put("server", String.valueOf(server));
        fields.put("clients", String.valueOf(clients));
        fields.put("failures", String.valueOf(failures));
        fields.put("waiting", waiting.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        return fields;
    }
}
