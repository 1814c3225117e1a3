/**
 * Command-line options as both programs read them: each flag with its environment variable, converters for the values
 * that both have, and one report of everything that is wrong. It reads no option itself and does not log.
 */
@NullMarked
package io.gpushare.options;

import org.jspecify.annotations.NullMarked;
