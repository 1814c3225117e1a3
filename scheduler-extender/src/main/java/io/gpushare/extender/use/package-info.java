/**
 * The edge to the device plugins: what programs really use of the cards, asked from the plugins' metrics only while somebody
 * looks. It decides nothing, and nothing depends on an answer.
 */
@NullMarked
package io.gpushare.extender.use;

import org.jspecify.annotations.NullMarked;
