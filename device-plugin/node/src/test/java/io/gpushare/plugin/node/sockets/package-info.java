/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.node.sockets;

import org.jspecify.annotations.NullMarked;
