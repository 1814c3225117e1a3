/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.policy;

import org.jspecify.annotations.NullMarked;
