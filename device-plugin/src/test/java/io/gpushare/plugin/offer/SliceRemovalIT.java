package io.gpushare.plugin.offer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.plugin.TestApiServer;
import io.gpushare.plugin.claims.offer.SliceRemoval;
import io.gpushare.simulated.apiserver.FaultRule;
import io.gpushare.simulated.apiserver.Outcome;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.MovableClock;
import io.gpushare.time.PeriodicTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slices that are there before, and that appear later, with an API over HTTP. */
class SliceRemovalIT {
    private static final Outcome UNAVAILABLE = Outcome.refused(503, "ServiceUnavailable", "etcd is slow");
    private static final Duration LONG = Duration.ofHours(1);

    private final MovableClock clock = new MovableClock();
    private final TestApiServer server = new TestApiServer();

    @TempDir
    private Path dir;

    private KubernetesApi api;

    @BeforeEach
    void connect() throws IOException {
        api = KubernetesApi.connect(server.kubeconfig(dir.resolve("kubeconfig")), "test");
    }

    @AfterEach
    void close() {
        api.close();
        server.close();
    }

    private SliceRemoval removal(boolean any) {
        return new SliceRemoval(api.resources(), "gpushare.io", "n1", any, clock);
    }

    private void slice() {
        ObjectNode slice = ApiClient.document().put("kind", "ResourceSlice");
        slice.putObject("metadata").put("name", "n1-gpushare.io-00").put("uid", "uid-slice");
        slice.putObject("spec").put("driver", "gpushare.io").put("nodeName", "n1");
        server.put(slice);
    }

    private int slices() {
        return server.all(ApiResource.RESOURCE_SLICES).size();
    }

    /** Takes each look at its time; returns how many there are until nothing is due any more. */
    private int looksUntilTheEnd(SliceRemoval slices, FaultRule lists) {
        int looks = 0;
        while (slices.rest().compareTo(LONG) < 0) {
            clock.pass(slices.rest());
            assertThat(slices.problem()).isEmpty();
            looks++;
        }
        // No call is made between the looks: it would be refused, and change the time of the next one.
        lists.always(UNAVAILABLE);
        assertThat(slices.problem()).isEmpty();
        assertThat(slices.rest()).isGreaterThan(LONG);
        lists.always(Outcome.Plain.SERVED);
        return looks;
    }

    @Test
    void oneThatIsWrittenWithinTwoMinutesIsDeletedAndThenNothingIsReadAnyMore() {
        FaultRule lists = server.sliceLists();
        slice();
        SliceRemoval slices = removal(true);
        assertThat(slices.problem()).isEmpty();
        assertThat(slices()).isZero();
        Duration passed = Duration.ZERO;
        while (passed.compareTo(Duration.ofSeconds(60)) < 0) {
            passed = passed.plus(slices.rest());
            clock.pass(slices.rest());
            assertThat(slices.problem()).isEmpty();
        }
        slice();
        clock.pass(slices.rest());
        assertThat(slices.problem()).isEmpty();
        assertThat(slices()).isZero();
        assertThat(looksUntilTheEnd(slices, lists)).isEqualTo(4);
    }

    @Test
    void laterTheKubeletsCallForAClaimLetsThemBeLookedForAtMostOnceInFiveSeconds() {
        FaultRule lists = server.sliceLists();
        SliceRemoval slices = removal(true);
        assertThat(slices.problem()).isEmpty();
        assertThat(looksUntilTheEnd(slices, lists)).isEqualTo(4);

        clock.pass(LONG);
        slice();
        assertThat(slices.problem()).isEmpty();
        assertThat(slices()).isOne();
        slices.allocated();
        assertThat(slices.rest()).isZero();
        assertThat(slices.problem()).isEmpty();
        assertThat(slices()).isZero();
        slices.allocated();
        assertThat(slices.rest()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
    }

    @Test
    void beforeTheFirstLookTheyMayBeThereAndLaterAnApiServerThatDoesNotRespondChangesNothing() {
        FaultRule lists = server.sliceLists();
        FaultRule deletions = server.sliceDeletions();
        lists.always(UNAVAILABLE);
        SliceRemoval slices = removal(true);
        assertThat(slices.problem()).get().asString().contains("ResourceSlices can't be deleted", "etcd is slow");
        lists.always(Outcome.Plain.SERVED);
        again(slices);
        assertThat(slices.problem()).isEmpty();

        lists.always(UNAVAILABLE);
        clock.pass(slices.rest());
        assertThat(slices.problem()).isEmpty();
        lists.always(Outcome.Plain.SERVED);
        deletions.always(Outcome.refused(403, "Forbidden", "resourceslices is forbidden"));
        slice();
        clock.pass(slices.rest());
        assertThat(slices.problem()).get().asString().contains("resourceslices is forbidden");
        deletions.always(Outcome.Plain.SERVED);
        again(slices);
        assertThat(slices.problem()).isEmpty();
        assertThat(slices()).isZero();
    }

    /** What failed is not tried at once again, and what it said until then stays said. */
    private void again(SliceRemoval slices) {
        assertThat(slices.rest()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(5));
        assertThat(slices.problem()).isNotEmpty();
        clock.pass(slices.rest());
    }

    @Test
    void nothingIsReadOnANodeThatHasNoneAndOnlyOnceBeforeKubernetes134() {
        FaultRule lists = server.sliceLists();
        lists.always(UNAVAILABLE);
        SliceRemoval never = removal(false);
        assertThat(never.problem()).isEmpty();
        assertThat(never.rest()).isGreaterThan(PeriodicTask.ON_REQUEST.minus(LONG));

        lists.always(Outcome.refused(404, "NotFound", "the server could not find the requested resource"));
        SliceRemoval old = removal(true);
        assertThat(old.problem()).isEmpty();
        assertThat(old.rest()).isGreaterThan(PeriodicTask.ON_REQUEST.minus(LONG));
    }
}
