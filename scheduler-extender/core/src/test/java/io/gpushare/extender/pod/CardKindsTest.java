package io.gpushare.extender.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.request.SelectorCodec;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CardKindsTest {
    private static final String T4 = "Tesla T4";
    private static final String A100 = "NVIDIA A100-SXM4-80GB";
    private final CardKinds kinds = CardKinds.of(List.of(
            new Inventory(
                    MemoryUnit.GIB,
                    new Inventory.Driver("550.54.15", "12.4"),
                    List.of(card("a", T4, 15, 7), card("b", T4, 15, 7), card("c", A100, 80, 8))),
            new Inventory(MemoryUnit.GIB, new Inventory.Driver("580.95.05", "13.0"), List.of(card("d", T4, 15, 7)))));

    @Test
    void aSelectorResolvesToTheModelsThatItMatches() {
        assertThat(models("compute >= 8.0")).containsExactly(A100);
        assertThat(models("model = T4")).containsExactly(T4);
        assertThat(models("cuda >= 13.0")).containsExactly(T4);
        assertThat(models("compute >= 8.0, uuid = GPU-d")).containsExactly(A100);
    }

    @Test
    void aSelectorThatMatchesEveryModelResolvesToNone() {
        assertThat(models("")).isEmpty();
        assertThat(models("memory >= 10Gi")).isEmpty();
        assertThat(models("uuid = GPU-a")).isEmpty();
    }

    @Test
    void anInstanceIsAModelOfItsOwnThatEndsWithItsProfile() {
        Card full = card("f", A100, 80, 8);
        CardKinds cut = CardKinds.of(List.of(new Inventory(
                MemoryUnit.GIB,
                new Inventory.Driver("580.95.05", "13.0"),
                List.of(full, instance("3g.40gb", 39), instance("1g.10gb+me", 9)))));
        assertThat(cut.models(SelectorCodec.parse("profile = 1g.10gb.me"))).containsExactly(A100 + " MIG 1g.10gb+me");
        assertThat(cut.models(SelectorCodec.parse("mig = off"))).containsExactly(A100);
        assertThat(cut.models(SelectorCodec.parse("mig = on")))
                .containsExactlyInAnyOrder(A100 + " MIG 3g.40gb", A100 + " MIG 1g.10gb+me");
        assertThat(cut.models(SelectorCodec.parse("model = A100"))).isEmpty();
    }

    private static Card instance(String profile, int gib) {
        return new Card(
                new CardId("MIG-" + gib),
                gib,
                0,
                A100,
                Memory.ofGib(gib),
                new Card.Details(
                        new ComputeCapability(8, 0),
                        null,
                        null,
                        true,
                        new MigInstance(new CardId("GPU-p"), profile, 1, 0, List.of())));
    }

    private Set<String> models(String selector) {
        return kinds.models(SelectorCodec.parse(selector));
    }

    private static Card card(String uuid, String model, int gib, int compute) {
        return new Card(
                new CardId("GPU-" + uuid),
                uuid.charAt(0),
                0,
                model,
                Memory.ofGib(gib),
                new Card.Details(new ComputeCapability(compute, 0), null, null, null));
    }
}
