@NullMarked
package io.gpushare.e2e.cluster;

import org.jspecify.annotations.NullMarked;
