/** Tests of the package of the same name: the calls of a kubelet on a whole node, without its wire. */
@NullMarked
package io.gpushare.plugin.offer;

import org.jspecify.annotations.NullMarked;
