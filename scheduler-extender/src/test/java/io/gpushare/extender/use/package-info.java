@NullMarked
package io.gpushare.extender.use;

import org.jspecify.annotations.NullMarked;
