@NullMarked
package io.gpushare.extender.preemption;

import org.jspecify.annotations.NullMarked;
