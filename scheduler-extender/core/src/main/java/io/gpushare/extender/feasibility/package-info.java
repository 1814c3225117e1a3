/**
 * Whether a node can take a demand, and the reason if it can't: the core of filter, on numbers computed in advance, and
 * its result. Pure values of the model; no ledger, no policies.
 */
@NullMarked
package io.gpushare.extender.feasibility;

import org.jspecify.annotations.NullMarked;
