@NullMarked
package io.gpushare.histories;

import org.jspecify.annotations.NullMarked;
