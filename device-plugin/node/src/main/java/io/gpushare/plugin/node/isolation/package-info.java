/**
 * Pure: what holds containers to their shares. {@link io.gpushare.plugin.isolation.IsolationPolicy} decides what is in
 * force on each card, {@link io.gpushare.plugin.isolation.ContainerIsolation} what a container needs for it. Each
 * provider has a package of its own.
 */
@NullMarked
package io.gpushare.plugin.node.isolation;

import org.jspecify.annotations.NullMarked;
