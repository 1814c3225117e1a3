/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.policy;

import org.jspecify.annotations.NullMarked;
