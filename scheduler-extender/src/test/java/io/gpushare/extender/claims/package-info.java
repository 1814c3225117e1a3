@NullMarked
package io.gpushare.extender.claims;

import org.jspecify.annotations.NullMarked;
