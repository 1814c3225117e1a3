/**
 * The machine with the card, and what a part starts on it: a node of the real programs with a simulated kubelet, and
 * programs that use the card.
 */
@NullMarked
package io.gpushare.e2e.card.node;

import org.jspecify.annotations.NullMarked;
