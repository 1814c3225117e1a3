/**
 * The cards of a node as values: identity, facts, health, links, shares of them, and the inventory that lists them.
 * Pure, as the parent package is.
 */
@NullMarked
package io.gpushare.model.card;

import org.jspecify.annotations.NullMarked;
