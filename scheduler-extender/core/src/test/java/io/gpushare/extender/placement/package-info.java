@NullMarked
package io.gpushare.extender.placement;

import org.jspecify.annotations.NullMarked;
