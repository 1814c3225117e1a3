/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.insight.report;

import org.jspecify.annotations.NullMarked;
