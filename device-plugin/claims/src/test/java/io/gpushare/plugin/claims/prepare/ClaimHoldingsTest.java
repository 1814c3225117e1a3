package io.gpushare.plugin.claims.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.claims.PreparedClaims;
import io.gpushare.model.codec.Decoded;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClaimHoldingsTest {
    private static final NodePod POD = NodePod.unknown(new PodRef("uid-p", "default", "p"));

    private final ClaimHoldings none =
            ClaimHoldings.none(PreparedClaims.of(new Inventory(MemoryUnit.GIB, null, List.of())));

    /** A tenant may change annotations all the time; each look at all claims and pods takes time. */
    @Test
    void onlyWhatAPodUsesIsAChange() {
        assertThat(none.usesAsBefore(POD)).isFalse();
        ClaimHoldings known = none.withPod(POD);
        assertThat(known.usesAsBefore(POD)).isTrue();
        assertThat(known.usesAsBefore(changed(false, new Decoded.Malformed<>("edited"), Map.of())))
                .isTrue();
        assertThat(known.usesAsBefore(changed(true, POD.allocation(), Map.of())))
                .isFalse();
        assertThat(known.usesAsBefore(changed(false, POD.allocation(), Map.of("id", "main"))))
                .isFalse();
        assertThat(known.withoutPod("uid-p").usesAsBefore(POD)).isFalse();
    }

    private static NodePod changed(boolean ended, Decoded<Allocation> allocation, Map<String, String> started) {
        return new NodePod(
                POD.ref(),
                POD.created(),
                ended,
                POD.demand(),
                allocation,
                POD.containers(),
                POD.admitted(),
                started,
                POD.former(),
                POD.foreign(),
                POD.claims(),
                POD.ownJaxFraction());
    }
}
