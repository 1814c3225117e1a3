/**
 * The language in which a pod states which cards it may have: facts, values, conditions, and the parser of their text
 * form. Pure, as the parent package is.
 */
@NullMarked
package io.gpushare.model.selector;

import org.jspecify.annotations.NullMarked;
