/**
 * Holds pods to their share by the driver's own memory limits of cgroups (driver 615 and newer). It reads the node's
 * cgroup file system, and knows the driver only as {@link io.gpushare.plugin.isolation.driver.MemoryLimits}.
 */
@NullMarked
package io.gpushare.plugin.node.isolation.driver;

import org.jspecify.annotations.NullMarked;
