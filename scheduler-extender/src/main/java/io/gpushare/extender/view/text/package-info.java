/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.view.text;

import org.jspecify.annotations.NullMarked;
