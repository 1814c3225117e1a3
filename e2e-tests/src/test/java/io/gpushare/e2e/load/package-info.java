@NullMarked
package io.gpushare.e2e.load;

import org.jspecify.annotations.NullMarked;
