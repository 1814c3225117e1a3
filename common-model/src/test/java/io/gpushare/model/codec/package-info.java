@NullMarked
package io.gpushare.model.codec;

import org.jspecify.annotations.NullMarked;
