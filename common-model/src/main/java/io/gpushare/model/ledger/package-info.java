/**
 * The allocations on each card of one node, and the placement of further demands. The link between memory and whole
 * cards is implemented here and nowhere else: a card serves memory pods, or is taken whole, or is free.
 *
 * <p>Whether a card can serve a demand is decided in {@link Obstacle} alone; programs show it and decide nothing again.
 */
@NullMarked
package io.gpushare.model.ledger;

import org.jspecify.annotations.NullMarked;
