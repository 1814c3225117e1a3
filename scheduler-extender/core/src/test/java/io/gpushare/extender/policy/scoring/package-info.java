/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.policy.scoring;

import org.jspecify.annotations.NullMarked;
