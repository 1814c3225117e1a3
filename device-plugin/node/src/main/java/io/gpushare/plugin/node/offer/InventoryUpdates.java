package io.gpushare.plugin.node.offer;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.isolation.enforcement.NodeIsolation;
import java.util.function.Consumer;

/**
 * Puts each assembled inventory into the latest holdings, with what isolates its cards.
 *
 * @param beside what each card gives beside memory
 */
public record InventoryUpdates(
        Share beside, NodeIsolation isolation, LatestHoldings latest, SnapshotPublisher publisher)
        implements Consumer<Inventory> {
    @Override
    public void accept(Inventory now) {
        Inventory isolated = isolation.isolated(now.withBeside(beside));
        latest.update(_ -> isolated);
        publisher.read(SnapshotPublisher.Source.CARDS);
    }
}
