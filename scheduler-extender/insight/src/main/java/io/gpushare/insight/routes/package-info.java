/** The HTTP edge to users: the page's files, and the view's paths with their parameters and errors. */
@NullMarked
package io.gpushare.insight.routes;

import org.jspecify.annotations.NullMarked;
