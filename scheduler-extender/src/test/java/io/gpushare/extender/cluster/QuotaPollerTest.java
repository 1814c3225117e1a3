package io.gpushare.extender.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.Quota;
import io.gpushare.model.card.ShareKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuotaPollerTest {
    private static final Quota QUOTA = new Quota("team-a", "gpu", ShareKind.MEMORY, "", 4, 16);

    private boolean ready = true;
    private int status = 200;
    private final QuotaPoller poller = new QuotaPoller(this::read, () -> ready);

    private List<Quota> read() throws KubernetesException {
        if (status != 200) {
            throw new KubernetesException(status, "listing the ResourceQuotas: " + status, null);
        }
        return List.of(QUOTA);
    }

    @Test
    void withoutThePermissionThereAreNoneAndItAsksSeldom() {
        status = 403;
        assertThat(poller.step()).isEqualTo(Duration.ofMinutes(1));
        assertThat(poller.quotas()).isEmpty();
        status = 200;
        assertThat(poller.step()).isLessThan(Duration.ofMinutes(1));
        assertThat(poller.quotas()).containsExactly(QUOTA);
        status = 403;
        poller.step();
        assertThat(poller.quotas()).as("the permission was taken back").isEmpty();
    }

    @Test
    void theLastOnesStayWhileTheApiServerDoesNotRespond() {
        poller.step();
        status = 0;
        poller.step();
        assertThat(poller.quotas()).containsExactly(QUOTA);
    }

    @Test
    void whatDoesNotLeadReadsNothing() {
        poller.step();
        ready = false;
        poller.step();
        assertThat(poller.quotas()).isEmpty();
    }
}
