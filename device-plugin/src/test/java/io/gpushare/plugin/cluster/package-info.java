/** Tests of the room of the same name. */
@NullMarked
package io.gpushare.plugin.cluster;

import org.jspecify.annotations.NullMarked;
