package io.gpushare.model.foreign;

import io.gpushare.model.Allocation;

/**
 * The cards that a pod of another scheduler holds or may hold. Where its annotations leave a doubt, the pod holds each
 * card that it may have, so that no card is allocated twice.
 *
 * @param allocation what each container has of each of the cards
 * @param certain whether it is exactly what the pod has, so that it can be written as the pod's allocation
 */
public record ForeignHolding(Allocation allocation, boolean certain) {}
