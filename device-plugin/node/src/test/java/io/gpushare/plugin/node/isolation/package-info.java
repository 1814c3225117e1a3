/** Tests of the pure decisions about isolation. */
@NullMarked
package io.gpushare.plugin.node.isolation;

import org.jspecify.annotations.NullMarked;
