/**
 * What explains, shows and measures the extender: a library that the program adds to it. What decides does not know
 * it.
 */
@NullMarked
package io.gpushare.insight;

import org.jspecify.annotations.NullMarked;
