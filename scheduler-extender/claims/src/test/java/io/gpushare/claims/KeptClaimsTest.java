package io.gpushare.claims;

import static io.gpushare.claims.ShownCluster.TWO;
import static io.gpushare.claims.ShownCluster.allocated;
import static io.gpushare.claims.ShownCluster.claim;
import static io.gpushare.claims.ShownCluster.pod;
import static io.gpushare.claims.ShownCluster.ref;
import static io.gpushare.claims.ShownCluster.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.claims.ClaimState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeptClaimsTest {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final ShownCluster cluster = new ShownCluster();
    private final KeptClaims kept = new KeptClaims();

    private Map<String, String> after(long minutes) {
        return kept.look(cluster.pods.withoutPods(), minutes * MINUTE);
    }

    private ClaimState share(String name) {
        return allocated(claim(name, "1Gi"), List.of("p"), result("n1", "gpu-a", "1Gi"));
    }

    @Test
    void aClaimWhosePodsAreGoneIsNamedAfterSomeMinutes() {
        cluster.node("n1", TWO);
        cluster.pods.updatePod(pod("p", "n1", "share"));
        cluster.pods.changed(share("share"));
        assertThat(after(0)).isEmpty();
        assertThat(after(10)).isEmpty();
        cluster.pods.removePod(ref("p"));
        assertThat(after(11)).isEmpty();
        assertThat(after(13)).isEmpty();
        assertThat(after(14))
                .containsExactly(Map.entry(
                        "n1",
                        "Claims keep cards for pods that are gone: team/share. kube-controller-manager has not"
                                + " freed them. It looks again when a claim changes: kubectl annotate"
                                + " --namespace=team resourceclaim share gpushare.io/look-again=now"));
        cluster.pods.gone(share("share"));
        assertThat(after(15)).isEmpty();
    }

    @Test
    void aPodThatReturnsBeginsAnew() {
        cluster.node("n1", TWO);
        cluster.pods.changed(share("share"));
        assertThat(after(0)).isEmpty();
        cluster.pods.updatePod(pod("p", "n1", "share"));
        assertThat(after(2)).isEmpty();
        cluster.pods.removePod(ref("p"));
        assertThat(after(4)).isEmpty();
        assertThat(after(7)).containsOnlyKeys("n1");
    }

    @Test
    void ofManyTheFirstAreNamed() {
        cluster.node("n1", TWO);
        for (int i = 0; i < 5; i++) {
            cluster.pods.changed(share("share-" + i));
        }
        assertThat(after(0)).isEmpty();
        assertThat(after(3).get("n1")).contains("team/share-0, team/share-1, team/share-2 and 2 more.");
    }

    @Test
    void aClaimThatNoPodMayUseIsItsOwnersMatter() {
        cluster.node("n1", TWO);
        cluster.pods.changed(allocated(claim("kept", "1Gi"), List.of(), result("n1", "gpu-a", "1Gi")));
        assertThat(after(0)).isEmpty();
        assertThat(after(9)).isEmpty();
    }
}
