/** Pure: the pods of this node, as the API reports them. */
@NullMarked
package io.gpushare.plugin.node.pod;

import org.jspecify.annotations.NullMarked;
