@NullMarked
package io.gpushare.histories.machine;

import org.jspecify.annotations.NullMarked;
