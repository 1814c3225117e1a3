/** Tests of the driver's limits. */
@NullMarked
package io.gpushare.plugin.node.isolation.driver;

import org.jspecify.annotations.NullMarked;
