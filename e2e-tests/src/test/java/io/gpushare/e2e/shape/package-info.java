/** Checks that the packages of all modules have no cycles, and that every script explains itself. */
@NullMarked
package io.gpushare.e2e.shape;

import org.jspecify.annotations.NullMarked;
