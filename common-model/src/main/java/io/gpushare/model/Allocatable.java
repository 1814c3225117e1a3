package io.gpushare.model;

/**
 * What a node's kubelet offers to all its pods together, as kube-scheduler counts it (status.allocatable).
 *
 * @param units memory units
 * @param cards whole cards
 */
public record Allocatable(int units, int cards) {
    public static final Allocatable NONE = new Allocatable(0, 0);
}
