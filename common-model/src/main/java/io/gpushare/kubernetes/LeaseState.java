package io.gpushare.kubernetes;

import java.util.Objects;

/**
 * A Lease in the API, reduced to the fields that the programs use.
 *
 * @param version the object's resourceVersion: it changes with every write, so an unchanged one means no renewal
 * @param holder the identity of its holder; empty if it was released or never held
 * @param seconds how long after its last renewal no other holder may acquire it; 0 if it is not set
 * @param transitions the number of changes of holder
 */
public record LeaseState(String version, String holder, int seconds, int transitions) {
    public LeaseState {
        Objects.requireNonNull(version);
        Objects.requireNonNull(holder);
    }
}
