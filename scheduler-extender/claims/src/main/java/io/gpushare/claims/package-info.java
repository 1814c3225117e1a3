/**
 * Shows the ledger the cards that pods have by ResourceClaims: a pod with claims as if it had requested what these
 * hold. kube-scheduler decides there; nothing here allocates, reserves or evicts.
 */
@NullMarked
package io.gpushare.claims;

import org.jspecify.annotations.NullMarked;
