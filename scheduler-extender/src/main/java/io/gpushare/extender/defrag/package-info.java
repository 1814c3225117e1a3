/**
 * Which few pods, moved to other cards, would free whole cards or make a waiting pod fit: a search on the ledger as it is at
 * one moment. It reserves and evicts nothing, and does no I/O.
 */
@NullMarked
package io.gpushare.extender.defrag;

import org.jspecify.annotations.NullMarked;
