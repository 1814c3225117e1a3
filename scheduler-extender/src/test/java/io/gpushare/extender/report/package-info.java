/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.report;

import org.jspecify.annotations.NullMarked;
