/**
 * The choice of a policy, and what policies learn from pods. Pure: pods, capacity and the nodes of the ledger are
 * passed in.
 */
@NullMarked
package io.gpushare.extender.policy;

import org.jspecify.annotations.NullMarked;
