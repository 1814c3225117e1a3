@NullMarked
package io.gpushare.extender.protocol;

import org.jspecify.annotations.NullMarked;
