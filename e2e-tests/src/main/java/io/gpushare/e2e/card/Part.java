package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import java.time.Duration;
import java.util.List;

/** One part of the run, with the time after which it is ended. */
record Part(String name, Duration limit, Action action) {
    /** What a part does; an exception ends it with its message as the reason. */
    interface Action {
        void run(Machine machine, Findings findings) throws Exception;
    }

    /** All parts, most telling first. */
    static List<Part> all() {
        return List.of(
                new Part("facts", Duration.ofSeconds(60), FactsPart::run),
                new Part("kubelet", Duration.ofSeconds(60), PluginParts::kubelet),
                new Part("xid", Duration.ofSeconds(60), PluginParts::xid),
                new Part("mps-limits", Duration.ofSeconds(120), LimitsPart::run),
                new Part("claims", Duration.ofSeconds(90), ClaimsPart::run),
                new Part("mps-faults", Duration.ofSeconds(120), FaultsPart::run),
                new Part("sharing-cost", Duration.ofSeconds(120), CostPart::run),
                new Part("frameworks", Duration.ofSeconds(240), FrameworksPart::run),
                new Part("driver-limits", Duration.ofSeconds(60), DriverPart::run));
    }
}
