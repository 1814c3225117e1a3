/**
 * Isolation by the library of project HAMi-core. The library is the node's: this package checks it, and gives it to
 * containers.
 */
@NullMarked
package io.gpushare.plugin.node.isolation.hami;

import org.jspecify.annotations.NullMarked;
