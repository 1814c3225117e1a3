@NullMarked
package io.gpushare.kubernetes;

import org.jspecify.annotations.NullMarked;
