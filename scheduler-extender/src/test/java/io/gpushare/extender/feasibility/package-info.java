@NullMarked
package io.gpushare.extender.feasibility;

import org.jspecify.annotations.NullMarked;
