package io.gpushare.plugin.allocate.offer;

import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.allocate.kubelet.KubeletConnection;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether the kubelet gets devices of this plugin. */
public record Readiness(LatestSnapshot latest, KubeletConnection kubelet) {

    /** Why it gets none, as a sentence; empty if it does. */
    public Optional<String> problem() {
        @Nullable NoCards why = latest.now().inventory().noCards();
        if (why == null && !kubelet.watched()) {
            return Optional.of("the kubelet does not watch every device list yet");
        }
        return Optional.ofNullable(why).map(NoCards::sentences);
    }
}
