/**
 * What is allocated on each card of one node. The link between memory and whole cards (a card serves memory pods, or is
 * taken whole, or is free) is here and nowhere else.
 */
@NullMarked
package io.gpushare.model.ledger;

import org.jspecify.annotations.NullMarked;
