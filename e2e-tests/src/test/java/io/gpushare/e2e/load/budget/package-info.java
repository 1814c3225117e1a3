@NullMarked
package io.gpushare.e2e.load.budget;

import org.jspecify.annotations.NullMarked;
