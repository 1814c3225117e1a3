/**
 * Runs our programs on a machine with a card, with nothing but the driver and NVIDIA's programs, and reports what is as
 * it should be. Each part stands alone: one that fails affects no other. On a machine without a card it runs with the
 * simulated driver.
 */
@NullMarked
package io.gpushare.e2e.card;

import org.jspecify.annotations.NullMarked;
