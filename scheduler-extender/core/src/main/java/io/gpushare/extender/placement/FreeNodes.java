package io.gpushare.extender.placement;

import io.gpushare.extender.capacity.CardKind;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.List;

/** Nodes of the ledger as policies see them. */
public final class FreeNodes {
    private FreeNodes() {}

    /** What is free on the node, whether or not it takes new pods. */
    public static FreeNode of(String name, NodeEntry node) {
        return node.unusable() == null
                ? FreeNode.of(name, 0, 0, 0, List.of())
                        .with(node.allocatable().minus(node.requested()), FreeCard.of(node.cards()))
                : FreeNode.NOWHERE;
    }

    /** What is free on the node for new pods. */
    public static FreeNode offered(String name, NodeEntry node) {
        return node.notRenewed() ? FreeNode.NOWHERE : of(name, node);
    }

    /** The node without any pod and with all its cards healthy. */
    public static FreeNode empty(String name, NodeEntry node) {
        List<FreeCard> unused = new ArrayList<>();
        for (CardState state : node.cards().cards()) {
            if (state.capacity().units() > 0) {
                unused.add(FreeCard.unused(unused.size(), CardKind.of(state)));
            }
        }
        return of(name, node).with(node.allocatable(), unused);
    }
}
