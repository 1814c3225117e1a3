package io.gpushare.plugin.offer;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.state.LatestSnapshot;
import io.gpushare.plugin.state.SnapshotPublisher;
import java.util.function.Consumer;

/**
 * Puts each assembled inventory into the latest snapshot, with what isolates its cards.
 *
 * @param beside what each card gives beside memory
 */
public record InventoryUpdates(
        Share beside, NodeIsolation isolation, LatestSnapshot latest, SnapshotPublisher publisher)
        implements Consumer<Inventory> {
    @Override
    public void accept(Inventory now) {
        Inventory isolated = isolation.isolated(now.withBeside(beside));
        latest.update(snapshot -> snapshot.withInventory(isolated));
        publisher.read(SnapshotPublisher.Source.CARDS);
    }
}
