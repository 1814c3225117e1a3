/** Tests of the view, the page and the metrics of a running extender, over HTTP. */
@NullMarked
package io.gpushare.extender.view;

import org.jspecify.annotations.NullMarked;
