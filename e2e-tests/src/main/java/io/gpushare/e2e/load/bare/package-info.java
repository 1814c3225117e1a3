/** A handler that reads and writes as many bytes as the extender, and does nothing else. */
@NullMarked
package io.gpushare.e2e.load.bare;

import org.jspecify.annotations.NullMarked;
