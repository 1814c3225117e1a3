/**
 * Placement: which node and which cards a pod gets, by the policies, on the free capacity that the ledger counts. It
 * depends on the ledger and the policies, and neither on it.
 */
@NullMarked
package io.gpushare.extender.placement;

import org.jspecify.annotations.NullMarked;
