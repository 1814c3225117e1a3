/** Tests of the run on a card, with the simulated driver. */
@NullMarked
package io.gpushare.e2e.card;

import org.jspecify.annotations.NullMarked;
