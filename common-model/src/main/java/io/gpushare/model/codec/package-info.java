/**
 * Between the words and their written form: resource names, annotation keys, device IDs, and codecs that answer absent,
 * valid, or malformed with the reason. Everything read here is input that somebody may have written by hand.
 */
@NullMarked
package io.gpushare.model.codec;

import org.jspecify.annotations.NullMarked;
