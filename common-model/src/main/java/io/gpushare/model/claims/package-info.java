/**
 * Pure: the node's cards in the words of Dynamic Resource Allocation. A ResourceSlice shows each card as one device,
 * and what kube-scheduler allocated to a ResourceClaim becomes shares of cards in the ledger. It counts nothing itself.
 */
@NullMarked
package io.gpushare.model.claims;

import org.jspecify.annotations.NullMarked;
