/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.pod;

import org.jspecify.annotations.NullMarked;
