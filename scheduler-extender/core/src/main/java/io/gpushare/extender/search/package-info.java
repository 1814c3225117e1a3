/**
 * Which pods must leave so that a demand fits: the one search behind the verb preempt, the evictions of this extender
 * and defragmentation. They differ in the {@link io.gpushare.extender.search.Question} only. It works on the ledger as
 * it is at one moment, changes nothing, and does no I/O.
 */
@NullMarked
package io.gpushare.extender.search;

import org.jspecify.annotations.NullMarked;
