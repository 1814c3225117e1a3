package io.gpushare.kubernetes;

import java.util.Objects;

/**
 * A Lease as the API has it, reduced to what is used.
 *
 * @param version the object's resourceVersion: it changes with every write, so an unchanged one means no renewal
 * @param holder who holds it; empty when it was released or never held
 * @param seconds for how long after its last renewal nobody else may take it; 0 when nothing is written
 * @param transitions how often it changed hands
 */
public record LeaseState(String version, String holder, int seconds, int transitions) {
    public LeaseState {
        Objects.requireNonNull(version);
        Objects.requireNonNull(holder);
    }
}
