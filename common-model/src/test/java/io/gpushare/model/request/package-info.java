/** Tests of what pods write. */
@NullMarked
package io.gpushare.model.request;

import org.jspecify.annotations.NullMarked;
