/**
 * Which node and which card: the policies, on frozen pictures. Pure: nothing here does I/O, reads a clock or logs, and
 * nothing here changes the ledger.
 */
@NullMarked
package io.gpushare.extender.placement;

import org.jspecify.annotations.NullMarked;
