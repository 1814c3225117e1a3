@NullMarked
package io.gpushare.insight.claims;

import org.jspecify.annotations.NullMarked;
