package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.Leases;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The Lease of an election; {@link Leases} documents the calls. */
interface LeaseStore {
    Optional<Leases.State> read() throws KubernetesException;

    void create() throws KubernetesException;

    Leases.State hold(Leases.State before, String holder, Duration length, Instant now) throws KubernetesException;

    void release(Leases.State before) throws KubernetesException;

    static LeaseStore of(Leases leases) {
        return new LeaseStore() {
            @Override
            public Optional<Leases.State> read() throws KubernetesException {
                return leases.read();
            }

            @Override
            public void create() throws KubernetesException {
                leases.create();
            }

            @Override
            public Leases.State hold(Leases.State before, String holder, Duration length, Instant now)
                    throws KubernetesException {
                return leases.hold(before, holder, length, now);
            }

            @Override
            public void release(Leases.State before) throws KubernetesException {
                leases.release(before);
            }
        };
    }
}
