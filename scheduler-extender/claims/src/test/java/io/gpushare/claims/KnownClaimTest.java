package io.gpushare.claims;

import static io.gpushare.claims.ShownCluster.TWO;
import static io.gpushare.claims.ShownCluster.allocated;
import static io.gpushare.claims.ShownCluster.card;
import static io.gpushare.claims.ShownCluster.claim;
import static io.gpushare.claims.ShownCluster.inventory;
import static io.gpushare.claims.ShownCluster.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownClaimTest {
    private final KnownClaim claim =
            new KnownClaim(allocated(claim("c", "3Gi"), List.of("p"), result("n1", "gpu-a", "3Gi")));

    @Test
    void itsCardsAreReadOnceForEachInventory() {
        assertThat(claim.cards(new ClaimedCards("n1", TWO))).isSameAs(claim.cards(new ClaimedCards("n1", TWO)));
        assertThat(claim.cards(new ClaimedCards("n1", TWO)))
                .singleElement()
                .satisfies(container -> assertThat(container.total()).isEqualTo(Share.memory(3)));
        assertThat(claim.cards(new ClaimedCards("n1", inventory(MemoryUnit.GIB, card("GPU-b", 1)))))
                .isEmpty();
    }

    @Test
    void itsRequestsAreReadOnceForEachUnit() {
        assertThat(claim.requested(MemoryUnit.GIB)).isSameAs(claim.requested(MemoryUnit.GIB));
        assertThat(claim.requested(MemoryUnit.ofMib(512)).requests())
                .singleElement()
                .satisfies(request -> assertThat(request.share()).isEqualTo(Share.memory(6)));
    }
}
