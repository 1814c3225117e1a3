/**
 * Free capacity of nodes and what pods request of it, in the numbers that policies weigh. Pure values: no ledger, no
 * I/O.
 */
@NullMarked
package io.gpushare.extender.capacity;

import org.jspecify.annotations.NullMarked;
