/**
 * The program scheduler-extender: its options, and the wiring of the extender with what explains, shows and measures
 * it. The extender itself, which decides, does not know this module.
 */
@NullMarked
package io.gpushare.insight;

import org.jspecify.annotations.NullMarked;
