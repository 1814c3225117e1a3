/**
 * The annotations in which HAMi's programs, and programs that read these, describe cards: those of a pod with its
 * cards, and that of a node with all of them. Pure: between values and their written form.
 */
@NullMarked
package io.gpushare.model.hami;

import org.jspecify.annotations.NullMarked;
