package io.gpushare.plugin.offer;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.holdings.LatestHoldings;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.state.SnapshotPublisher;
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
