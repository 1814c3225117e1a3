/**
 * The values of the model in their written form: resource names, annotation keys, device IDs, and codecs that return
 * absent, valid, or malformed with the reason. Users may write any of this input by hand.
 */
@NullMarked
package io.gpushare.model.codec;

import org.jspecify.annotations.NullMarked;
