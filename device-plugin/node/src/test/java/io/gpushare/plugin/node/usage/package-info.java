/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.plugin.node.usage;

import org.jspecify.annotations.NullMarked;
