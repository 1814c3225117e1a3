/** Tests of what is reported and enforced on a node. */
@NullMarked
package io.gpushare.plugin.isolation.enforcement;

import org.jspecify.annotations.NullMarked;
