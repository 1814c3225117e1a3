/** Pure: what the supervisor does next about MPS on one card, decided from what it sees and what the plugin wants. */
@NullMarked
package io.gpushare.mps.machine;

import org.jspecify.annotations.NullMarked;
