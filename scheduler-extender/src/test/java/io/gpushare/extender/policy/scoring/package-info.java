@NullMarked
package io.gpushare.extender.policy.scoring;

import org.jspecify.annotations.NullMarked;
