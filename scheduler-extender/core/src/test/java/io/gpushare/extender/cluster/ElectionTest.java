package io.gpushare.extender.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.Leases;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Holders of the Lease, by a clock that the test moves. */
class ElectionTest {
    private static final InstantSource WALL = InstantSource.fixed(Instant.parse("2026-11-20T12:00:00Z"));

    private long nanos = 7;
    private final Store store = new Store();
    private final Election first = election("first");
    private final Election second = election("second");

    /** A Lease in memory; calls may take time, fail, or lose their responses. */
    private final class Store implements LeaseStore {
        private Leases.@Nullable State lease;
        private int version;
        private boolean cutOff;
        private boolean losing;
        private long callNanos;
        private final List<String> holders = new ArrayList<>();

        @Override
        public Optional<Leases.State> read() throws KubernetesException {
            begin();
            return Optional.ofNullable(lease);
        }

        @Override
        public void create() throws KubernetesException {
            begin();
            lease = new Leases.State(String.valueOf(++version), "", 0, 0);
        }

        @Override
        public Leases.State hold(Leases.State before, String holder, Duration length, Instant now)
                throws KubernetesException {
            begin();
            Leases.State written = write(before, holder, (int) length.toSeconds());
            holders.add(holder);
            if (losing) {
                throw new KubernetesException(0, "the response is lost", null);
            }
            return written;
        }

        @Override
        public void release(Leases.State before) throws KubernetesException {
            begin();
            write(before, "", 0);
        }

        private void begin() throws KubernetesException {
            nanos += callNanos;
            if (cutOff) {
                throw new KubernetesException(0, "cut off", null);
            }
        }

        private Leases.State write(Leases.State before, String holder, int seconds) throws KubernetesException {
            Leases.State now = lease;
            if (now == null || !now.version().equals(before.version())) {
                throw new KubernetesException(409, "modified", null);
            }
            Leases.State written =
                    new Leases.State(String.valueOf(++version), holder, seconds, before.transitions() + 1);
            lease = written;
            return written;
        }
    }

    private Election election(String identity) {
        return new Election(store, identity, Election.Timing.ORDINARY, () -> nanos, WALL);
    }

    @Test
    void theFirstCandidateHoldsItAndTheOtherWaits() {
        first.step();
        second.step();
        assertThat(first.held()).isTrue();
        assertThat(second.held()).isFalse();
        pass(9);
        first.step();
        pass(9);
        second.step();
        assertThat(first.held()).isTrue();
        assertThat(second.held()).isFalse();
    }

    @Test
    void aHolderThatCannotRenewStopsBeforeAnotherTakesOver() {
        first.step();
        second.step();
        store.cutOff = true;
        pass(10);
        assertThat(first.held()).as("it ends without a step").isFalse();
        store.cutOff = false;
        second.step();
        assertThat(second.held())
                .as("calls of the first may still be in flight")
                .isFalse();
        pass(5);
        second.step();
        assertThat(second.held()).isTrue();
        first.step();
        assertThat(first.held()).isFalse();
    }

    @Test
    void theTermCountsFromTheStartOfTheRenewingCall() {
        first.step();
        store.callNanos = TimeUnit.SECONDS.toNanos(4);
        first.step();
        pass(5);
        assertThat(first.held()).isTrue();
        pass(1);
        assertThat(first.held()).isFalse();
    }

    @Test
    void aHolderThatEndsReleasesTheLeaseImmediately() {
        first.step();
        second.step();
        first.end();
        assertThat(first.held()).isFalse();
        second.step();
        assertThat(second.held()).isTrue();
        first.step();
        assertThat(first.held()).as("it is no longer a candidate").isFalse();
    }

    @Test
    void aRenewalWithALostResponseKeepsTheTerm() {
        first.step();
        long term = first.term();
        store.losing = true;
        first.step();
        store.losing = false;
        first.step();
        pass(9);
        assertThat(first.held()).isTrue();
        assertThat(first.term()).as("no other holder in between").isEqualTo(term);
    }

    @Test
    void aTermAfterAnotherHolderIsANewOne() {
        first.step();
        second.step();
        long term = first.term();
        pass(16);
        second.step();
        first.step(); // its renewal is refused
        first.step(); // it reads the new holder
        pass(16);
        store.losing = true;
        first.step(); // taken, but the response is lost
        store.losing = false;
        first.step();
        assertThat(first.held()).isTrue();
        assertThat(first.term()).isGreaterThan(term);
    }

    @Test
    void aDeletedLeaseIsRecreatedAsANewTerm() {
        first.step();
        long term = first.term();
        store.lease = null;
        first.step();
        first.step();
        assertThat(first.held()).isTrue();
        assertThat(first.term()).isGreaterThan(term);
    }

    @Property(tries = 500)
    void atMostOneHoldsItWithFailuresAndSlowCalls(@ForAll long seed) {
        Random random = new Random(seed);
        List<Election> all = List.of(first, second, election("third"));
        for (int i = 0; i < 200; i++) {
            store.cutOff = random.nextInt(4) == 0;
            store.losing = random.nextInt(4) == 0;
            store.callNanos = random.nextInt(3) == 0 ? random.nextLong(TimeUnit.SECONDS.toNanos(4)) : 0;
            if (random.nextInt(40) == 0) {
                store.lease = new Leases.State(String.valueOf(++store.version), "somebody", 15, 0);
            }
            all.get(random.nextInt(all.size())).step();
            assertThat(all.stream().filter(Election::held).count()).isLessThanOrEqualTo(1);
            nanos += random.nextLong(TimeUnit.SECONDS.toNanos(random.nextInt(6) == 0 ? 20 : 2));
        }
        assertThat(store.holders).isNotEmpty();
    }

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }
}
