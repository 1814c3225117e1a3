package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.LeaseState;
import io.gpushare.kubernetes.Leases;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The Lease of an election; {@link Leases} documents the calls. */
interface LeaseStore {
    Optional<LeaseState> read() throws KubernetesException;

    void create() throws KubernetesException;

    LeaseState hold(LeaseState before, String holder, Duration length, Instant now) throws KubernetesException;

    void release(LeaseState before) throws KubernetesException;

    static LeaseStore of(Leases leases) {
        return new LeaseStore() {
            @Override
            public Optional<LeaseState> read() throws KubernetesException {
                return leases.read();
            }

            @Override
            public void create() throws KubernetesException {
                leases.create();
            }

            @Override
            public LeaseState hold(LeaseState before, String holder, Duration length, Instant now)
                    throws KubernetesException {
                return leases.hold(before, holder, length, now);
            }

            @Override
            public void release(LeaseState before) throws KubernetesException {
                leases.release(before);
            }
        };
    }
}
