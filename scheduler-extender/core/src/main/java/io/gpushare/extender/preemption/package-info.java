/**
 * The verb preempt: which pods of a node must be evicted so that a pod finds its cards there. It only reads the ledger.
 */
@NullMarked
package io.gpushare.extender.preemption;

import org.jspecify.annotations.NullMarked;
