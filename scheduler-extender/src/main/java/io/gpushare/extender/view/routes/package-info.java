/** The HTTP edge to users: the page's files, and the view's paths with their parameters and errors. */
@NullMarked
package io.gpushare.extender.view.routes;

import org.jspecify.annotations.NullMarked;
