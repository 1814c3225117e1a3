/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.http;

import org.jspecify.annotations.NullMarked;
