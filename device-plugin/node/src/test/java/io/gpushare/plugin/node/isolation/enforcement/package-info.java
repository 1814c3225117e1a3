/** Tests of what is reported and enforced on a node. */
@NullMarked
package io.gpushare.plugin.node.isolation.enforcement;

import org.jspecify.annotations.NullMarked;
