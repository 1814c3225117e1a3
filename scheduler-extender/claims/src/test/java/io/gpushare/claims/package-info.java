@NullMarked
package io.gpushare.claims;

import org.jspecify.annotations.NullMarked;
