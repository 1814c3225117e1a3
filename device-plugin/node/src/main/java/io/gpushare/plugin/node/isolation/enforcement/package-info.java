/**
 * The isolation of the node: keeps the inventory and what is in force in step, and lets containers start. It knows the
 * provider only by its interface.
 */
@NullMarked
package io.gpushare.plugin.node.isolation.enforcement;

import org.jspecify.annotations.NullMarked;
